// A float network from a file of another framework, as the quantizer takes it.
#pragma once

#include "absl/status/statusor.h"
#include "cli/commands.h"
#include "frontends/onnx/open_model.h"
#include "quant/graph/graph.h"

namespace tally::cli {

// Errors: option_syntax.
absl::StatusOr<onnx::InputShapes> InputShapesOf(const NetworkFile& network);

// An ONNX file behind the passes of quant/passes. Errors: those of files, option_syntax, onnx_*, and of the passes.
absl::StatusOr<quant::Graph> LoadNetwork(const NetworkFile& network);

}  // namespace tally::cli
