// ONNX files over integers, and over floats that are fixed point, as modules: without calibration, and
// without a rounding that the file does not have.
//
//   ASSIGN_OR_RETURN(const Module module, ImportExactModel(file_bytes, {.shapes = {.batch = 8}}));
//
// An input of integers is a parameter of all values of its type, or of those of its InputRange; one of floats
// needs an InputRange, which says its scale. A result of floats has its scale in the metadata. A result whose
// size depends on the data is followed by one named NAME.count (graph.h).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/interval.h"
#include "frontends/onnx/model/open_model.h"
#include "vm/module.h"

namespace tally::onnx {

using frontend::InputRange;

struct ExactImportOptions {
  frontend::GivenInputs shapes;
  std::string folder;                              // as in ImportOptions
  std::vector<std::string>* files_read = nullptr;  // as there
  std::vector<InputRange> ranges;
};

// Errors: those of OpenModel, ShapeOfInput and ImportExactly; model_inexact for an input of floats without a
// range; model_unsupported_type for one that is no tensor; model_malformed for a range of no input, beyond
// its type, or with fraction bits where the input has integers. The module has yet to be validated.
absl::StatusOr<Module> ImportExactModel(std::span<const uint8_t> bytes,
                                        const ExactImportOptions& options = {});

}  // namespace tally::onnx
