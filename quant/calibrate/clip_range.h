// How much of what calibration saw a grid of few bits should reach: what is beyond is clipped to its ends,
// and what is within is rounded less coarsely.
//
//   const Range range = ClipRange(ClipMethod::kMse, seen, histogram, kActivationBits);
//
// Decided in integers alone, so that a calibration file means the same grids on every machine.
#pragma once

#include <string_view>

#include "quant/calibrate/calibration.h"
#include "quant/calibrate/histogram.h"

namespace tally::quant {

enum class ClipMethod {
  kMse,  // the least sum of squared errors: of clipping at the middles of bins, and of rounding as a twelfth of a squared step
  kPercentile,  // all but 1 of 20,000 elements at each end
  kKl,          // the least relative entropy of what was seen to what the codes can distinguish
  kAbsMax,      // all of it
};

struct ClipMethodName {
  ClipMethod method;
  std::string_view name;  // as the command line has it
};
inline constexpr ClipMethodName kClipMethods[] = {{ClipMethod::kMse, "mse"},
                                                  {ClipMethod::kPercentile, "percentile"},
                                                  {ClipMethod::kKl, "kl"},
                                                  {ClipMethod::kAbsMax, "absmax"}};

// A part of `seen`; it ends where bins end, or where `seen` does. A range that was narrowed by hand stays as
// narrow. `bits` of the codes, at most 16.
Range ClipRange(ClipMethod method, const Range& seen, const ValueHistogram& histogram, int bits);

}  // namespace tally::quant
