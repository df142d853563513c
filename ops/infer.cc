#include "ops/infer.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "base/strings.h"

namespace tally {

absl::Status Inferred::AddResult(const InferContext& c, const Shape& shape, const WideInterval& bounds) {
  const Interval limit = TensorLimit(c.profile);
  if (!bounds.Within(limit.lo, limit.hi)) {
    return MakeError("value_range", absl::StrCat("result in [", ToString(bounds.lo), ", ",
                                                 ToString(bounds.hi), "] leaves ", limit.ToString()));
  }
  results.push_back({shape, {static_cast<int64_t>(bounds.lo), static_cast<int64_t>(bounds.hi)}});
  return absl::OkStatus();
}

absl::Status Inferred::SetAccumulator(const InferContext& c, const WideInterval& bounds) {
  const Interval limit = c.profile == Profile::kCvm ? TensorLimit(c.profile)
                                                    : Interval{std::numeric_limits<int64_t>::min(),
                                                               std::numeric_limits<int64_t>::max()};
  if (!bounds.Within(limit.lo, limit.hi)) {
    return MakeError("accumulator_range", absl::StrCat("partial sums in [", ToString(bounds.lo), ", ",
                                                       ToString(bounds.hi), "] leave ", limit.ToString()));
  }
  accumulator = {static_cast<int64_t>(bounds.lo), static_cast<int64_t>(bounds.hi)};
  return absl::OkStatus();
}

absl::StatusOr<Shape> BroadcastShape(const Shape& a, const Shape& b, std::string_view label) {
  const int rank = std::max(a.rank(), b.rank());
  std::array<int64_t, kMaxRank> dims;
  for (int i = 0; i < rank; ++i) {
    const int from_right = rank - i;
    const int64_t da = from_right <= a.rank() ? a[a.rank() - from_right] : 1;
    const int64_t db = from_right <= b.rank() ? b[b.rank() - from_right] : 1;
    if (da != db && da != 1 && db != 1) {
      return MakeError(label,
                       absl::StrCat("shapes ", a.ToString(), " and ", b.ToString(), " do not broadcast"));
    }
    dims[i] = std::max(da, db);
  }
  return Shape::Create(std::span<const int64_t>(dims.data(), rank));
}

absl::Status CheckOperandLimit(const InferContext& c, int i, std::string_view label) {
  const Interval limit = TensorLimit(c.profile);
  if (limit.Contains(c.interval(i))) return absl::OkStatus();
  return MakeError(
      label, absl::StrCat("operand ", i, " in ", c.interval(i).ToString(), " leaves ", limit.ToString()));
}

absl::StatusOr<int> NormalizeAxis(int64_t axis, int rank, std::string_view label) {
  if (axis < -rank || axis >= rank) {
    return MakeError(label, absl::StrCat("axis ", axis, " is outside [", -rank, ", ", rank, ")"));
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

}  // namespace tally
