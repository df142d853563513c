#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/int_math.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/infer.h"
#include "ops/sort/attrs.h"
#include "ops/sort/labels.h"
#include "ops/sort/rules.h"

namespace tally {
namespace {

// Bytes for the positions and the values of one line of n elements.
int64_t LineBytes(int64_t n) { return n * 16; }

// Numbers that n elements of `x` may hold.
int64_t DistinctValues(const Interval& x, int64_t n) {
  const Int128 values = Int128{x.hi} - x.lo + 1;
  return static_cast<int64_t>(std::min<Int128>(values, n));
}

// A sort of n entries compares at most 2 * n * bitlen(n) pairs, of all their elements at worst. No line of x
// is longer than x.
WideGas GasOfComparisons(const GasContext& c) {
  const int64_t n = c.elements_in(0);
  return SatMul(n, 20 * BitLength(static_cast<uint64_t>(n)));
}

}  // namespace

absl::Status InferSort(const InferContext& c, Inferred* out) {
  const Shape& x = c.shape(0);
  ASSIGN_OR_RETURN(const int axis, NormalizeAxis(c.attrs<SortAttrs>().axis, x.rank(), label::sort_c1));
  out->scratch_bytes = LineBytes(x[axis]);
  return out->AddResult(c, x, c.interval(0));
}

absl::Status InferArgSort(const InferContext& c, Inferred* out) {
  const Shape& x = c.shape(0);
  ASSIGN_OR_RETURN(const int axis, NormalizeAxis(c.attrs<SortAttrs>().axis, x.rank(), label::arg_sort_c1));
  out->scratch_bytes = LineBytes(x[axis]);
  return out->AddResult(c, x, Interval{0, x[axis] - 1});
}

absl::Status InferTopK(const InferContext& c, Inferred* out) {
  const Shape& x = c.shape(0);
  const auto attrs = c.attrs<TopKAttrs>();
  ASSIGN_OR_RETURN(const int axis, NormalizeAxis(attrs.axis, x.rank(), label::top_k_c1));
  if (attrs.k > x[axis]) {
    return MakeError(label::top_k_c2, absl::StrCat(attrs.k, " of ", x[axis], " elements"));
  }
  std::vector<int64_t> dims(x.dims().begin(), x.dims().end());
  dims[axis] = attrs.k;
  ASSIGN_OR_RETURN(const Shape shape, Shape::Create(dims));
  out->scratch_bytes = LineBytes(x[axis]);
  RETURN_IF_ERROR(out->AddResult(c, shape, c.interval(0)));
  return out->AddResult(c, shape, Interval{0, x[axis] - 1});
}

absl::Status InferUnique(const InferContext& c, Inferred* out) {
  const Shape& x = c.shape(0);
  const auto attrs = c.attrs<UniqueAttrs>();
  int64_t n = x.num_elements(), most = DistinctValues(c.interval(0), n);
  std::vector<int64_t> dims = {attrs.bound};
  if (!attrs.axis.empty()) {
    ASSIGN_OR_RETURN(const int axis, NormalizeAxis(attrs.axis[0], x.rank(), label::unique_c1));
    n = x[axis];
    most = n == x.num_elements() ? std::min(most, n) : n;
    dims.assign(x.dims().begin(), x.dims().end());
    dims[axis] = attrs.bound;
  }
  ASSIGN_OR_RETURN(const Shape values, Shape::Create(dims));
  ASSIGN_OR_RETURN(const Shape entries, Shape::Create({attrs.bound}));
  ASSIGN_OR_RETURN(const Shape slices, Shape::Create({n}));
  // There is at least one entry, so that only further ones can be padding.
  const bool padded = attrs.bound > 1;
  WideInterval bounds = c.interval(0);
  if (padded) bounds = bounds.Hull({attrs.value, attrs.value});
  out->scratch_bytes = SatAdd(SatMul(n, 40), SatMul(x.num_elements(), 8));
  RETURN_IF_ERROR(out->AddResult(c, values, bounds));
  RETURN_IF_ERROR(out->AddResult(c, entries, Interval{padded ? -1 : 0, n - 1}));
  RETURN_IF_ERROR(out->AddResult(c, slices, Interval{0, most - 1}));
  RETURN_IF_ERROR(out->AddResult(c, entries, Interval{padded ? 0 : 1, n}));
  return out->AddResult(c, Shape(), Interval{1, most});
}

WideGas GasSort(const GasContext& c) {
  return SatAdd(4096, SatAdd(GasOfComparisons(c), GasPerResult<32>(c)));
}

WideGas GasUnique(const GasContext& c) { return SatAdd(6144, SatMul(4, GasOfComparisons(c))); }

}  // namespace tally
