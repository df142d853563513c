// max_pool, max_pool_indices and window_sum; average_pool has its own file.
#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/pooling/labels.h"
#include "ops/pooling/pool_bounds.h"
#include "ops/pooling/rules.h"

namespace tally {

Int128 TapsOf(std::span<const int64_t> kernel) {
  Int128 product = 1;
  for (const int64_t size : kernel) product = SatMul(product, size);
  return product;
}

absl::StatusOr<Dims> CountsOfWindows(const Windows& windows, const Shape& x, bool ceil_mode, Label label) {
  Dims counts(static_cast<size_t>(x.rank()));
  for (int axis = 0; axis < x.rank(); ++axis) {
    const Window& w = windows[axis];
    counts[axis] = CountWindows(w, x[axis], ceil_mode);
    if (counts[axis] < 1) {
      return MakeError(
          label, absl::StrCat("a window of ", w.extent(), " exceeds the ", x[axis] + w.pad_begin + w.pad_end,
                              " padded positions of axis ", axis));
    }
  }
  return counts;
}

absl::Status CheckNoWindowIsEmpty(const Windows& windows, const Shape& x, const Dims& counts, Label label) {
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (EveryWindowHasAnElement(windows[axis], x[axis], counts[axis])) continue;
    return MakeError(
        label, absl::StrCat("a window of axis ", axis, " lies in the padding of its ", x[axis], " elements"));
  }
  return absl::OkStatus();
}

WideInterval WindowSums(const Windows& windows, const Shape& x, const WideInterval& v) {
  Int128 taps = 1;
  for (int axis = 0; axis < x.rank(); ++axis) taps = SatMul(taps, MostTapsInside(windows[axis], x[axis]));
  return v * WideInterval(taps, taps);
}

namespace {

absl::StatusOr<Dims> MaxPoolDims(const InferContext& c, const PoolLabels& labels) {
  const auto attrs = c.attrs<PoolAttrs>();
  ASSIGN_OR_RETURN(const Windows windows, PoolWindows(attrs, c.shape(0), labels));
  ASSIGN_OR_RETURN(Dims dims, CountsOfWindows(windows, c.shape(0), attrs.ceil_mode, labels.fits));
  RETURN_IF_ERROR(CheckNoWindowIsEmpty(windows, c.shape(0), dims, labels.holds_an_element));
  return dims;
}

}  // namespace

absl::Status InferMaxPool(const InferContext& c, Inferred* out) {
  constexpr PoolLabels kLabels = {label::max_pool_c1, label::max_pool_c2, label::max_pool_c3,
                                  label::max_pool_c4};
  ASSIGN_OR_RETURN(const Dims dims, MaxPoolDims(c, kLabels));
  return out->AddResult(c, dims, c.interval(0));
}

absl::Status InferMaxPoolIndices(const InferContext& c, Inferred* out) {
  constexpr PoolLabels kLabels = {label::max_pool_indices_c1, label::max_pool_indices_c2,
                                  label::max_pool_indices_c3, label::max_pool_indices_c4};
  ASSIGN_OR_RETURN(const Dims dims, MaxPoolDims(c, kLabels));
  RETURN_IF_ERROR(out->AddResult(c, dims, c.interval(0)));
  return out->AddResult(c, dims, WideInterval(0, c.shape(0).num_elements() - 1));
}

absl::Status InferWindowSum(const InferContext& c, Inferred* out) {
  const auto attrs = c.attrs<WindowSumAttrs>();
  const Shape& x = c.shape(0);
  const size_t rank = static_cast<size_t>(x.rank());
  if (attrs.kernel.size() != rank || !HasWindowsOf(attrs, rank)) {  // window_sum_c1
    return MakeError(label::window_sum_c1,
                     absl::StrCat("lists without an entry for each axis of ", x.ToString()));
  }
  const Windows windows = WindowsOf(attrs, attrs.kernel, x.rank());
  ASSIGN_OR_RETURN(const Dims dims, CountsOfWindows(windows, x, false, label::window_sum_c2));
  RETURN_IF_ERROR(CheckOperandLimit(c, 0, label::window_sum_c3));
  ASSIGN_OR_RETURN(const Shape shape, Shape::Create(dims));
  const WideInterval v = WideInterval(c.interval(0)) - WideInterval(attrs.zero, attrs.zero);
  const WideInterval sums = WindowSums(windows, x, v.Hull({0, 0}));
  RETURN_IF_ERROR(out->SetAccumulator(c, sums));
  // Without padding every window is complete.
  return out->AddResult(c, shape, IsPadded(windows) ? sums : WindowSums(windows, x, v));
}

WideGas GasOfWindows(const GasContext& c, Int128 taps) {
  const WideGas lines = SatMul(SatAdd(SatMul(48, taps), 384), RunsOf(c.results[0].shape));
  return SatAdd(512, SatAdd(lines, SatMul(4, c.elements_in(0))));
}

WideGas GasMaxPool(const GasContext& c) {
  const Int128 taps = TapsOf(c.attrs<PoolAttrs>().kernel);
  return SatAdd(GasOfWindows(c, taps), SatMul(c.elements_out(0), SatAdd(SatMul(32, taps), 96)));
}

WideGas GasWindowSum(const GasContext& c) {
  const Int128 taps = TapsOf(c.attrs<WindowSumAttrs>().kernel);
  return SatAdd(GasOfWindows(c, taps), SatMul(c.elements_out(0), SatAdd(SatMul(96, taps), 224)));
}

}  // namespace tally
