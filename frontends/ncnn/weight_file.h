// The .bin of an ncnn model: weights one after the other, in the order of the layers. Only who reads them
// knows how many there are.
//
//   WeightFile weights(bytes);
//   ASSIGN_OR_RETURN(const Weights w, weights.Tagged(64 * 3 * 9));
//   ASSIGN_OR_RETURN(const std::vector<float> bias, weights.Raw(64));
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tally::ncnn {

// Floats, or codes of 8 bits whose scales follow elsewhere.
struct Weights {
  std::vector<float> floats;
  std::vector<int64_t> codes;  // instead of floats
};

class WeightFile {
 public:
  // `bytes` outlive this.
  explicit WeightFile(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  // Floats of 32 bits. Errors: model_malformed beyond the end, or where one is infinite or none.
  absl::StatusOr<std::vector<float>> Raw(int64_t count);
  // The same after a tag that says how they are written: in 32 or 16 bits, as codes, or by places in a table,
  // which has 256 floats.
  absl::StatusOr<Weights> Tagged(int64_t count);

  // After a layer of which it is not known how many weights it has: all further ones are zeros, so that a
  // report can go on.
  void Lose() { is_lost_ = true; }
  // The result of reading: lists, and their elements.
  int64_t num_lists() const { return num_lists_; }
  int64_t num_elements() const { return num_elements_; }
  // Errors: model_malformed, where there are more weights than the layers have.
  absl::Status CheckAllRead() const;

 private:
  absl::StatusOr<std::span<const uint8_t>> Take(int64_t count, int64_t size);
  absl::StatusOr<std::vector<float>> TakeFloats(int64_t count);
  absl::StatusOr<Weights> TakeTagged(int64_t count);
  void Count(int64_t elements) {
    if (is_lost_) return;
    ++num_lists_;
    num_elements_ += elements;
  }

  std::span<const uint8_t> bytes_;
  bool is_lost_ = false;
  int64_t num_lists_ = 0, num_elements_ = 0;
};

}  // namespace tally::ncnn
