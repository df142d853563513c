#include "quant/calibrate/clip_range.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "base/int_math.h"
#include "quant/calibrate/fixed_log.h"

namespace tally::quant {
namespace {

// Ends of ranges that are tried at each side of 0.
constexpr int64_t kSteps = 128;
constexpr int64_t kTailShare = 20000;

// Edges of bins: the range is [lo, hi) widths, lo <= 0 <= hi.
struct Edges {
  int64_t lo, hi;
};

// The histogram with places for all bins.
class Counts {
 public:
  explicit Counts(const ValueHistogram& histogram) : counts_(2 * kBins), below_(2 * kBins + 1) {
    std::ranges::copy(histogram.counts, counts_.begin() + histogram.first + kBins);
    for (size_t i = 0; i < counts_.size(); ++i) below_[i + 1] = below_[i] + counts_[i];
  }

  int64_t operator[](int64_t bin) const { return counts_[static_cast<size_t>(bin + kBins)]; }
  // Elements but zeros, of bins in [lo, hi).
  int64_t Between(int64_t lo, int64_t hi) const {
    return below_[static_cast<size_t>(hi + kBins)] - below_[static_cast<size_t>(lo + kBins)];
  }

 private:
  std::vector<int64_t> counts_, below_;
};

// The sum of squared distances of clipped elements to `edge`, in squares of half a bin.
Int128 ClippingBelow(const Counts& counts, int64_t edge) {
  Int128 sum = 0;
  for (int64_t k = -kBins; k < edge; ++k)
    sum += Int128{counts[k]} * (2 * (edge - k) - 1) * (2 * (edge - k) - 1);
  return sum;
}
Int128 ClippingAbove(const Counts& counts, int64_t edge) {
  Int128 sum = 0;
  for (int64_t k = edge; k < kBins; ++k)
    sum += Int128{counts[k]} * (2 * (k - edge) + 1) * (2 * (k - edge) + 1);
  return sum;
}

// Edges from the farthest, `edge`, to 0.
std::vector<int64_t> EdgesTo(int64_t edge) {
  std::vector<int64_t> edges = {edge};
  for (int64_t i = kSteps - 1; i >= 0; --i) {
    const int64_t next = edge * i / kSteps;
    if (next != edges.back()) edges.push_back(next);
  }
  return edges;
}

// 12 M^2 times the squared error in squares of half a bin, M steps over the range: below 2^107.
Edges LeastSquaredError(const Counts& counts, const Edges& all, int bits) {
  const int64_t steps = (int64_t{1} << bits) - 1;
  const auto with_errors = [&](int64_t edge, auto clipping) {
    std::vector<std::pair<int64_t, Int128>> edges;
    for (const int64_t at : EdgesTo(edge)) {
      edges.emplace_back(at, Int128{12} * steps * steps * clipping(counts, at));
    }
    return edges;
  };
  Edges best = all;
  std::optional<Int128> least;
  const auto his = with_errors(all.hi, ClippingAbove);
  for (const auto& [lo, error_below] : with_errors(all.lo, ClippingBelow)) {
    for (const auto& [hi, error_above] : his) {
      if (lo == hi) continue;
      const Int128 range = 2 * (hi - lo);
      const Int128 error = error_below + error_above + range * range * counts.Between(lo, hi);
      if (least.has_value() && *least <= error) continue;
      least = error;
      best = {lo, hi};
    }
  }
  return best;
}

Edges WithoutTails(const Counts& counts, Edges edges, int64_t num_elements) {
  const int64_t tail = num_elements / kTailShare;
  while (edges.hi > 0 && counts.Between(edges.hi - 1, kBins) <= tail) --edges.hi;
  while (edges.lo < 0 && counts.Between(-kBins, edges.lo + 1) <= tail) ++edges.lo;
  return edges;
}

Int128 Log(int64_t x) { return FixedLog2(static_cast<uint64_t>(std::max<int64_t>(x, 1))); }

// N times the relative entropy, but for a constant, with 32 fractional bits: sum of p log(p / q). p are the
// bins within, the outer ones with what is clipped; q spreads what is within the bins of one code over
// those of them that hold anything. `logs` are those of counts, by bin + kBins.
Int128 Entropy(const Counts& counts, const std::vector<Int128>& logs, const Edges& edges, int64_t codes) {
  const int64_t bins = edges.hi - edges.lo;
  const auto clipped_into = [&](int64_t bin) {
    return (bin == edges.lo ? counts.Between(-kBins, edges.lo) : 0) +
           (bin == edges.hi - 1 ? counts.Between(edges.hi, kBins) : 0);
  };
  Int128 sum = Int128{counts.Between(-kBins, kBins)} * Log(counts.Between(edges.lo, edges.hi));
  for (int64_t code = 0; code < codes; ++code) {
    const int64_t begin = edges.lo + code * bins / codes, end = edges.lo + (code + 1) * bins / codes;
    int64_t used = 0;
    for (int64_t k = begin; k < end; ++k) used += counts[k] + clipped_into(k) > 0 ? 1 : 0;
    if (used == 0) continue;
    const Int128 log_q = Log(counts.Between(begin, end)) - Log(used);
    for (int64_t k = begin; k < end; ++k) {
      const int64_t clipped = clipped_into(k), p = counts[k] + clipped;
      const Int128 log_p = clipped > 0 ? Log(p) : logs[static_cast<size_t>(k + kBins)];
      sum += Int128{p} * (log_p - log_q);
    }
  }
  return sum;
}

Edges LeastEntropy(const Counts& counts, const Edges& all, int bits) {
  const int64_t codes = int64_t{1} << bits;
  std::vector<Int128> logs;
  for (int64_t bin = -kBins; bin < kBins; ++bin) logs.push_back(Log(counts[bin]));
  Edges best = all;
  std::optional<Int128> least;
  for (const int64_t magnitude : EdgesTo(std::max(-all.lo, all.hi))) {
    const Edges edges = {std::max(all.lo, -magnitude), std::min(all.hi, magnitude)};
    if (edges.hi - edges.lo < codes) break;  // a code for each bin
    const Int128 entropy = Entropy(counts, logs, edges, codes);
    if (least.has_value() && *least <= entropy) continue;
    least = entropy;
    best = edges;
  }
  return best;
}

}  // namespace

Range ClipRange(ClipMethod method, const Range& seen, const ValueHistogram& histogram, int bits) {
  const double width = std::ldexp(1.0, histogram.exponent);
  const Edges all = {
      static_cast<int64_t>(std::clamp(std::floor(seen.min / width), static_cast<double>(-kBins), 0.0)),
      static_cast<int64_t>(std::clamp(std::ceil(seen.max / width), 0.0, static_cast<double>(kBins)))};
  if (method == ClipMethod::kAbsMax || histogram.counts.empty() || all.lo == all.hi) return seen;
  const Counts counts(histogram);
  const Edges edges = method == ClipMethod::kMse          ? LeastSquaredError(counts, all, bits)
                      : method == ClipMethod::kPercentile ? WithoutTails(counts, all, seen.count)
                                                          : LeastEntropy(counts, all, bits);
  Range range = seen;
  // Both stay on their side of 0 where `seen` is on one side.
  range.min =
      std::min(std::max(seen.min, static_cast<float>(static_cast<double>(edges.lo) * width)), seen.max);
  range.max =
      std::max(std::min(seen.max, static_cast<float>(static_cast<double>(edges.hi) * width)), range.min);
  return range;
}

}  // namespace tally::quant
