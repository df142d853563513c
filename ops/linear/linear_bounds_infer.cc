#include <algorithm>
#include <cstring>
#include <type_traits>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "base/wide.h"
#include "ops/linear/linear_bounds.h"

namespace tally {
namespace {

constexpr WideInterval kZero = {0, 0};

// Channels summed at once: enough to read long stretches of rows where channels are neighbours in memory, and
// few enough for the stack.
constexpr int64_t kBlock = 1024;
// 2^30 elements of at most 32 bits, less a zero of 32, sum to less than 2^63: narrow weights are summed in
// int64_t.
constexpr int64_t kRun = int64_t{1} << 30;

template <typename T>
using RunSum = std::conditional_t<sizeof(T) == 8, Int128, int64_t>;

template <typename T>
T Load(const uint8_t* data, int64_t index) {
  T value;
  std::memcpy(&value, data + index * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return LittleEndian(value);
}

// Adds to sums[i], for i < count, the terms [begin, end) of the channel after `first` by i channels.
template <typename T>
void SumRun(const uint8_t* data, int64_t first, const LinearTerms& s, int64_t begin, int64_t end,
            int64_t count, SignedSum* sums) {
  RunSum<T> positive[kBlock], all[kBlock];
  std::fill_n(positive, count, RunSum<T>{0});
  std::fill_n(all, count, RunSum<T>{0});
  if (s.term_stride == 1) {
    for (int64_t i = 0; i < count; ++i) {
      const int64_t channel = first + i * s.channel_stride;
      RunSum<T> p = 0, a = 0;
      for (int64_t k = begin; k < end; ++k) {
        const RunSum<T> w = RunSum<T>{Load<T>(data, channel + k)} - s.zero;
        p += std::max<RunSum<T>>(w, 0);
        a += w;
      }
      positive[i] = p;
      all[i] = a;
    }
  } else {
    for (int64_t k = begin; k < end; ++k) {
      const int64_t row = first + k * s.term_stride;
      for (int64_t i = 0; i < count; ++i) {
        const RunSum<T> w = RunSum<T>{Load<T>(data, row + i)} - s.zero;
        positive[i] += std::max<RunSum<T>>(w, 0);
        all[i] += w;
      }
    }
  }
  for (int64_t i = 0; i < count; ++i) {
    sums[i].positive += positive[i];
    sums[i].negative += all[i] - positive[i];
  }
}

// Calls visit(channel, sums) for each channel of the matrix that starts at element `first`.
template <typename T, typename Visit>
void SumChannels(const uint8_t* data, int64_t first, const LinearTerms& s, Visit visit) {
  for (int64_t channel = 0; channel < s.channels; channel += kBlock) {
    const int64_t count = std::min(kBlock, s.channels - channel);
    SignedSum sums[kBlock];
    std::fill_n(sums, count, SignedSum{0, 0});
    for (int64_t begin = 0; begin < s.terms; begin += kRun) {
      SumRun<T>(data, first + channel * s.channel_stride, s, begin, std::min(s.terms, begin + kRun), count,
                sums);
    }
    for (int64_t i = 0; i < count; ++i) visit(channel + i, sums[i]);
  }
}

template <typename Visit>
void SumChannels(const TensorView& w, int64_t first, const LinearTerms& s, Visit visit) {
  const uint8_t* data = w.bytes.data();
  switch (w.storage) {
    case Storage::kI8: return SumChannels<int8_t>(data, first, s, visit);
    case Storage::kI16: return SumChannels<int16_t>(data, first, s, visit);
    case Storage::kI32: return SumChannels<int32_t>(data, first, s, visit);
    case Storage::kI64: return SumChannels<int64_t>(data, first, s, visit);
  }
}

}  // namespace

WideInterval SignedSum::Times(const WideInterval& x) const {
  return {SatAdd(SatMul(positive, x.lo), SatMul(negative, x.hi)),
          SatAdd(SatMul(positive, x.hi), SatMul(negative, x.lo))};
}

ChannelHull::ChannelHull(const InferContext& c, int bias) {
  if (bias < 0) return;
  bias_values_ = c.constant(bias);
  bias_interval_ = c.interval(bias);
}

void ChannelHull::Include(const WideInterval& products, const WideInterval& partial,
                          const WideInterval& bias) {
  const WideInterval result = products + bias;
  const WideInterval accumulator = partial + bias.Hull(kZero);
  result_ = empty_ ? result : result_.Hull(result);
  accumulator_ = empty_ ? accumulator : accumulator_.Hull(accumulator);
  empty_ = false;
}

void ChannelHull::Add(int64_t channel, const WideInterval& products, const WideInterval& partial) {
  if (bias_values_ == nullptr) return AddAll(products, partial);
  const int64_t bias = bias_values_->at(channel);
  Include(products, partial, {bias, bias});
}

void ChannelHull::AddAll(const WideInterval& products, const WideInterval& partial) {
  Include(products, partial, bias_interval_);
}

absl::Status ChannelHull::Finish(const InferContext& c, const Shape& shape, Inferred* out) const {
  RETURN_IF_ERROR(out->SetAccumulator(c, accumulator_));
  return out->AddResult(c, shape, result_);
}

absl::Status AddLinearResult(const InferContext& c, const Shape& shape, const LinearTerms& sums,
                             Inferred* out) {
  ChannelHull hull(c, sums.bias);
  if (const TensorView* weights = c.constant(sums.weights)) {
    for (int64_t matrix = 0; matrix < sums.matrices; ++matrix) {
      SumChannels(*weights, matrix * sums.channels * sums.terms, sums,
                  [&](int64_t channel, const SignedSum& sum) {
                    // A part of the sum omits the terms it likes, which is a sum whose x may be 0 where it
                    // likes.
                    hull.Add(channel, sum.Times(sums.x), sum.Times(sums.x.Hull(kZero)));
                  });
    }
  } else {
    const WideInterval w = WideInterval(c.interval(sums.weights)) - WideInterval(sums.zero, sums.zero);
    const WideInterval product = sums.x * w;
    const WideInterval count = {sums.terms, sums.terms};
    hull.AddAll(product * count, product.Hull(kZero) * count);
  }
  return hull.Finish(c, shape, out);
}

absl::Status CheckZero(const InferContext& c, int i, int64_t zero, Label label) {
  const WideInterval v = WideInterval(c.interval(i)) - WideInterval(zero, zero);
  if (v.Within(RangeOf(Storage::kI64).lo, RangeOf(Storage::kI64).hi)) return absl::OkStatus();
  return MakeError(label, absl::StrCat("operand ", i, " in ", c.interval(i).ToString(), " less ", zero,
                                       " does not fit 64 bits"));
}

}  // namespace tally
