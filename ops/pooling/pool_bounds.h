// Shared by the rules of the pooling operators: shapes, and bounds of sums.
#pragma once

#include <span>

#include "absl/status/statusor.h"
#include "base/error.h"
#include "base/strings.h"
#include "ops/infer.h"
#include "ops/pooling/attrs.h"
#include "ops/window.h"

namespace tally {

// The first constraints of every operator that pools the axes after N and C.
struct PoolLabels {
  Label rank, lists, fits, holds_an_element;
};

template <typename Attrs>
absl::StatusOr<Windows> PoolWindows(const Attrs& attrs, const Shape& x, const PoolLabels& labels) {
  if (x.rank() < 3 || x.rank() > 2 + kMaxPoolAxes) {
    return MakeError(labels.rank, absl::StrCat("x ", x.ToString(), " has no 1, 2 or 3 axes behind N and C"));
  }
  const size_t axes = static_cast<size_t>(x.rank()) - 2;
  if (attrs.kernel.size() != axes || !HasWindowsOf(attrs, axes)) {
    return MakeError(labels.lists, absl::StrCat("lists without an entry for each of ", axes, " axes"));
  }
  return WindowsOf(attrs, attrs.kernel, x.rank());
}

// How many windows each axis of x has; error `label` when one has none.
absl::StatusOr<Dims> CountsOfWindows(const Windows& windows, const Shape& x, bool ceil_mode, Label label);

// Error `label` unless each of `counts` windows holds an element of x.
absl::Status CheckNoWindowIsEmpty(const Windows& windows, const Shape& x, const Dims& counts, Label label);

// Bounds of a sum of as many numbers of `v` as a window may hold elements of x.
WideInterval WindowSums(const Windows& windows, const Shape& x, const WideInterval& v);

// The taps of a window.
Int128 TapsOf(std::span<const int64_t> kernel);

}  // namespace tally
