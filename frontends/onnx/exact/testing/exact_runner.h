// Imports a graph exactly, makes a module of it and runs that: for tests.
//
//   ASSIGN_OR_RETURN(const ExactRun run, RunExactly(graph, 13, {{.tensor = x, .interval = {0, 9}}}));
//   run.results["formal"][0]->view();
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/tensor.h"
#include "frontends/onnx/exact/node.h"

namespace tally::onnx {

struct ExactArgument {
  Tensor tensor;
  int fraction_bits = 0;
  int data_type = 0;
  bool is_constant = false;               // else a parameter of the module
  std::optional<Interval> interval = {};  // the parameter's; by default that of the tensor
};

struct ExactRun {
  ExactValues facts;
  // The results of each engine, cut to their counts; nothing where that is 0.
  std::map<std::string, std::vector<std::optional<Tensor>>> results;
};

// An argument is nothing for an empty tensor. Errors: those of the import and of validation.
absl::StatusOr<ExactRun> RunExactly(const ::onnx::GraphProto& graph, int64_t opset,
                                    const std::vector<std::optional<ExactArgument>>& arguments);

}  // namespace tally::onnx
