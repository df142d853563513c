#include "frontends/onnx/exact/testing/node_case.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/onnx/model/labels.h"

namespace tally::onnx {
namespace {

constexpr char kCases[] = "../onnx/share/libonnx-testdata/data/node/";

std::string ReadFile(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

// input_0.pb, input_1.pb, ...
absl::StatusOr<std::vector<::onnx::TensorProto>> ReadTensors(const std::string& prefix) {
  std::vector<::onnx::TensorProto> tensors;
  while (std::filesystem::exists(prefix + std::to_string(tensors.size()) + ".pb")) {
    const std::string bytes = ReadFile(prefix + std::to_string(tensors.size()) + ".pb");
    if (!tensors.emplace_back().ParseFromString(bytes)) {
      return MakeError(label::model_unsupported_type, "a sequence or an optional value");
    }
  }
  return tensors;
}

}  // namespace

std::vector<std::string> NodeCaseNames() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kCases)) {
    names.push_back(entry.path().filename());
  }
  return names;
}

absl::StatusOr<NodeCase> ReadNodeCase(const std::string& name) {
  const std::string folder = kCases + name;
  NodeCase node_case;
  if (!node_case.model.ParseFromString(ReadFile(folder + "/model.onnx"))) {
    return MakeError(label::model_malformed, name);
  }
  ASSIGN_OR_RETURN(node_case.inputs, ReadTensors(folder + "/test_data_set_0/input_"));
  ASSIGN_OR_RETURN(node_case.outputs, ReadTensors(folder + "/test_data_set_0/output_"));
  for (const auto& import : node_case.model.opset_import()) {
    if (import.domain().empty()) node_case.opset = import.version();
  }
  return node_case;
}

}  // namespace tally::onnx
