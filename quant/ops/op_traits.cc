#include "quant/ops/op_traits.h"

#include <algorithm>

namespace tally::quant {

absl::StatusOr<Shape> Broadcast(const Shape& a, const Shape& b) {
  Shape shape(std::max(a.size(), b.size()), 1);
  std::copy_backward(a.begin(), a.end(), shape.end());
  for (size_t i = 1; i <= b.size(); ++i) {
    int64_t& dimension = shape[shape.size() - i];
    const int64_t other = b[b.size() - i];
    if (dimension != other && dimension != 1 && other != 1) {
      return BadShape("shapes " + ToString(a) + " and " + ToString(b) + " do not broadcast");
    }
    dimension = std::max(dimension, other);
  }
  return shape;
}

absl::Status CheckAxis(int64_t axis, size_t rank) {
  if (axis >= 0 && axis < static_cast<int64_t>(rank)) return absl::OkStatus();
  return BadAttribute("axis " + std::to_string(axis) + " is outside rank " + std::to_string(rank));
}

absl::Status CheckAxes(const std::vector<int64_t>& axes, size_t rank) {
  if (axes.empty()) return BadAttribute("no axis is given");
  int64_t previous = -1;
  for (const int64_t axis : axes) {
    if (absl::Status status = CheckAxis(axis, rank); !status.ok()) return status;
    if (axis <= previous) return BadAttribute("the axes do not ascend");
    previous = axis;
  }
  return absl::OkStatus();
}

std::optional<Interval> IntervalWithin(__int128 lo, __int128 hi) {
  constexpr __int128 kMost = int64_t{1} << 46;
  if (lo < -kMost || hi >= kMost) return std::nullopt;
  return Interval{static_cast<int64_t>(lo), static_cast<int64_t>(hi)};
}

}  // namespace tally::quant
