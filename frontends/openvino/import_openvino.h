// OpenVINO models: IR of version 10 or 11, an .xml with the layers and a .bin with their constants.
//
//   ASSIGN_OR_RETURN(const quant::Graph graph, ImportOpenVino({.xml = xml, .weights = bin}, given));
#pragma once

#include <cstdint>
#include <span>

#include "absl/status/statusor.h"
#include "frontends/graph/interface.h"
#include "frontends/graph/report.h"
#include "quant/graph/graph.h"

namespace tally::openvino {

struct IrFiles {
  std::span<const uint8_t> xml, weights;
  // Called with the bytes of a constant when its elements are read: a file that is mapped need not stay.
  void (*forget)(std::span<const uint8_t> bytes) = nullptr;
};

// By its first element.
bool IsIr(std::span<const uint8_t> bytes);

// Inputs are called as Parameter layers are, outputs as the layers that Results read. Flags are integers of 0
// and 1. Errors: model_malformed, model_open_dimension, model_shape, model_unsupported_*, model_too_large,
// those of the graph.
absl::StatusOr<quant::Graph> ImportOpenVino(const IrFiles& files, const frontend::GivenInputs& given);

// The operations of the file that are imported. Errors: those of ReadIrFile (ir_file.h).
absl::StatusOr<frontend::ModelReport> CheckOpenVino(const IrFiles& files, const frontend::GivenInputs& given);

}  // namespace tally::openvino
