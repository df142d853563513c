// The layers of an IR file (.xml), versions 10 and 11, in an order in which each comes after those that it
// reads.
//
//   ASSIGN_OR_RETURN(const IrFile file, ReadIrFile(bytes));
//   file.layers[0].data.at("strides");
//
// Values have names: that of the layer, or NAME.0, NAME.1, .. of one with several outputs.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace tally::openvino {

struct IrOutput {
  std::string value;          // its name
  std::string precision;      // as the port says, or empty
  std::vector<int64_t> dims;  // -1: open
};

struct IrLayer {
  int64_t id = 0;
  std::string name, type, version;
  std::map<std::string, std::string, std::less<>> data;  // attributes
  std::vector<std::string> inputs;                       // names of values; empty where nothing comes in
  std::vector<IrOutput> outputs;
  bool has_body = false;  // TensorIterator, Loop, If
};

struct IrFile {
  int64_t version = 10;
  std::string name;
  std::vector<IrLayer> layers;  // those that a Result needs, and all Parameters
};

// Entities and document types are not read. Errors: model_malformed for what is no IR, ids or names that
// occur twice, edges to or from what there is not, two edges into one port, and cycles;
// model_unsupported_type for another version.
absl::StatusOr<IrFile> ReadIrFile(std::span<const uint8_t> bytes);

// A list of integers as attributes have it: "1,1". Errors: model_malformed.
absl::StatusOr<std::vector<int64_t>> ParseInts(std::string_view text);
absl::StatusOr<std::vector<float>> ParseFloats(std::string_view text);

}  // namespace tally::openvino
