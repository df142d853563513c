// All channels of one position of a result that is sampled from x [N, C, H, W], in either layout: the
// position's pixels and weights are found once, and loops go over the channels.
//
//   SampledChannels<isa, layout> samples(call, channels, 1, sums);
//   samples.Begin(image, {r, 0, p, q});
//   samples.Add(h, v, 0, weight);          // for each tap
//   samples.Finish(divisor, fraction);
#pragma once

#include <algorithm>
#include <array>
#include <limits>

#include "ops/common/quotient_by.h"
#include "ops/cpu/map_chunks.h"
#include "ops/cpu/sampling_loops.h"
#include "ops/cpu/strided_copy.h"
#include "ops/indexing.h"

namespace tally {

// Scratch: sums and a sample of each channel of the result.
template <typename Attrs>
std::optional<Prepared<Attrs>> PrepareSampled(const KernelFacts& facts) {
  if (!ConstantsAgree(facts)) return std::nullopt;
  return Prepared<Attrs>{facts.attrs<Attrs>(), 2 * 8 * facts.results[0].shape[1]};
}

template <Isa isa, Layout layout>
class SampledChannels {
 public:
  // Consecutive channels of the result read channels of x that are `step` apart. `sums` is the scratch.
  SampledChannels(const KernelCall& call, int64_t channels, int64_t step, uint8_t* sums,
                  Gathering gathering = Gathering::kSum)
      : x_(call.operands[0]),
        y_(call.results[0]),
        x_strides_(StridesOf(x_.type->shape, layout)),
        y_strides_(StridesOf(y_.type->shape, layout)),
        gathering_(gathering),
        result_(reinterpret_cast<int64_t*>(sums)),
        sample_(gathering == Gathering::kGreatestSum ? result_ + channels : result_) {
    args_ = {.x = nullptr,
             .places = places_.data(),
             .weights = weights_.data(),
             .taps = 0,
             .channels = channels,
             .channel_stride = step * x_strides_[1]};
  }

  // Later calls are for the result at `at` and for the channels after it.
  void Begin(int64_t image, const Index& at) {
    at_ = at;
    args_.x = x_.bytes + image * x_strides_[0] * SizeBytes(x_.storage);
    std::fill_n(result_, args_.channels,
                gathering_ == Gathering::kSum ? 0 : std::numeric_limits<int64_t>::min());
    if (gathering_ == Gathering::kGreatestSum) std::fill_n(sample_, args_.channels, 0);
  }

  // Pixel (h, v) of channel `channel` and of those that follow it. One of weight 0 may be anywhere.
  void Add(int64_t h, int64_t v, int64_t channel, int64_t weight) {
    if (weight == 0 && gathering_ != Gathering::kGreatestTap) return;
    if (args_.taps == kMaxTaps) Flush();
    places_[args_.taps] = weight == 0 ? 0 : channel * x_strides_[1] + h * x_strides_[2] + v * x_strides_[3];
    weights_[args_.taps++] = weight;
  }

  // The taps since the last call, which may be none, are a sum of their own.
  void EndSample() {
    Flush();
    if (gathering_ != Gathering::kGreatestSum) return;
    loops_.greatest(sample_, args_.channels, result_);
    std::fill_n(sample_, args_.channels, 0);
  }

  // y = round(result * 2^fraction / divisor), half up.
  void Finish(int64_t divisor, int64_t fraction) {
    Flush();
    uint8_t* to = ResultAt(at_);
    loops_.divide[CodeOf(y_.storage)](result_, args_.channels, QuotientBy(divisor, fraction), to,
                                      y_strides_[1]);
  }

  // y = 0, of a position without taps.
  void FinishZero() {
    uint8_t* to = ResultAt(at_);
    for (int64_t c = 0; c < args_.channels; ++c) StoreElement(y_.storage, to, c * y_strides_[1], 0);
  }

 private:
  static constexpr int64_t kMaxTaps = 64;

  uint8_t* ResultAt(const Index& at) const {
    int64_t place = 0;
    for (int axis = 0; axis < 4; ++axis) place += at[axis] * y_strides_[axis];
    return y_.bytes + place * SizeBytes(y_.storage);
  }

  void Flush() {
    if (args_.taps == 0) return;
    const int code = CodeOf(x_.storage);
    gathering_ == Gathering::kGreatestTap ? loops_.greatest_tap[code](args_, result_)
                                          : loops_.sum[code](args_, sample_);
    args_.taps = 0;
  }

  const SamplingLoops& loops_ = GetSamplingLoops<isa>();
  const KernelOperand& x_;
  const KernelResult& y_;
  const std::array<int64_t, kMaxRank> x_strides_, y_strides_;
  const Gathering gathering_;
  int64_t *const result_, *const sample_;
  Index at_ = {};
  TapsArgs args_;
  std::array<int64_t, kMaxTaps> places_, weights_;
};

}  // namespace tally
