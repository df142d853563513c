#include "ops/infer.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_join.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/labels.h"

namespace tally {

absl::Status Inferred::AddResult(const InferContext& c, const Shape& shape, const WideInterval& bounds) {
  const Interval limit = TensorLimit(c.profile);
  if (!bounds.Within(limit.lo, limit.hi) && !c.of_program) {
    return MakeError(label::value_range, absl::StrCat("result in [", ToString(bounds.lo), ", ",
                                                      ToString(bounds.hi), "] leaves ", limit.ToString()));
  }
  const WideInterval inside = bounds.Clamp(limit.lo, limit.hi);
  results.push_back({shape, {static_cast<int64_t>(inside.lo), static_cast<int64_t>(inside.hi)}});
  return absl::OkStatus();
}

absl::Status Inferred::AddResult(const InferContext& c, const Dims& dims, const WideInterval& bounds) {
  ASSIGN_OR_RETURN(const Shape shape, Shape::Create(dims));
  return AddResult(c, shape, bounds);
}

absl::Status Inferred::SetAccumulator(const InferContext& c, const WideInterval& bounds) {
  if (c.of_program) return absl::OkStatus();
  const Interval limit = c.profile == Profile::kCvm ? TensorLimit(c.profile)
                                                    : Interval{std::numeric_limits<int64_t>::min(),
                                                               std::numeric_limits<int64_t>::max()};
  if (!bounds.Within(limit.lo, limit.hi)) {
    return MakeError(label::accumulator_range,
                     absl::StrCat("partial sums in [", ToString(bounds.lo), ", ", ToString(bounds.hi),
                                  "] leave ", limit.ToString()));
  }
  accumulator = {static_cast<int64_t>(bounds.lo), static_cast<int64_t>(bounds.hi)};
  return absl::OkStatus();
}

absl::StatusOr<Dims> BroadcastDims(std::span<const int64_t> a, std::span<const int64_t> b, Label label) {
  Dims dims(std::max(a.size(), b.size()));
  for (size_t i = 0; i < dims.size(); ++i) {
    const size_t from_right = dims.size() - i;
    const int64_t da = from_right <= a.size() ? a[a.size() - from_right] : 1;
    const int64_t db = from_right <= b.size() ? b[b.size() - from_right] : 1;
    if (da != db && da != 1 && db != 1) {
      return MakeError(label, absl::StrCat("shapes [", absl::StrJoin(a, ","), "] and [",
                                           absl::StrJoin(b, ","), "] do not broadcast"));
    }
    dims[i] = std::max(da, db);
  }
  return dims;
}

absl::StatusOr<Shape> BroadcastShape(const Shape& a, const Shape& b, Label label) {
  ASSIGN_OR_RETURN(const Dims dims, BroadcastDims(a.dims(), b.dims(), label));
  return Shape::Create(dims);
}

absl::Status CheckOperandLimit(const InferContext& c, int i, Label label) {
  const Interval limit = TensorLimit(c.profile);
  if (limit.Contains(c.interval(i))) return absl::OkStatus();
  return MakeError(
      label, absl::StrCat("operand ", i, " in ", c.interval(i).ToString(), " leaves ", limit.ToString()));
}

absl::StatusOr<int> NormalizeAxis(int64_t axis, int rank, Label label) {
  if (axis < -rank || axis >= rank) {
    return MakeError(label, absl::StrCat("axis ", axis, " is outside [", -rank, ", ", rank, ")"));
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

}  // namespace tally
