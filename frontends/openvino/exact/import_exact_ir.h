// OpenVINO models over integers, and over floats that are fixed point, as modules: without calibration, and
// without a rounding that the file does not have. Their layers become the operators of ONNX that compute the
// same, so that one importer proves all of it (frontends/onnx/exact).
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "frontends/graph/interface.h"
#include "frontends/openvino/import_openvino.h"
#include "vm/module.h"

namespace tally::openvino {

// Errors: those of ReadIrFile, model_unsupported_operator for what is not among integers, those of
// onnx::ImportExactModel. Messages name nodes as the file names its layers.
absl::StatusOr<Module> ImportExactIr(const IrFiles& files, const frontend::GivenInputs& given,
                                     const std::vector<frontend::InputRange>& ranges);

}  // namespace tally::openvino
