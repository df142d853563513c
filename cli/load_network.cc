#include "cli/load_network.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "base/error.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/labels.h"
#include "cli/load.h"
#include "frontends/onnx/import_onnx.h"
#include "quant/passes/passes.h"

namespace tally::cli {

absl::StatusOr<onnx::InputShapes> InputShapesOf(const NetworkFile& network) {
  onnx::InputShapes shapes = {.batch = network.batch};
  for (const std::string& option : network.shapes) {
    ASSIGN_OR_RETURN(const auto name_and_dims, SplitOption(option));
    std::vector<int64_t> dims;
    for (const absl::string_view dim : absl::StrSplit(name_and_dims.second, ',', absl::SkipEmpty())) {
      if (!absl::SimpleAtoi(dim, &dims.emplace_back()) || dims.back() < 1) {
        return MakeError(label::option_syntax, absl::StrCat("'", option, "' is not NAME=1,3,224,224"));
      }
    }
    shapes.shapes[name_and_dims.first] = std::move(dims);
  }
  return shapes;
}

absl::StatusOr<quant::Graph> LoadNetwork(const NetworkFile& network) {
  ASSIGN_OR_RETURN(const onnx::InputShapes shapes, InputShapesOf(network));
  ASSIGN_OR_RETURN(const std::vector<uint8_t> file, ReadFile(network.path));
  ASSIGN_OR_RETURN(quant::Graph graph, onnx::ImportOnnx(file, {.shapes = shapes}));
  return quant::RunPasses(std::move(graph), network.without_passes);
}

}  // namespace tally::cli
