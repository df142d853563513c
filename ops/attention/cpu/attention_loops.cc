#include "ops/attention/cpu/attention_loops.h"

#include "ops/cpu/element.h"
#include "ops/cpu/rounding.h"

namespace tally::TALLY_ISA {
namespace {

template <int S>
void NarrowScores(const int16_t* query, const void* keys, int64_t n, int64_t count, int64_t* scores) {
  const auto* key = At<S>(keys);
  for (int64_t s = 0; s < count; ++s, key += n) {
    int32_t sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += query[i] * key[i];
    scores[s] = sum;
  }
}

template <int S>
void Scores(const int64_t* query, const void* keys, int64_t n, int64_t count, int64_t* scores) {
  const auto* key = At<S>(keys);
  for (int64_t s = 0; s < count; ++s, key += n) {
    int64_t sum = 0;
    for (int64_t i = 0; i < n; ++i) sum = WrapAdd(sum, WrapMul(query[i], key[i]));
    scores[s] = sum;
  }
}

// Four values at a time, so that sums are read and written less often.
template <int S, int T>
void Means(const int32_t* weights, const void* values, int64_t count, int64_t columns, void* sums_bytes) {
  using Unsigned = UnsignedElement<T>;
  const auto* v = At<S>(values);
  auto* sums = At<T>(sums_bytes);
  for (int64_t c = 0; c < columns; ++c) sums[c] = 0;
  const auto term = [&](int64_t s, int64_t c) {
    return static_cast<Unsigned>(weights[s]) *
           static_cast<Unsigned>(static_cast<Element<T>>(v[s * columns + c]));
  };
  int64_t s = 0;
  for (; s + 4 <= count; s += 4) {
    TALLY_SIMD
    for (int64_t c = 0; c < columns; ++c) {
      sums[c] = static_cast<Element<T>>(static_cast<Unsigned>(sums[c]) + term(s, c) + term(s + 1, c) +
                                        term(s + 2, c) + term(s + 3, c));
    }
  }
  for (; s < count; ++s) {
    TALLY_SIMD
    for (int64_t c = 0; c < columns; ++c) {
      sums[c] = static_cast<Element<T>>(static_cast<Unsigned>(sums[c]) + term(s, c));
    }
  }
}

void Split(const int32_t* weights, int64_t n, uint8_t* low, uint8_t* high) {
  TALLY_SIMD
  for (int64_t i = 0; i < n; ++i) {
    low[i] = static_cast<uint8_t>(weights[i]);  // a signed byte: the high one counts for what it lacks
    high[i] = static_cast<uint8_t>((weights[i] + 128) >> 8);
  }
}

void Join(int32_t* low, const int32_t* high, int64_t n) {
  TALLY_SIMD
  for (int64_t i = 0; i < n; ++i) {
    low[i] = static_cast<int32_t>(static_cast<uint32_t>(low[i]) + (static_cast<uint32_t>(high[i]) << 8));
  }
}

void Round(const int64_t* x, int64_t n, const RoundArgs& args, int64_t* y) {
  const RoundArgs a = args;
  const auto run = [&](int64_t step) {
    TALLY_SIMD
    for (int64_t i = 0; i < n; ++i) {
      const int64_t v = ((x[i] * a.multiplier + a.half) >> a.shift) + a.addends[i * step];
      const int64_t raised = v < a.lo ? a.lo : v;
      y[i] = raised > a.hi ? a.hi : raised;
    }
  };
  a.addend_step == 0 ? run(0) : run(1);
}

}  // namespace

const AttentionLoops kAttentionLoops = {
    {NarrowScores<0>, NarrowScores<1>},
    {Scores<0>, Scores<1>, Scores<2>, Scores<3>},
    {{Means<0, 2>, Means<0, 3>},
     {Means<1, 2>, Means<1, 3>},
     {Means<2, 2>, Means<2, 3>},
     {Means<3, 2>, Means<3, 3>}},
    Split,
    Join,
    Round,
};

}  // namespace tally::TALLY_ISA
