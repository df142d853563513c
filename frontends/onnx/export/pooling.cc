#include "frontends/onnx/export/operators.h"
#include "frontends/onnx/export/products.h"
#include "frontends/onnx/export/quotient.h"
#include "ops/pooling/attrs.h"

namespace tally::onnx {
namespace {

using ::onnx::TensorProto;

// The pads that the last window needs: of more padding ONNX would make more windows, and it rounds their
// number up in another way.
template <typename Attrs>
std::vector<int64_t> PadEnds(const Attrs& attrs, const Shape& x, const Shape& y) {
  std::vector<int64_t> ends;
  const int first = x.rank() - static_cast<int>(attrs.kernel.size());
  for (size_t i = 0; i < attrs.kernel.size(); ++i) {
    const int axis = first + static_cast<int>(i);
    const int64_t reach = (y[axis] - 1) * attrs.stride[i] + attrs.dilation[i] * (attrs.kernel[i] - 1) + 1;
    ends.push_back(std::max<int64_t>(reach - attrs.pad_begin[i] - x[axis], 0));
  }
  return ends;
}

// The narrowest type of ONNX Runtime's MaxPool that holds all elements.
int PoolType(const Interval& interval) {
  if (RangeOf(Storage::kI8).Contains(interval)) return TensorProto::INT8;
  return interval.Magnitude() <= uint64_t{1} << 24 ? TensorProto::FLOAT : TensorProto::DOUBLE;
}

// Padding is below every element: each window holds one.
Wire MaxPool(ExportContext& c, const PoolAttrs& attrs) {
  GraphWriter& g = c.g;
  Wire x = c.Narrow(0);
  const Shape& result = c.results[0].shape;
  const std::vector<int64_t> ends = PadEnds(attrs, x.shape, result);
  std::vector<int64_t> pads = attrs.pad_begin;
  pads.insert(pads.end(), ends.begin(), ends.end());
  const size_t axes = attrs.kernel.size();
  const auto is_usual = [&](size_t i) { return pads[i] < attrs.kernel[i % axes]; };
  bool are_usual = true;
  for (size_t i = 0; i < pads.size(); ++i) are_usual = are_usual && is_usual(i);
  if (!are_usual) {  // ONNX Runtime refuses pads of a whole kernel
    std::vector<int64_t> before(x.shape.rank(), 0), after = before;
    std::ranges::copy(attrs.pad_begin, before.begin() + 2);
    std::ranges::copy(ends, after.begin() + 2);
    x = g.Pad(x, before, after, x.interval.lo);
    pads.assign(pads.size(), 0);
  }
  const int type = PoolType(x.interval);
  const Wire y = g.Node("MaxPool", {g.Cast(x, type)}, {type, result, x.interval},
                        {{"kernel_shape", attrs.kernel},
                         {"strides", attrs.stride},
                         {"dilations", attrs.dilation},
                         {"pads", pads}});
  return g.Int64(y);
}

// Sums of x - zero over windows of the last axes, those inside x: a convolution of each channel by ones, or
// one sum of all.
template <typename Attrs>
Wire SumOfWindows(ExportContext& c, const Attrs& attrs, int64_t zero) {
  GraphWriter& g = c.g;
  const Wire x = c.Narrow(0);
  const Shape& result = c.results[0].shape;
  const int axes = static_cast<int>(attrs.kernel.size()), first = x.shape.rank() - axes;
  bool is_all = true;
  std::vector<int64_t> all;
  for (int i = 0; i < axes; ++i) {
    is_all = is_all && attrs.kernel[i] == x.shape[first + i] && attrs.dilation[i] == 1 &&
             attrs.pad_begin[i] == 0 && result[first + i] == 1;
    all.push_back(first + i);
  }
  if (is_all) return g.ReduceSum(g.Offset(x, -zero), all, true);
  std::vector<int64_t> dims = {1, 1}, taps = {1, 1};
  for (int i = 0; i < axes; ++i) dims.push_back(x.shape[first + i]);
  taps.insert(taps.end(), attrs.kernel.begin(), attrs.kernel.end());
  dims[0] = x.shape.num_elements() / ShapeOfDims(dims).num_elements();
  Tensor ones(ShapeOfDims(taps), Storage::kI8);
  std::ranges::fill(ones.mutable_bytes(), 1);
  const int64_t count = ones.shape().num_elements();
  const WideInterval terms = (WideInterval(x.interval) - WideInterval(zero, zero)).Hull({0, 0});
  const Wire sums = Convolve(g, {.x = g.Reshape(x, ShapeOfDims(dims)),
                                 .w = g.Derived(std::move(ones)),
                                 .stride = attrs.stride,
                                 .dilation = attrs.dilation,
                                 .pad_begin = attrs.pad_begin,
                                 .pad_end = PadEnds(attrs, x.shape, result),
                                 .zero_x = zero,
                                 .sums = g.Checked(terms * WideInterval(count, count))});
  return g.Reshape(sums, result);
}

// Taps of each window inside x, or inside its padded axes: one number for each place.
Wire CountOfTaps(GraphWriter& g, const AveragePoolAttrs& attrs, const Shape& x, const Shape& result) {
  const Windows windows = WindowsOf(attrs, attrs.kernel, x.rank());
  const int first = x.rank() - static_cast<int>(attrs.kernel.size());
  const Shape grid = ShapeOfDims({result.dims().begin() + first, result.dims().end()});
  if (!g.MayMake(grid.num_elements())) return g.Scalar(0);
  std::vector<int64_t> counts;
  for (int64_t p = 0; p < grid.num_elements(); ++p) {
    const Index place = Unflatten(p, grid);
    int64_t count = 1;
    for (int axis = first; axis < x.rank(); ++axis) {
      const Window& w = windows[axis];
      const int64_t lo = attrs.count_include_pad ? -w.pad_begin : 0;
      const int64_t hi = x[axis] + (attrs.count_include_pad ? w.pad_end : 0);
      count *= TapsInside(w, place[axis - first], lo, hi).count();
    }
    counts.push_back(count);
  }
  if (std::ranges::all_of(counts, [&](int64_t count) { return count == counts[0]; }))
    return g.Scalar(counts[0]);
  return g.Constant(*Tensor::FromValues(grid, counts));
}

}  // namespace

Wires ExportMaxPool2d(ExportContext& c) {
  const auto attrs = c.attrs<MaxPool2dAttrs>();
  const std::vector<int64_t> pads = {attrs.padding_of(0), attrs.padding_of(1)};
  return {MaxPool(c, {.kernel = attrs.pool_size,
                      .stride = attrs.strides,
                      .dilation = {1, 1},
                      .pad_begin = pads,
                      .pad_end = pads})};
}

Wires ExportMaxPool(ExportContext& c) { return {MaxPool(c, c.attrs<PoolAttrs>())}; }

Wires ExportWindowSum(ExportContext& c) {
  const auto attrs = c.attrs<WindowSumAttrs>();
  size_t idle = 0;  // leading axes over which no window slides
  const auto is_idle = [&](size_t i) {
    return attrs.kernel[i] == 1 && attrs.stride[i] == 1 && attrs.pad_begin[i] == 0 && attrs.pad_end[i] == 0;
  };
  while (idle + 1 < attrs.kernel.size() && is_idle(idle)) ++idle;
  if (attrs.kernel.size() - idle > 3) return c.Refuse("its windows have more than 3 axes");
  const auto last = [&](const std::vector<int64_t>& list) {
    return std::vector<int64_t>(list.begin() + static_cast<int64_t>(idle), list.end());
  };
  const WindowSumAttrs windows = {.kernel = last(attrs.kernel),
                                  .stride = last(attrs.stride),
                                  .dilation = last(attrs.dilation),
                                  .pad_begin = last(attrs.pad_begin),
                                  .pad_end = last(attrs.pad_end)};
  return {SumOfWindows(c, windows, attrs.zero)};
}

Wires ExportAveragePool(ExportContext& c) {
  const auto attrs = c.attrs<AveragePoolAttrs>();
  const Wire sums = SumOfWindows(c, attrs, attrs.zero_in);
  const Quotient q = {.terms = {{sums, {attrs.multiplier}}},
                      .shift = {attrs.shift},
                      .rank = sums.shape.rank(),
                      .count = CountOfTaps(c.g, attrs, c.shape(0), c.results[0].shape),
                      .rounding = attrs.rounding};
  return {c.OffsetAndClamp(Write(c.g, q), attrs)};
}

}  // namespace tally::onnx
