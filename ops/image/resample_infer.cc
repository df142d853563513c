#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/image/attrs.h"
#include "ops/image/labels.h"
#include "ops/image/rules.h"
#include "ops/infer.h"

namespace tally {
namespace {

struct RowBounds {
  WideInterval sum;
  WideInterval partial;  // bounds every part of the sum, in any order
};

// The bounds of one row of taps; `taps` is working memory. Taps of one place are one: its weights belong to
// the same value.
RowBounds BoundRow(const TensorView& index, const TensorView& weight, int64_t first, const Interval& x,
                   std::vector<std::pair<int64_t, Int128>>& taps) {
  RowBounds bounds;
  for (size_t t = 0; t < taps.size(); ++t) {
    const int64_t w = weight.at(first + static_cast<int64_t>(t));
    taps[t] = {index.at(first + static_cast<int64_t>(t)), w};
    bounds.partial = bounds.partial + (WideInterval(x) * WideInterval(w, w)).Hull({0, 0});
  }
  const auto by_place = [](const auto& a, const auto& b) { return a.first < b.first; };
  if (!std::is_sorted(taps.begin(), taps.end(), by_place)) std::sort(taps.begin(), taps.end(), by_place);
  for (size_t t = 0; t < taps.size();) {
    Int128 w = 0;
    const int64_t place = taps[t].first;
    for (; t < taps.size() && taps[t].first == place; ++t) w += taps[t].second;
    bounds.sum = bounds.sum + WideInterval(x) * WideInterval(w, w);
  }
  return bounds;
}

}  // namespace

absl::Status InferResample(const InferContext& c, Inferred* out) {
  const Shape &x = c.shape(0), &table = c.shape(1);
  ASSIGN_OR_RETURN(const int axis,
                   NormalizeAxis(c.attrs<ResampleAttrs>().axis, x.rank(), label::resample_c1));
  if (!c.is_constant(1) || !c.is_constant(2)) {
    return MakeError(label::resample_c2, "index and weight are not both constants");
  }
  if (table.rank() != 2 || c.shape(2) != table) {
    return MakeError(label::resample_c3, absl::StrCat("index ", table.ToString(), " and weight ",
                                                      c.shape(2).ToString(), " are not one shape [O, T]"));
  }
  if (c.interval(1).lo < 0 || c.interval(1).hi >= x[axis]) {
    return MakeError(label::resample_c4,
                     absl::StrCat("indices in ", c.interval(1).ToString(), " of ", x[axis], " elements"));
  }
  std::vector<int64_t> dims(x.dims().begin(), x.dims().end());
  dims[axis] = table[0];
  if (c.of_program) return out->AddResult(c, dims, c.any_value());
  std::vector<std::pair<int64_t, Int128>> taps(table[1]);
  WideInterval sum, partial;
  for (int64_t o = 0; o < table[0]; ++o) {
    const RowBounds row = BoundRow(*c.constant(1), *c.constant(2), o * table[1], c.interval(0), taps);
    sum = o == 0 ? row.sum : sum.Hull(row.sum);
    partial = partial.Hull(row.partial);
  }
  ASSIGN_OR_RETURN(const Shape shape, Shape::Create(dims));
  RETURN_IF_ERROR(out->SetAccumulator(c, partial));
  return out->AddResult(c, shape, sum);
}

WideGas GasResample(const GasContext& c) {
  const WideGas taps = SatMul(c.elements_out(0), 5 * c.operands[1].shape[1] + 20);
  return SatAdd(1024, SatAdd(taps, SatMul(160, RunsOf(c.results[0].shape))));
}

}  // namespace tally
