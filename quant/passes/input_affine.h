// The arithmetic of fold_inputs: what an input stands for, as exact rationals.
#pragma once

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "quant/passes/fold_inputs.h"
#include "quant/tensor/tensor.h"

namespace tally::quant {

using ExactRational = boost::multiprecision::cpp_rational;

// The nearest float, ties to even; an infinity beyond the largest.
float Nearest(const ExactRational& x);

// Channel c of an input v stands for the real factor[c] (v - offset[c]); one entry stands for all channels.
struct InputAffine {
  std::vector<ExactRational> factor, offset;

  const ExactRational& Factor(int64_t c) const { return factor[factor.size() == 1 ? 0 : c]; }
  const ExactRational& Offset(int64_t c) const { return offset[offset.size() == 1 ? 0 : c]; }
  bool HasOffset() const {
    return std::ranges::any_of(offset, [](const ExactRational& x) { return x != 0; });
  }
};

// The outcome for one input.
struct Folding {
  FoldedInput told;
  InputAffine affine;
  float constant_channel = 0;  // read, beside the others, by a convolution that pads
};

// With the integer nearest to what stands for 0 as the zero point. Into is kGrid or kLayers. Error
// lower_input.
absl::StatusOr<Folding> FoldingOf(const InputMeaning& meaning, const Shape& shape);

// Error lower_input.
absl::Status RefuseMeaning(const InputMeaning& meaning, std::string_view why);

}  // namespace tally::quant
