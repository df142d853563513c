// sum, max, reduce and arg_extreme differ in their labels, their bounds and the shape of a complete
// reduction.
#include <bit>

#include "base/error.h"
#include "base/int_math.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/infer.h"
#include "ops/reduction/labels.h"
#include "ops/reduction/reduce_shape.h"
#include "ops/reduction/rules.h"

namespace tally {
namespace {

// Error `c1` for an axis outside [-rank, rank), `c2` for an axis that is listed twice.
absl::Status CheckAxes(const std::vector<int64_t>& axes, int rank, Label c1, Label c2) {
  for (const int64_t axis : axes) RETURN_IF_ERROR(NormalizeAxis(axis, rank, c1).status());
  const int distinct = std::popcount(AxesToReduce(axes, rank));
  if (!axes.empty() && distinct < static_cast<int>(axes.size())) {
    return MakeError(c2, absl::StrCat(axes.size(), " axes are listed, of which ", distinct, " differ"));
  }
  return absl::OkStatus();
}

// The kept dims; without keepdims the reduced axes vanish.
Shape ResultShape(const Shape& x, AxisSet axes, bool keepdims) {
  const Shape kept = ReduceOver(x, axes).kept;
  if (keepdims) return kept;
  std::vector<int64_t> dims;
  for (int axis = 0; axis < x.rank(); ++axis) {
    if ((axes >> axis & 1) == 0) dims.push_back(x[axis]);
  }
  return *Shape::Create(dims);
}

absl::Status AddSum(const InferContext& c, AxisSet axes, const Shape& shape, Inferred* out) {
  const int64_t terms = ReduceOver(c.shape(0), axes).inner.num_elements();
  const WideInterval count = {terms, terms};
  RETURN_IF_ERROR(out->SetAccumulator(c, WideInterval(c.interval(0).Hull({0, 0})) * count));
  return out->AddResult(c, shape, WideInterval(c.interval(0)) * count);
}

// Products of exactly `count` factors out of `x`: those of n factors times those of the other ones. Both ends
// are products of ends, so the bounds are tight.
WideInterval ProductOf(const WideInterval& x, int64_t count) {
  WideInterval product = {1, 1};
  for (int bit = BitLength(static_cast<uint64_t>(count)) - 1; bit >= 0; --bit) {
    product = product * product;
    if ((count >> bit & 1) != 0) product = product * x;
  }
  return product;
}

absl::Status AddProduct(const InferContext& c, AxisSet axes, const Shape& shape, Inferred* out) {
  const int64_t factors = ReduceOver(c.shape(0), axes).inner.num_elements();
  const WideInterval x = c.interval(0);
  // 1 in place of a factor: a partial product.
  RETURN_IF_ERROR(out->SetAccumulator(c, ProductOf(x.Hull({1, 1}), factors)));
  return out->AddResult(c, shape, ProductOf(x, factors));
}

// sum and max have no results of rank 0: reducing every axis leaves [1].
Shape CvmResultShape(const InferContext& c, const CvmReduceAttrs& attrs) {
  const Shape& x = c.shape(0);
  const AxisSet axes = AxesToReduce(attrs, x.rank());
  if (axes == AllAxes(x.rank()) && !attrs.keepdims) return *Shape::Create({1});
  return ResultShape(x, axes, attrs.keepdims);
}

}  // namespace

absl::Status InferSum(const InferContext& c, Inferred* out) {
  const auto attrs = c.attrs<CvmReduceAttrs>();
  RETURN_IF_ERROR(CheckAxes(attrs.axis, c.shape(0).rank(), label::sum_c1, label::sum_c2));
  return AddSum(c, AxesToReduce(attrs, c.shape(0).rank()), CvmResultShape(c, attrs), out);
}

absl::Status InferMax(const InferContext& c, Inferred* out) {
  const auto attrs = c.attrs<CvmReduceAttrs>();
  RETURN_IF_ERROR(CheckAxes(attrs.axis, c.shape(0).rank(), label::max_c1, label::max_c2));
  return out->AddResult(c, CvmResultShape(c, attrs), c.interval(0));
}

absl::Status InferReduce(const InferContext& c, Inferred* out) {
  const auto attrs = c.attrs<ReduceAttrs>();
  RETURN_IF_ERROR(CheckAxes(attrs.axes, c.shape(0).rank(), label::reduce_c1, label::reduce_c2));
  const AxisSet axes = AxesToReduce(attrs, c.shape(0).rank());
  const Shape shape = ResultShape(c.shape(0), axes, attrs.keepdims);
  if (attrs.kind == ReduceKind::kSum) return AddSum(c, axes, shape, out);
  if (attrs.kind == ReduceKind::kProduct) return AddProduct(c, axes, shape, out);
  return out->AddResult(c, shape, c.interval(0));
}

absl::Status InferArgExtreme(const InferContext& c, Inferred* out) {
  const auto attrs = c.attrs<ArgExtremeAttrs>();
  ASSIGN_OR_RETURN(const int axis, NormalizeAxis(attrs.axis, c.shape(0).rank(), label::arg_extreme_c1));
  const Shape shape = ResultShape(c.shape(0), AxesToReduce(attrs, c.shape(0).rank()), attrs.keepdims);
  return out->AddResult(c, shape, Interval{0, c.shape(0)[axis] - 1});
}

std::vector<int> PrecisionOfReducedSum(const PrecisionContext& c) {
  const int64_t terms = c.infer->shape(0).num_elements() / c.results[0].shape.num_elements();
  return {c.operand(0) + BitLength(static_cast<uint64_t>(terms))};
}

}  // namespace tally
