// ONNX's own cases: each is a model of a node or two, with inputs and the outputs that ONNX's reference
// gives.
//
// The cases leave weights open as graph inputs; where an operator needs them as constants, they become
// initializers.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "third_party/onnx/onnx.pb.h"

namespace tally::onnx {

// "pass" where the float graph gives the expected outputs, the label of the refusal, or in words what is
// wrong. `name` is a folder of the cases: "node/test_abs".
std::string OutcomeOf(const std::string& name);

// Nothing where the case has no model.
std::optional<::onnx::ModelProto> ModelOfCase(const std::string& name);

std::vector<std::string> AllNodeCases();

// By case, the rest of its line in a table of cases.
std::map<std::string, std::string> ReadCases(const std::string& path);

}  // namespace tally::onnx
