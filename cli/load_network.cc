#include "cli/load_network.h"

#include "base/file.h"
#include "base/status_macros.h"
#include "frontends/onnx/import_onnx.h"
#include "quant/graph/fold_batch_norm.h"

namespace tally::cli {

absl::StatusOr<quant::Graph> LoadNetwork(const std::string& path, int64_t batch) {
  ASSIGN_OR_RETURN(const std::vector<uint8_t> file, ReadFile(path));
  ASSIGN_OR_RETURN(const quant::Graph graph, onnx::ImportOnnx(file, {.batch = batch}));
  return quant::FoldBatchNorm(graph);
}

}  // namespace tally::cli
