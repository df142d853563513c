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
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace tally::openvino {

struct IrOutput {
  std::string value;          // its name
  std::string precision;      // as the port says, or empty
  std::vector<int64_t> dims;  // -1: open
};

// An entry of a map between the ports of a layer and the layers of its body.
struct IrPortMap {
  std::optional<size_t>
      port;             // the place of an input, or of an output; none where the layer has no such port
  int64_t layer = 0;    // the id of a Parameter, or of a Result
  std::string purpose;  // current_iteration or execution_condition, in a Loop
  // Parts of the port along an axis, one for each trip.
  std::optional<int64_t> axis = {};
  int64_t start = 0, end = -1, stride = 1, part_size = 1;
};

struct IrLayer;

// A graph within a layer. Names and ids are its own.
struct IrBody {
  std::vector<IrLayer> layers;  // those that a Result needs, and all Parameters, as in IrFile
  std::vector<IrPortMap> inputs, outputs;
  std::vector<std::pair<int64_t, int64_t>> back_edges;  // from a Result to a Parameter, of the next trip
};

struct IrLayer {
  int64_t id = 0;
  std::string name, type, version;
  std::map<std::string, std::string, std::less<>> data;  // attributes
  std::vector<std::string> inputs;                       // names of values; empty where nothing comes in
  std::vector<IrOutput> outputs;
  std::string layout;          // "[N,H,W,C]", where rt_info of a Parameter says it
  std::vector<IrBody> bodies;  // TensorIterator and Loop: one; If: then, else
};

// The mean of a channel of an input, and the divisor of the rest.
struct IrChannel {
  int64_t id = 0;
  float mean = 0, scale = 1;
  std::optional<std::pair<int64_t, int64_t>> image;  // instead of one mean: offset and size in the .bin
};

struct IrPreprocessing {
  std::string input;      // a Parameter; the first where it is empty
  std::string precision;  // elements of mean images
  std::vector<IrChannel> channels;
};

struct IrFile {
  int64_t version = 10;
  std::string name;
  std::optional<IrPreprocessing> preprocessing;
  std::vector<IrLayer> layers;  // those that a Result needs, and all Parameters
};

// Errors: model_malformed for what is not an IR, document types, ids, names, attributes or elements that are
// there twice, edges to or from what there is not or between ports of different shapes, two edges into one
// port, and cycles; model_unsupported_type for another version; model_too_large for bodies in bodies beyond
// 8.
absl::StatusOr<IrFile> ReadIrFile(std::span<const uint8_t> bytes);

// Whether two names are the same but for the case of letters, as names of types are.
bool IsSameType(std::string_view a, std::string_view b);

// A list of integers as attributes have it: "1,1". Errors: model_malformed.
absl::StatusOr<std::vector<int64_t>> ParseInts(std::string_view text);
absl::StatusOr<std::vector<float>> ParseFloats(std::string_view text);

}  // namespace tally::openvino
