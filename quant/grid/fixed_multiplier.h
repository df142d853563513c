// A real gain as the multiplier and shift of a rescale: gain ~ multiplier * 2^-shift.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "quant/grid/quantized_type.h"

namespace tally::quant {

constexpr int kMultiplierBits = 31;
// Engines requantize by products of 16 bits, for which multipliers of 15 and a sign do.
constexpr int kShortMultiplierBits = 15;

struct FixedMultiplier {
  int64_t multiplier = 0;  // in [0, 2^31)
  int64_t shift = 0;       // in [0, 62]

  friend bool operator==(const FixedMultiplier&, const FixedMultiplier&) = default;
};

// The closest pair whose product with any value of at most `magnitude` meets the obligation of `rescale`
// (docs/spec: magnitude * multiplier + 2^(shift-1) + 2^30 < 2^63), of multipliers of at most `most_bits`. The
// relative error is at most 2^-most_bits for gains of at least 2^-31 and magnitudes below 2^31; gains too
// small for any shift become 0. Errors: lower_gain, when gain is not in [0, 2^most_bits) or the magnitude
// leaves no bits.
absl::StatusOr<FixedMultiplier> ToFixedMultiplier(double gain, uint64_t magnitude,
                                                  int most_bits = kMultiplierBits);

// The bits of multipliers onto `to`: few where the grid is ours and has 8 bits, so that 2^-15 of a result is
// less than a hundredth of its step. On grids of a file results are those of the file's runtime.
int MultiplierBitsOnto(const QuantizedType& to);

// Whether the product with some integer of at most `magnitude` is in the middle between two results.
bool CanTie(const FixedMultiplier& gain, uint64_t magnitude);

// The gain from sums of products of codes, of grids with scales a and b, to a grid with scale `to`, as
// runtimes of quantized networks find it: in float32, so that the multiplier has it exactly.
double GainInFloat(double a, double b, double to);

}  // namespace tally::quant
