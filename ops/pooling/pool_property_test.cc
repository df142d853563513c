// Laws of pooling over random shapes, windows, regions and values. RunOp also checks that the three integers
// agree and stay inside the inferred interval.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>

#include "ops/pooling/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;

int64_t Draw(int64_t lo, int64_t hi) { return *rc::gen::inRange<int64_t>(lo, hi + 1); }

Ints DrawList(int64_t count, int64_t lo, int64_t hi) {
  Ints values(count);
  for (int64_t& v : values) v = Draw(lo, hi);
  return values;
}

TestOperand Of(const Shape& shape, const Ints& values, Interval within) {
  return {*Tensor::FromValues(shape, values), within};
}

OpOutcome Run(Opcode op, std::vector<TestOperand> operands, const Attributes& attributes) {
  auto y = RunOp({.op = op, .operands = std::move(operands), .attributes = attributes});
  if (!y.ok()) RC_FAIL(std::string(y.status().message()));
  return *std::move(y);
}

// An image and windows that fit it and are nowhere empty.
struct Case {
  Shape shape;
  PoolAttrs windows;

  int64_t size() const { return shape.num_elements(); }
};

Case DrawCase() {
  const int64_t axes = Draw(1, 3);
  Ints dims = {Draw(1, 2), Draw(1, 2)};
  Case drawn;
  PoolAttrs& w = drawn.windows;
  for (int64_t axis = 0; axis < axes; ++axis) {
    const int64_t taps = Draw(1, 3), dilation = Draw(1, 2), extent = dilation * (taps - 1) + 1;
    const int64_t most = dilation == 1 ? taps - 1 : 0;  // no window is in padding alone
    w.kernel.push_back(taps);
    w.stride.push_back(Draw(1, 3));
    w.dilation.push_back(dilation);
    w.pad_begin.push_back(Draw(0, most));
    w.pad_end.push_back(Draw(0, most));
    dims.push_back(extent + Draw(0, 3));
  }
  drawn.shape = *Shape::Create(dims);
  RC_CLASSIFY(axes == 3, "three axes");
  RC_CLASSIFY(std::ranges::any_of(w.pad_begin, [](int64_t p) { return p > 0; }), "padded");
  RC_CLASSIFY(std::ranges::any_of(w.dilation, [](int64_t d) { return d > 1; }), "dilated");
  return drawn;
}

AveragePoolAttrs AverageOver(const PoolAttrs& w) {
  return {.kernel = w.kernel,
          .stride = w.stride,
          .dilation = w.dilation,
          .pad_begin = w.pad_begin,
          .pad_end = w.pad_end};
}

Ints MaxPool(const Case& c, const Ints& x) {
  return Run(Opcode::kMaxPool, {Of(c.shape, x, {-999, 999})}, Pack(c.windows)).values[0];
}
Ints AveragePool(const Case& c, const Ints& x) {
  return Run(Opcode::kAveragePool, {Of(c.shape, x, {-999, 999})}, Pack(AverageOver(c.windows))).values[0];
}

template <typename F>
Ints Map(const Ints& a, const Ints& b, F f) {
  Ints y;
  for (size_t i = 0; i < a.size(); ++i) y.push_back(f(a[i], b[i]));
  return y;
}
int64_t Max(int64_t a, int64_t b) { return std::max(a, b); }

RC_GTEST_PROP(PoolingLaws, OfAConstantIsTheConstant, ()) {
  const Case c = DrawCase();
  const int64_t v = Draw(-999, 999);
  for (const Ints& y : {MaxPool(c, Ints(c.size(), v)), AveragePool(c, Ints(c.size(), v))}) {
    RC_ASSERT(y == Ints(y.size(), v));
  }
}

RC_GTEST_PROP(PoolingLaws, TheMaximumOfMaximaIsThatOfTheMaximum, ()) {
  const Case c = DrawCase();
  const Ints a = DrawList(c.size(), -99, 99), b = DrawList(c.size(), -99, 99);
  RC_ASSERT(Map(MaxPool(c, a), MaxPool(c, b), Max) == MaxPool(c, Map(a, b, Max)));
}

// max pooling commutes with every function that rises, here a step.
RC_GTEST_PROP(PoolingLaws, MaximaFollowWhatRises, ()) {
  const Case c = DrawCase();
  const int64_t slope = Draw(0, 3), knee = Draw(-50, 50);
  const auto rises = [&](int64_t v, int64_t) { return v < knee ? v : knee + slope * (v - knee); };
  const Ints x = DrawList(c.size(), -99, 99), y = MaxPool(c, x);
  RC_ASSERT(MaxPool(c, Map(x, x, rises)) == Map(y, y, rises));
}

RC_GTEST_PROP(PoolingLaws, TheIndexNamesTheMaximum, ()) {
  const Case c = DrawCase();
  const Ints x = DrawList(c.size(), -5, 5);
  const OpOutcome y = Run(Opcode::kMaxPoolIndices, {Of(c.shape, x, {-9, 9})}, Pack(c.windows));
  RC_ASSERT(y.values[0] == MaxPool(c, x));
  for (size_t i = 0; i < y.values[0].size(); ++i) RC_ASSERT(x[y.values[1][i]] == y.values[0][i]);
}

// sum(a + b) = sum(a) + sum(b), and the average of a sum is within its rounding of the sum of averages.
RC_GTEST_PROP(PoolingLaws, SumsAddAndAveragesNearlySo, ()) {
  const Case c = DrawCase();
  const Ints a = DrawList(c.size(), -99, 99), b = DrawList(c.size(), -99, 99);
  const Ints both = Map(a, b, std::plus<int64_t>());
  WindowSumAttrs sums = {
      .kernel = {1, 1}, .stride = {1, 1}, .dilation = {1, 1}, .pad_begin = {0, 0}, .pad_end = {0, 0}};
  const PoolAttrs& w = c.windows;
  for (const auto& [to, from] :
       {std::pair{&sums.kernel, &w.kernel}, std::pair{&sums.stride, &w.stride},
        std::pair{&sums.dilation, &w.dilation}, std::pair{&sums.pad_begin, &w.pad_begin},
        std::pair{&sums.pad_end, &w.pad_end}}) {
    to->insert(to->end(), from->begin(), from->end());
  }
  const auto sum = [&](const Ints& x) {
    return Run(Opcode::kWindowSum, {Of(c.shape, x, {-999, 999})}, Pack(sums)).values[0];
  };
  RC_ASSERT(sum(both) == Map(sum(a), sum(b), std::plus<int64_t>()));
  const Ints apart = Map(AveragePool(c, a), AveragePool(c, b), std::plus<int64_t>()),
             together = AveragePool(c, both);
  for (size_t i = 0; i < apart.size(); ++i) RC_ASSERT(std::abs(apart[i] - together[i]) <= 1);
}

RC_GTEST_PROP(PoolingLaws, AnAverageLiesBelowTheMaximum, ()) {
  const Case c = DrawCase();
  const Ints x = DrawList(c.size(), -99, 99), most = MaxPool(c, x), mean = AveragePool(c, x);
  for (size_t i = 0; i < most.size(); ++i) RC_ASSERT(mean[i] <= most[i]);
}

// The four operators of regions, on one image with some regions that leave it.
struct RoiCase {
  int64_t height, width, rois, fraction;
  Ints regions;
};

RoiCase DrawRois() {
  RoiCase r = {
      .height = Draw(1, 5), .width = Draw(1, 5), .rois = Draw(1, 3), .fraction = Draw(0, 3), .regions = {}};
  for (int64_t i = 0; i < r.rois; ++i) {
    for (const int64_t v : {Draw(-3, 3), Draw(-3, 3), Draw(0, 8), Draw(0, 8)}) {
      r.regions.push_back((v << r.fraction) + Draw(0, (1 << r.fraction) - 1));
    }
  }
  return r;
}

template <typename Attrs>
Ints PoolRegions(Opcode op, const RoiCase& r, int64_t channels, const Ints& x, Attrs attrs) {
  attrs.fraction = r.fraction;
  return Run(op,
             {Of(*Shape::Create({1, channels, r.height, r.width}), x, {-999, 999}),
              Of(*Shape::Create({r.rois, 4}), r.regions, {-99 << r.fraction, 99 << r.fraction}),
              Of(*Shape::Create({r.rois}), Ints(r.rois, 0), {0, 0})},
             Pack(attrs))
      .values[0];
}

// No bin exceeds what x holds, but for 0, which an empty one is.
RC_GTEST_PROP(RoiLaws, ABinLiesInTheHullOfTheImageAndZero, ()) {
  const RoiCase r = DrawRois();
  const int64_t bins = Draw(1, 3), lo = Draw(-99, 99), hi = Draw(lo, 99);
  const Ints x = DrawList(bins * bins * r.height * r.width, lo, hi);
  const auto inside = [&](const Ints& y) {
    return std::ranges::all_of(
        y, [&](int64_t v) { return std::min<int64_t>(lo, 0) <= v && v <= std::max<int64_t>(hi, 0); });
  };
  RoiAttrs max;
  max.pooled_size = {bins, bins};
  RC_ASSERT(inside(PoolRegions(Opcode::kRoiMaxPool, r, bins * bins, x, max)));
  RoiAlignAttrs align;
  align.pooled_size = {bins, bins};
  align.sampling_ratio = Draw(1, 2);
  align.half_pixel = *rc::gen::arbitrary<bool>();
  RC_ASSERT(inside(PoolRegions(Opcode::kRoiAlign, r, bins * bins, x, align)));
  align.mode = RoiAlignMode::kMax;
  RC_ASSERT(inside(PoolRegions(Opcode::kRoiAlign, r, bins * bins, x, align)));
  PsroiPoolAttrs psroi;
  psroi.pooled_size = {bins, bins};
  RC_ASSERT(inside(PoolRegions(Opcode::kPsroiPool, r, bins * bins, x, psroi)));
}

// A larger image gives no smaller bin.
RC_GTEST_PROP(RoiLaws, BinsRiseWithTheImage, ()) {
  const RoiCase r = DrawRois();
  const Ints x = DrawList(r.height * r.width, 0, 99), more = DrawList(r.height * r.width, 0, 20);
  const Ints above = Map(x, more, std::plus<int64_t>());
  RoiAttrs max;
  max.pooled_size = {2, 2};
  RoiAlignAttrs align;
  align.pooled_size = {2, 2};
  align.sampling_ratio = 2;
  const auto rises = [](const Ints& low, const Ints& high) {
    for (size_t i = 0; i < low.size(); ++i) RC_ASSERT(low[i] <= high[i]);
  };
  rises(PoolRegions(Opcode::kRoiMaxPool, r, 1, x, max), PoolRegions(Opcode::kRoiMaxPool, r, 1, above, max));
  rises(PoolRegions(Opcode::kRoiAlign, r, 1, x, align), PoolRegions(Opcode::kRoiAlign, r, 1, above, align));
}

// One bin over the whole image is its maximum.
RC_GTEST_PROP(RoiLaws, ABinOverEverythingIsTheGlobalMaximum, ()) {
  RoiCase r = {.height = Draw(1, 5), .width = Draw(1, 5), .rois = 1, .fraction = Draw(0, 4), .regions = {}};
  r.regions = {0, 0, (r.width - 1) << r.fraction, (r.height - 1) << r.fraction};
  const Ints x = DrawList(r.height * r.width, -99, 99);
  RC_ASSERT(PoolRegions(Opcode::kRoiMaxPool, r, 1, x, RoiAttrs{}) == Ints{*std::ranges::max_element(x)});
}

}  // namespace
}  // namespace tally
