#include "frontends/onnx/export/products.h"

#include <optional>

#include "ops/indexing.h"
#include "ops/window.h"

namespace tally::onnx {
namespace {

using ::onnx::TensorProto;

constexpr Interval kByte = {0, 255};

// The addend that makes elements of `interval` bytes, and `zero`, which must become one too; nothing where
// they are more than bytes. Signed bytes move by 128, whatever their interval: so one weight never reports
// how another is written.
std::optional<int64_t> ByteOffset(const Interval& interval, int64_t zero) {
  const int64_t offset = kByte.Contains(interval)                 ? 0
                         : Interval{-128, 127}.Contains(interval) ? 128
                                                                  : -interval.lo;
  const Interval moved = {interval.lo + offset, interval.hi + offset};
  if (!kByte.Contains(moved) || !kByte.Contains(zero + offset)) return std::nullopt;
  return offset;
}

Wire AsBytes(GraphWriter& g, const Wire& x, int64_t offset) {
  return g.Cast(g.Offset(x, offset), TensorProto::UINT8);
}

std::vector<NodeAttribute> WindowAttributes(const ConvolutionForm& f) {
  std::vector<int64_t> pads = f.pad_begin;
  pads.insert(pads.end(), f.pad_end.begin(), f.pad_end.end());
  return {{"kernel_shape", std::vector<int64_t>(f.w.shape.dims().begin() + 2, f.w.shape.dims().end())},
          {"strides", f.stride},
          {"dilations", f.dilation},
          {"pads", pads},
          {"group", f.groups}};
}

Windows WindowsOfForm(const ConvolutionForm& f) {
  return WindowsOf(f, f.w.shape.dims().subspan(2), f.x.shape.rank());
}

Shape ResultShape(const ConvolutionForm& f) {
  std::vector<int64_t> dims = {f.x.shape[0], f.w.shape[0]};
  const Windows windows = WindowsOfForm(f);
  for (int axis = 2; axis < f.x.shape.rank(); ++axis) {
    dims.push_back(CountWindows(windows[axis], f.x.shape[axis], false));
  }
  return ShapeOfDims(dims);
}

Wire ConvolveFloats(GraphWriter& g, const ConvolutionForm& f, const Wire& x, const Wire& w) {
  const Wire y = g.Node("Conv", {g.Cast(x, TensorProto::FLOAT), g.Cast(w, TensorProto::FLOAT)},
                        {TensorProto::FLOAT, ResultShape(f), f.sums}, WindowAttributes(f));
  return g.Int64(y);
}

// The places of padded x [.., C, S..] that each window of one group reads, [C * taps, windows]: positions in
// one flat group.
std::vector<int64_t> PlacesOfWindows(const ConvolutionForm& f, const Shape& padded, const Shape& result) {
  const Windows windows = WindowsOfForm(f);
  const Shape taps = ShapeOfDims({f.w.shape.dims().begin() + 1, f.w.shape.dims().end()});
  const Shape grid = ShapeOfDims({result.dims().begin() + 2, result.dims().end()});
  const Shape group = ShapeOfDims({padded.dims().begin() + 1, padded.dims().end()});
  std::vector<int64_t> places;
  for (int64_t t = 0; t < taps.num_elements(); ++t) {
    const Index tap = Unflatten(t, taps);
    for (int64_t p = 0; p < grid.num_elements(); ++p) {
      Index at = Unflatten(p, grid);
      for (int axis = grid.rank(); axis > 0; --axis) {
        at[axis] = at[axis - 1] * windows[axis + 1].stride + tap[axis] * windows[axis + 1].dilation;
      }
      at[0] = tap[0];
      places.push_back(Flatten(at, group));
    }
  }
  return places;
}

Wire ConvolveGathered(GraphWriter& g, const ConvolutionForm& f, const Wire& x, const Wire& w) {
  const Shape result = ResultShape(f);
  const int64_t N = result[0], OC = result[1], P = result.num_elements() / (N * OC);
  const int64_t K = f.w.shape.num_elements() / OC, C = f.x.shape[1];
  std::vector<int64_t> before(f.x.shape.rank(), 0), after = before;
  std::ranges::copy(f.pad_begin, before.begin() + 2);
  std::ranges::copy(f.pad_end, after.begin() + 2);
  const Wire padded = g.Pad(x, before, after, 0);
  const int64_t group_size = padded.shape.num_elements() / (N * f.groups);
  const Wire groups = g.Reshape(padded, ShapeOfDims({N, f.groups, group_size}));
  std::vector<int64_t> dims = DimsOf(padded.shape);
  dims[1] = C / f.groups;
  std::vector<int64_t> key;  // all that the places depend on
  const auto taps = f.w.shape.dims().subspan(1), grid = result.dims().subspan(2);
  for (const auto& list : {std::span<const int64_t>(dims), taps, grid, std::span<const int64_t>(f.stride),
                           std::span<const int64_t>(f.dilation)}) {
    key.push_back(std::ssize(list));
    key.insert(key.end(), list.begin(), list.end());
  }
  const Wire indices =
      g.Shared(key, ShapeOfDims({K, P}), [&] { return PlacesOfWindows(f, ShapeOfDims(dims), result); });
  const Wire columns = g.Gather(groups, indices, 2);
  const Wire rows = g.Reshape(w, ShapeOfDims({f.groups, OC / f.groups, K}));
  return g.Reshape(g.MatMul(rows, columns), result);
}

}  // namespace

Wire Convolve(GraphWriter& g, const ConvolutionForm& f) {
  const auto x = ByteOffset(f.x.interval, f.zero_x), w = ByteOffset(f.w.interval, f.zero_w);
  if (x && w && RangeOf(Storage::kI32).Contains(f.sums)) {
    const Wire y =
        g.Node("ConvInteger",
               {AsBytes(g, f.x, *x), AsBytes(g, f.w, *w), g.Scalar(f.zero_x + *x, TensorProto::UINT8),
                g.Scalar(f.zero_w + *w, TensorProto::UINT8)},
               {TensorProto::INT32, ResultShape(f), f.sums}, WindowAttributes(f));
    return g.Int64(y);
  }
  const Wire terms = g.Offset(f.x, -f.zero_x), weights = g.Offset(f.w, -f.zero_w);
  return IsExactInFloat(f.sums) && IsExactInFloat(terms.interval) && IsExactInFloat(weights.interval)
             ? ConvolveFloats(g, f, terms, weights)
             : ConvolveGathered(g, f, terms, weights);
}

Wire Multiply(GraphWriter& g, const ProductForm& f) {
  const auto a = ByteOffset(f.a.interval, f.zero_a), b = ByteOffset(f.b.interval, f.zero_b);
  if (!a || !b || !RangeOf(Storage::kI32).Contains(f.sums)) {
    return g.MatMul(g.Offset(f.a, -f.zero_a), g.Offset(f.b, -f.zero_b));
  }
  const Wire y =
      g.Node("MatMulInteger",
             {AsBytes(g, f.a, *a), AsBytes(g, f.b, *b), g.Scalar(f.zero_a + *a, TensorProto::UINT8),
              g.Scalar(f.zero_b + *b, TensorProto::UINT8)},
             {TensorProto::INT32, ProductShape(f.a.shape, f.b.shape), f.sums});
  return g.Int64(y);
}

}  // namespace tally::onnx
