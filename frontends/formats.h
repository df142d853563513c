// The formats of float networks that are imported, by the contents of their files.
//
//   ASSIGN_OR_RETURN(const Format* format, FormatOf(bytes));
//   ASSIGN_OR_RETURN(const Network network, format->import(bytes, {.inputs = {.batch = 8}}));
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/graph/interface.h"
#include "frontends/graph/network.h"
#include "frontends/graph/report.h"
#include "vm/module.h"

namespace tally::frontend {

struct ImportOptions {
  GivenInputs inputs;
  std::string folder = {};   // with the files that hold tensors of the model
  std::string path = {};     // the model itself
  std::string weights = {};  // the file of weights; empty: the one that the format has beside the model
  std::string dialect = {};  // "nhwc": what operators of an ONNX file mean; of other formats none
  std::vector<std::string>* files_read = nullptr;  // gets the paths of files beside the model that were read
};

// One row for each format.
struct Format {
  std::string_view name;
  std::string_view files;  // how their names end
  bool (*recognizes)(std::span<const uint8_t> file);
  // The float graph. Errors: those of the format's header.
  absl::StatusOr<Network> (*import)(std::span<const uint8_t> file, const ImportOptions& options);
  // The part of the file that is imported, and what is not. Errors: those of the file as a whole.
  absl::StatusOr<ModelReport> (*check)(std::span<const uint8_t> file, const ImportOptions& options);
  // The module of a model of integers, or of floats in fixed point, without calibration.
  absl::StatusOr<Module> (*import_exactly)(std::span<const uint8_t> file, const ImportOptions& options,
                                           const std::vector<InputRange>& ranges);
};

std::span<const Format> AllFormats();

// The file that a path names: itself, or the model in a folder that is a package (.mlpackage). Errors:
// model_malformed, and those of files.
absl::StatusOr<std::string> ModelFileAt(const std::string& path);

// Errors: model_format.
absl::StatusOr<const Format*> FormatOf(std::span<const uint8_t> file);

}  // namespace tally::frontend
