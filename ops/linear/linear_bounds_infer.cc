#include <algorithm>
#include <cstring>
#include <type_traits>

#include "base/status_macros.h"
#include "base/wide.h"
#include "ops/linear/linear_bounds.h"

namespace tally {
namespace {

constexpr Interval kZero = {0, 0};

// The sums of the positive and of the negative weights of a channel.
struct SignedSum {
  Int128 positive;
  Int128 negative;
};

// Channels summed at once: enough to read long stretches of rows where channels are neighbours in memory, and
// few enough for the stack.
constexpr int64_t kBlock = 1024;
// 2^31 elements of at most 32 bits sum to less than 2^63, so narrow weights are summed in int64_t.
constexpr int64_t kRun = int64_t{1} << 31;

template <typename T>
using RunSum = std::conditional_t<sizeof(T) == 8, Int128, int64_t>;

template <typename T>
T Load(const uint8_t* data, int64_t index) {
  T value;
  std::memcpy(&value, data + index * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return value;
}

// Adds to sums[i], for i < count, the terms [begin, end) of the channel behind `first` by i channels.
template <typename T>
void SumRun(const uint8_t* data, int64_t first, const LinearSums& s, int64_t begin, int64_t end,
            int64_t count, SignedSum* sums) {
  RunSum<T> positive[kBlock], all[kBlock];
  std::fill_n(positive, count, RunSum<T>{0});
  std::fill_n(all, count, RunSum<T>{0});
  if (s.term_stride == 1) {
    for (int64_t i = 0; i < count; ++i) {
      const int64_t channel = first + i * s.channel_stride;
      RunSum<T> p = 0, a = 0;
      for (int64_t k = begin; k < end; ++k) {
        const RunSum<T> w = Load<T>(data, channel + k);
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
        const RunSum<T> w = Load<T>(data, row + i);
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
void SumChannels(const uint8_t* data, int64_t first, const LinearSums& s, Visit visit) {
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
void SumChannels(const TensorView& w, int64_t first, const LinearSums& s, Visit visit) {
  const uint8_t* data = w.bytes.data();
  switch (w.storage) {
    case Storage::kI8: return SumChannels<int8_t>(data, first, s, visit);
    case Storage::kI16: return SumChannels<int16_t>(data, first, s, visit);
    case Storage::kI32: return SumChannels<int32_t>(data, first, s, visit);
    case Storage::kI64: return SumChannels<int64_t>(data, first, s, visit);
  }
}

struct LinearBounds {
  WideInterval result;
  WideInterval accumulator;  // of every partial sum in any order, the bias being one of its terms
};

// Grows to the hull of the channels that it is shown.
class Hull {
 public:
  // `products` bounds the complete sum of products and `partial` each part of it; both exclude the bias.
  void Add(const WideInterval& products, const WideInterval& partial, const WideInterval& bias) {
    const WideInterval result = products + bias;
    const WideInterval accumulator = partial + bias.Hull(kZero);
    bounds_ = empty_ ? LinearBounds{result, accumulator}
                     : LinearBounds{bounds_.result.Hull(result), bounds_.accumulator.Hull(accumulator)};
    empty_ = false;
  }
  const LinearBounds& bounds() const { return bounds_; }

 private:
  LinearBounds bounds_;
  bool empty_ = true;
};

WideInterval Times(const SignedSum& w, const Interval& x) {
  return {SatAdd(SatMul(w.positive, x.lo), SatMul(w.negative, x.hi)),
          SatAdd(SatMul(w.positive, x.hi), SatMul(w.negative, x.lo))};
}

LinearBounds BoundLinear(const InferContext& c, const LinearSums& s) {
  const TensorView* bias_values = s.bias < 0 ? nullptr : c.constant(s.bias);
  const Interval bias_interval = s.bias < 0 ? kZero : c.interval(s.bias);
  const auto bias = [&](int64_t channel) -> WideInterval {
    if (bias_values == nullptr) return bias_interval;
    return {bias_values->at(channel), bias_values->at(channel)};
  };
  Hull hull;
  if (const TensorView* w = c.constant(1)) {
    for (int64_t matrix = 0; matrix < s.matrices; ++matrix) {
      SumChannels(*w, matrix * s.channels * s.terms, s, [&](int64_t channel, const SignedSum& sum) {
        // A part of the sum omits the terms it likes, which is a sum whose x may be 0 where it likes.
        hull.Add(Times(sum, s.x), Times(sum, s.x.Hull(kZero)), bias(channel));
      });
    }
  } else {
    const WideInterval product = WideInterval(s.x) * c.interval(1);
    const WideInterval count = {s.terms, s.terms};
    hull.Add(product * count, product.Hull(kZero) * count, bias_interval);
  }
  return hull.bounds();
}

}  // namespace

absl::Status AddLinearResult(const InferContext& c, const Shape& shape, const LinearSums& sums,
                             Inferred* out) {
  const LinearBounds bounds = BoundLinear(c, sums);
  RETURN_IF_ERROR(out->SetAccumulator(c, bounds.accumulator));
  return out->AddResult(c, shape, bounds.result);
}

}  // namespace tally
