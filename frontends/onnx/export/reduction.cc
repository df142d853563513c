#include "frontends/onnx/export/operators.h"
#include "ops/reduction/attrs.h"
#include "ops/reduction/reduce_shape.h"

namespace tally::onnx {
namespace {

using ::onnx::TensorProto;

template <typename Attrs>
std::vector<int64_t> AxesOf(const Attrs& attrs, int rank) {
  const AxisSet set = AxesToReduce(attrs, rank);
  std::vector<int64_t> axes;
  for (int axis = 0; axis < rank; ++axis) {
    if (set >> axis & 1) axes.push_back(axis);
  }
  return axes;
}

// ONNX of opset 17 has the axes of all reductions but the sum as an attribute.
Wire Reduced(ExportContext& c, const std::string& op, const std::vector<int64_t>& axes, bool keepdims,
             const Interval& interval) {
  if (axes.empty()) return c.x(0);
  return c.g.Node(op, {c.g.Int64(c.x(0))}, {TensorProto::INT64, c.results[0].shape, interval},
                  {{"axes", axes}, {"keepdims", int64_t{keepdims}}});
}

}  // namespace

Wires ExportSum(ExportContext& c) {
  const auto attrs = c.attrs<CvmReduceAttrs>();
  const Wire y = c.g.ReduceSum(c.x(0), AxesOf(attrs, c.rank(0)), attrs.keepdims);
  return {c.g.Reshape(y, c.results[0].shape)};
}

Wires ExportMaximum(ExportContext& c) {
  const auto attrs = c.attrs<CvmReduceAttrs>();
  const Wire y = c.g.ReduceMax(c.x(0), AxesOf(attrs, c.rank(0)), attrs.keepdims);
  return {c.g.Reshape(y, c.results[0].shape)};
}

Wires ExportReduce(ExportContext& c) {
  const auto attrs = c.attrs<ReduceAttrs>();
  const std::vector<int64_t> axes = AxesOf(attrs, c.rank(0));
  const Interval& x = c.x(0).interval;
  switch (attrs.kind) {
    case ReduceKind::kSum: return {c.g.ReduceSum(c.x(0), axes, attrs.keepdims)};
    case ReduceKind::kMax: return {c.g.ReduceMax(c.x(0), axes, attrs.keepdims)};
    case ReduceKind::kMin: return {Reduced(c, "ReduceMin", axes, attrs.keepdims, x)};
    case ReduceKind::kProduct: break;
  }
  Int128 most = 1;
  for (int64_t i = c.shape(0).num_elements() / c.results[0].shape.num_elements(); i > 0 && most < kWideMax;
       --i) {
    most = SatMul(most, static_cast<Int128>(x.Magnitude()));
    if (x.Magnitude() <= 1) break;
  }
  if (most > TensorLimit(Profile::kCore).hi)
    return c.Refuse("a value of its form may need more than 48 bits");
  const int64_t bound = static_cast<int64_t>(most);
  return {Reduced(c, "ReduceProd", axes, attrs.keepdims, {x.lo < 0 ? -bound : 0, bound})};
}

Wires ExportArgExtreme(ExportContext& c) {
  const auto attrs = c.attrs<ArgExtremeAttrs>();
  const int axis = FrontAxis(attrs.axis, c.rank(0));
  const Interval interval = {0, c.shape(0)[axis] - 1};
  // The types that ONNX Runtime's kernels read; all elements are integers of a double.
  const Wire x = c.Narrow(0);
  const int type = RangeOf(Storage::kI32).Contains(x.interval) ? TensorProto::INT32 : TensorProto::DOUBLE;
  return {c.g.Node(attrs.kind == Extreme::kMax ? "ArgMax" : "ArgMin", {c.g.Cast(x, type)},
                   {TensorProto::INT64, c.results[0].shape, interval},
                   {{"axis", int64_t{axis}},
                    {"keepdims", int64_t{attrs.keepdims}},
                    {"select_last_index", int64_t{attrs.ties == Ties::kHighest}}})};
}

Wires ExportCumulativeSum(ExportContext& c) {
  const auto attrs = c.attrs<CumulativeSumAttrs>();
  const int axis = FrontAxis(attrs.axis, c.rank(0));
  const WideInterval sums =
      WideInterval(c.x(0).interval).Hull({0, 0}) * WideInterval(c.shape(0)[axis], c.shape(0)[axis]);
  if (!sums.Within(TensorLimit(Profile::kCore).lo, TensorLimit(Profile::kCore).hi)) {
    return c.Refuse("a value of its form may need more than 48 bits");
  }
  return {c.g.Node(
      "CumSum", {c.g.Int64(c.x(0)), c.g.Scalar(axis)},
      {TensorProto::INT64, c.shape(0), {static_cast<int64_t>(sums.lo), static_cast<int64_t>(sums.hi)}},
      {{"exclusive", int64_t{attrs.exclusive}}, {"reverse", int64_t{attrs.reverse}}})};
}

}  // namespace tally::onnx
