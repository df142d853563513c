// Positions of a result that is sampled from x [N, C, H, W], in either layout, for devices: a thread finds
// the taps of one position once, and gathers them from kChannelsOfThread channels. Neighbours in memory
// are of neighbouring threads.
//
//   struct Fn {  // Memory: the result, then the operands
//     static constexpr Gathering kGathering = Gathering::kSum;
//     template <typename Samples>
//     TALLY_DEVICE void operator()(const Memory& m, const Site& at, Samples& samples) const {
//       samples.Begin(image);
//       samples.Add(h, v, 0, weight);  // for each tap
//       samples.Finish(divisor, fraction);
//     }
//   };
//   TALLY_CUDA_KERNEL(Name, SampleChannels<Fn>)
#pragma once

#include "ops/common/bilinear.h"
#include "ops/common/sampling.h"
#include "ops/cuda/elements.h"
#include "ops/cuda/loops.h"

namespace tally::cuda {

inline constexpr int kChannelsOfThread = 8;

struct SampledShape {
  int64_t images, rows, columns;  // x's
  int64_t dims[3];                // y's, without its channels
  int64_t groups;                 // for channels; those of one group share their positions
  int64_t channels;               // a group's
  int64_t threads;                // for the channels of a group at one position
  int64_t channel_step;           // channels of x between neighbouring channels of y
  int64_t x_strides[4], y_strides[4];
  bool channels_last;
  Storage x, y;
  // The divisor of most positions, and how they divide.
  int64_t divisor;
  QuotientArgs quotient;

  TALLY_DEVICE int64_t positions() const { return dims[0] * dims[1] * dims[2]; }
};

// Which channels of which position a thread has.
struct Site {
  int64_t at[3];  // y's, without its channels
  int64_t group;
  int64_t first;  // channel of the group; every shape.threads-th follows

  TALLY_DEVICE Site(const SampledShape& s, int64_t i) {
    if (s.channels_last) {
      first = TakeDigit(i, s.threads);
      group = TakeDigit(i, s.groups);
    }
    at[2] = TakeDigit(i, s.dims[2]);
    at[1] = TakeDigit(i, s.dims[1]);
    at[0] = TakeDigit(i, s.dims[0]);
    if (!s.channels_last) {
      first = TakeDigit(i, s.threads);
      group = i;
    }
  }
};

// floor((sum * scale + half) / divisor): the floor of a negative number is the complement of that of its
// complement.
TALLY_DEVICE int64_t QuotientOf(const QuotientArgs& a, int64_t sum) {
  const int64_t dividend = sum * a.scale + a.half;
  if (a.by_shift) return dividend >> a.bits;
  __extension__ using Wide = unsigned __int128;
  const int64_t sign = dividend >> 63;
  const auto v = static_cast<uint64_t>(dividend ^ sign);
  const auto high = static_cast<uint64_t>(static_cast<Wide>(v) * a.magic >> 64);
  return static_cast<int64_t>((high + ((v - high) >> 1)) >> (a.bits - 1)) ^ sign;
}

// The channels of one thread, as ops/cpu/sampled_channels.h has it for the cpu engine.
template <Gathering kGathering>
class ThreadSamples {
 public:
  TALLY_DEVICE ThreadSamples(const Memory& m, const SampledShape& shape, const Site& site)
      : shape_(shape), x_bytes_(m.at[1]), y_bytes_(m.at[0]) {
    const int64_t channel = site.group * shape.channels + site.first;
    count_ = static_cast<int>((shape.channels - site.first + shape.threads - 1) / shape.threads);
    y_ = site.at[0] * shape.y_strides[0] + channel * shape.y_strides[1] + site.at[1] * shape.y_strides[2] +
         site.at[2] * shape.y_strides[3];
    y_step_ = shape.threads * shape.y_strides[1];
    first_ = site.first * shape.channel_step * shape.x_strides[1];
    x_step_ = shape.threads * shape.channel_step * shape.x_strides[1];
    TALLY_UNROLL
    for (int c = 0; c < kChannelsOfThread; ++c) {
      result_[c] = kGathering == Gathering::kSum ? 0 : INT64_MIN;
      sample_[c] = 0;
    }
  }

  TALLY_DEVICE void Begin(int64_t image) { x_ = image * shape_.x_strides[0] + first_; }

  // Pixel (h, v) of channel `channel`, of channel 0 of the group, and of those that follow it. One of weight
  // 0 may be anywhere.
  TALLY_DEVICE void Add(int64_t h, int64_t v, int64_t channel, int64_t weight) {
    if (weight == 0 && kGathering != Gathering::kGreatestTap) return;
    const int64_t place = channel * shape_.x_strides[1] + h * shape_.x_strides[2] + v * shape_.x_strides[3];
    int64_t pixels[kChannelsOfThread];
    Read(x_ + (weight == 0 ? 0 : place), pixels);
    TALLY_UNROLL
    for (int c = 0; c < kChannelsOfThread; ++c) {
      const int64_t term = WrapMul(weight, pixels[c]);
      if constexpr (kGathering == Gathering::kGreatestSum) {
        sample_[c] = WrapAdd(sample_[c], term);
      } else if constexpr (kGathering == Gathering::kGreatestTap) {
        result_[c] = term > result_[c] ? term : result_[c];
      } else {
        result_[c] = WrapAdd(result_[c], term);
      }
    }
  }

  // The taps since the last call, which may be none, are a sum of their own.
  TALLY_DEVICE void EndSample() {
    if constexpr (kGathering == Gathering::kGreatestSum) {
      TALLY_UNROLL
      for (int c = 0; c < kChannelsOfThread; ++c) {
        result_[c] = sample_[c] > result_[c] ? sample_[c] : result_[c];
        sample_[c] = 0;
      }
    }
  }

  // y = round(result * 2^fraction / divisor), half up.
  TALLY_DEVICE void Finish(int64_t divisor, int64_t fraction) {
    const bool usual = divisor == shape_.divisor;
    TALLY_UNROLL
    for (int c = 0; c < kChannelsOfThread; ++c) {
      if (c >= count_) continue;
      Store(shape_.y, y_bytes_, y_ + c * y_step_,
            usual ? QuotientOf(shape_.quotient, result_[c])
                  : RoundedQuotient<int64_t>(result_[c], divisor, fraction));
    }
  }

  // y = 0, of a position without taps.
  TALLY_DEVICE void FinishZero() {
    for (int c = 0; c < count_; ++c) Store(shape_.y, y_bytes_, y_ + c * y_step_, 0);
  }

 private:
  // The storage is asked for once for all channels, so that their loads fly together.
  TALLY_DEVICE void Read(int64_t at, int64_t (&pixels)[kChannelsOfThread]) const {
    switch (shape_.x) {
      case Storage::kI8: return ReadAs<int8_t>(at, pixels);
      case Storage::kI16: return ReadAs<int16_t>(at, pixels);
      case Storage::kI32: return ReadAs<int32_t>(at, pixels);
      case Storage::kI64: return ReadAs<int64_t>(at, pixels);
    }
  }
  template <typename T>
  TALLY_DEVICE void ReadAs(int64_t at, int64_t (&pixels)[kChannelsOfThread]) const {
    const T* const x = reinterpret_cast<const T*>(x_bytes_) + at;
    TALLY_UNROLL
    for (int c = 0; c < kChannelsOfThread; ++c) pixels[c] = c < count_ ? x[c * x_step_] : 0;
  }

  const SampledShape& shape_;
  const uint8_t* const x_bytes_;
  uint8_t* const y_bytes_;
  int count_;  // channels of this thread
  int64_t first_, x_step_, y_, y_step_;
  int64_t x_ = 0;
  int64_t result_[kChannelsOfThread], sample_[kChannelsOfThread];
};

template <typename Fn>
struct SampleParams {
  SampledShape shape;
  Fn fn;
};

// Memory: the result, x, the other operands.
template <typename Fn>
TALLY_DEVICE void SampleChannels(const Thread& t, const Memory& m, const SampleParams<Fn>& p) {
  const int64_t i = t.global_index();
  if (i >= p.shape.positions() * p.shape.groups * p.shape.threads) return;
  const Site site(p.shape, i);
  ThreadSamples<Fn::kGathering> samples(m, p.shape, site);
  p.fn(m, site, samples);
}

}  // namespace tally::cuda
