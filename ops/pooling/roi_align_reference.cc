#include "ops/indexing.h"
#include "ops/pooling/attrs.h"
#include "ops/pooling/roi_samples.h"
#include "ops/reference.h"

namespace tally {
namespace {

using pooling::AlignedBins;
using pooling::RoiAlignScale;
using pooling::RoiEnds;

// Grows by the samples of one bin, all in units of the same divisor: their sum, or the largest.
template <typename Int>
class Bag {
 public:
  explicit Bag(RoiAlignMode mode) : mode_(mode) {}

  void AddZero() { Add(Int(int64_t{0})); }

  template <typename Pixel>
  void AddSample(const Position<Int>& row, const Position<Int>& column, Pixel pixel) {
    if (mode_ == RoiAlignMode::kMaxTap) {
      VisitTaps(row, column, pixel, [&](const Int& term) { Add(term); });
    } else {
      Add(BilinearSum<Int>(row, column, pixel));
    }
  }

  const Int& result() const { return result_; }
  int64_t count() const { return count_; }

 private:
  void Add(const Int& value) {
    if (mode_ == RoiAlignMode::kAverage) {
      result_ = Int(result_ + value);
    } else if (count_ == 0 || result_ < value) {
      result_ = value;
    }
    ++count_;
  }

  RoiAlignMode mode_;
  Int result_ = Int(int64_t{0});
  int64_t count_ = 0;
};

}  // namespace

// y[r, c, p, q] = the mean or maximum of x[batch[r], c] at samples_h * samples_w positions between pixels,
// evenly spaced in bin (p, q) of region r. A position more than one pixel outside counts as 0.
template <typename Int>
void ReferenceRoiAlign(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<RoiAlignAttrs>();
  const Operand<Int>&x = c.operands[0], &rois = c.operands[1], &batch = c.operands[2];
  const Result<Int>& y = c.results[0];
  const RoiAlignScale scale = {attrs.multiplier, attrs.fraction + attrs.shift, attrs.half_pixel,
                               attrs.sampling_ratio};
  for (const int64_t o : c.elements()) {
    const Index d = Unflatten(o, y.shape());
    const int64_t n = ClampedIndex<Int>(batch[d[0]], x.shape()[0] - 1);
    const AlignedBins<Int> rows(scale, RoiEnds<Int>(rois, d[0], 0), attrs.pooled_size[0], x.shape()[2]);
    const AlignedBins<Int> columns(scale, RoiEnds<Int>(rois, d[0], 1), attrs.pooled_size[1], x.shape()[3]);
    Bag<Int> bag(attrs.mode);
    for (int64_t i = 0; i < rows.samples; ++i) {
      Position<Int> row, column;
      const bool row_inside = rows.PositionOfSample(d[2], i, &row);
      for (int64_t j = 0; j < columns.samples; ++j) {
        if (!row_inside || !columns.PositionOfSample(d[3], j, &column)) {
          bag.AddZero();
          continue;
        }
        bag.AddSample(row, column, [&](int64_t h, int64_t v) {
          return x[Flatten({n, d[1], h, v}, x.shape())];
        });
      }
    }
    if (bag.count() == 0) {
      y.Set(o, Int(int64_t{0}));
      continue;
    }
    const Int taps(rows.whole() * columns.whole());
    const Int divisor = attrs.mode == RoiAlignMode::kAverage ? Int(taps * Int(bag.count())) : taps;
    y.Set(o, RoundedQuotient<Int>(bag.result(), divisor, attrs.result_fraction));
  }
}

TALLY_REFERENCE(RoiAlign);

}  // namespace tally
