// The .param of an ncnn model, as text or binary: its layers, and the numbers that they have.
//
//   ASSIGN_OR_RETURN(const ParamFile file, ReadParamFile(bytes));
//   file.layers[0].type;                     // "Convolution"
//   file.layers[0].params.Int(0, 0);         // num_output
#pragma once

#include <bitset>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tally::ncnn {

// The numbers of one layer, by their ids. Whoever reads one says what it is: files hold 32 bits, and a text
// file's integer for a float, or a float for an integer, is those bits, as ncnn reads them.
class Params {
 public:
  static constexpr int kMost = 32;

  struct Number {
    uint32_t bits = 0;
  };
  struct Value {
    std::vector<Number> numbers;
    std::string text = {};  // instead of numbers
    bool is_array = false;
    bool is_text = false;
  };

  // Errors, for all: model_malformed where an array, a number or a string is another of these.
  absl::StatusOr<int64_t> Int(int id, int64_t fallback);
  absl::StatusOr<float> Float(int id, float fallback);
  absl::StatusOr<std::vector<int64_t>> Ints(int id);
  absl::StatusOr<std::vector<float>> Floats(int id);
  // Empty where there is none.
  absl::StatusOr<std::string> Text(int id);
  bool Has(int id) const { return values_.contains(id); }
  // Errors: model_unsupported_attribute, where there is a number that nothing has read and that is not all
  // zeros.
  absl::Status CheckAllRead() const;

  // Errors: model_malformed for an id that there is none of, or twice.
  absl::Status Add(int id, Value value);

 private:
  std::map<int, Value> values_;
  std::bitset<kMost> read_;
};

struct ParamLayer {
  std::string type, name;  // a binary file has no names: "layer 12"
  std::vector<std::string> inputs, outputs;
  Params params;
};

struct ParamFile {
  int64_t num_blobs = 0;  // as the file says
  std::vector<ParamLayer> layers = {};
};

bool IsTextParam(std::span<const uint8_t> file);
bool IsBinaryParam(std::span<const uint8_t> file);

// Errors: model_malformed, where counts disagree with what follows, two layers give one blob, or a number
// cannot be read; model_unsupported_operator, for a layer of a binary file whose number is none of ncnn's.
absl::StatusOr<ParamFile> ReadParamFile(std::span<const uint8_t> file);

}  // namespace tally::ncnn
