// scatter, scatter_nd and scatter_elements differ in where updates go; what an update does they share.
#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/gather/attrs.h"
#include "ops/gather/index_shape.h"
#include "ops/gather/labels.h"
#include "ops/gather/rules.h"
#include "ops/infer.h"

namespace tally {
namespace {

using gather::ForEachScatter;
using gather::ForEachScatterElement;
using gather::ForEachScatterNd;

constexpr int kIndices = 1, kUpdates = 2;

// Products of up to `count` factors out of `x`: those of `count` factors of which some are 1.
WideInterval ProductsOfUpTo(const WideInterval& x, int64_t count) {
  WideInterval product = {1, 1};
  for (int bit = BitLength(static_cast<uint64_t>(count)) - 1; bit >= 0; --bit) {
    product = product * product;
    if ((count >> bit & 1) != 0) product = product * x.Hull({1, 1});
  }
  return product;
}

// The result when at most `most` updates go to one element.
absl::Status AddScattered(const InferContext& c, ScatterKind kind, int64_t most, Inferred* out) {
  const WideInterval x = c.interval(0), updates = c.interval(kUpdates), zero = {0, 0}, one = {1, 1};
  const WideInterval count = {most, most};
  out->scratch_bytes = c.shape(0).num_elements() * 8;  // the result so far, before its last update
  const auto add = [&](const WideInterval& terms) -> absl::Status {
    const WideInterval sum = terms.Hull(zero) * count;
    RETURN_IF_ERROR(out->SetAccumulator(c, x.Hull(zero) + sum));
    return out->AddResult(c, c.shape(0), x + sum);
  };
  switch (kind) {
    case ScatterKind::kUpdate: return out->AddResult(c, c.shape(0), most == 0 ? x : x.Hull(updates));
    case ScatterKind::kAdd: return add(updates);
    case ScatterKind::kSub: return add(-updates);
    case ScatterKind::kMul: {
      const WideInterval factor = ProductsOfUpTo(updates, most);
      RETURN_IF_ERROR(out->SetAccumulator(c, x.Hull(one) * factor));
      return out->AddResult(c, c.shape(0), x * factor);
    }
    case ScatterKind::kMax:
      return out->AddResult(c, c.shape(0), {x.lo, most == 0 ? x.hi : std::max(x.hi, updates.hi)});
    case ScatterKind::kMin:
      return out->AddResult(c, c.shape(0), {most == 0 ? x.lo : std::min(x.lo, updates.lo), x.hi});
  }
  __builtin_unreachable();  // the decoder admits no other kind
}

// Constant indices say how many updates go to one element; others leave `otherwise`. `for_each` calls its
// argument with the position of every index, some of them nothing.
template <typename ForEach>
int64_t MostUpdates(const InferContext& c, int64_t otherwise, const ForEach& for_each) {
  const TensorView* indices = c.constant(kIndices);
  if (indices == nullptr) return otherwise;
  std::vector<int64_t> positions;
  for_each([&](int64_t i) { return indices->at(i); },
           [&](std::optional<int64_t> position, int64_t) {
             if (position) positions.push_back(*position);
           });
  std::sort(positions.begin(), positions.end());
  int64_t most = 0, run = 0;
  for (size_t i = 0; i < positions.size(); ++i) {
    run = i > 0 && positions[i] == positions[i - 1] ? run + 1 : 1;
    most = std::max(most, run);
  }
  return most;
}

absl::Status CheckUpdates(const InferContext& c, std::span<const int64_t> dims, Label label) {
  const auto wanted = Shape::Create(dims);
  if (wanted.ok() && *wanted == c.shape(kUpdates)) return absl::OkStatus();
  return MakeError(label, absl::StrCat("updates ", c.shape(kUpdates).ToString(), " for x ",
                                       c.shape(0).ToString(), " and indices ", c.shape(kIndices).ToString()));
}

}  // namespace

absl::Status InferScatter(const InferContext& c, Inferred* out) {
  const Shape &x = c.shape(0), &indices = c.shape(kIndices);
  const auto attrs = c.attrs<ScatterAttrs>();
  ASSIGN_OR_RETURN(const int axis, NormalizeAxis(attrs.axis, x.rank(), label::scatter_c1));
  std::vector<int64_t> dims(x.dims().begin(), x.dims().begin() + axis);
  dims.insert(dims.end(), indices.dims().begin(), indices.dims().end());
  dims.insert(dims.end(), x.dims().begin() + axis + 1, x.dims().end());
  RETURN_IF_ERROR(CheckUpdates(c, dims, label::scatter_c2));
  // Every line along the axis meets the same indices.
  ASSIGN_OR_RETURN(const Shape line, Shape::Create({x[axis]}));
  const int64_t most = MostUpdates(c, indices.num_elements(), [&](const auto& index, const auto& visit) {
    ForEachScatter(line, 0, indices.num_elements(), index, visit);
  });
  return AddScattered(c, attrs.kind, most, out);
}

absl::Status InferScatterNd(const InferContext& c, Inferred* out) {
  const Shape &x = c.shape(0), &indices = c.shape(kIndices);
  if (indices.rank() == 0 || indices[indices.rank() - 1] > x.rank()) {
    return MakeError(label::scatter_nd_c1,
                     absl::StrCat("indices ", indices.ToString(), " into ", x.ToString()));
  }
  const int depth = static_cast<int>(indices[indices.rank() - 1]);
  std::vector<int64_t> dims(indices.dims().begin(), indices.dims().end() - 1);
  dims.insert(dims.end(), x.dims().begin() + depth, x.dims().end());
  RETURN_IF_ERROR(CheckUpdates(c, dims, label::scatter_nd_c2));
  const int64_t rows = indices.num_elements() / depth;
  const int64_t most = MostUpdates(
      c, rows, [&](const auto& index, const auto& visit) { ForEachScatterNd(x, depth, rows, index, visit); });
  return AddScattered(c, c.attrs<ScatterNdAttrs>().kind, most, out);
}

absl::Status InferScatterElements(const InferContext& c, Inferred* out) {
  const Shape &x = c.shape(0), &indices = c.shape(kIndices);
  const auto attrs = c.attrs<ScatterAttrs>();
  ASSIGN_OR_RETURN(const int axis, NormalizeAxis(attrs.axis, x.rank(), label::scatter_elements_c1));
  bool fits = indices.rank() == x.rank();
  for (int j = 0; fits && j < x.rank(); ++j) fits = j == axis || indices[j] <= x[j];
  if (!fits) {
    return MakeError(label::scatter_elements_c2,
                     absl::StrCat("indices ", indices.ToString(), " into ", x.ToString()));
  }
  RETURN_IF_ERROR(CheckUpdates(c, indices.dims(), label::scatter_elements_c3));
  // Only updates of one line along the axis can meet.
  const int64_t most = MostUpdates(c, indices[axis], [&](const auto& index, const auto& visit) {
    ForEachScatterElement(x, axis, indices, index, visit);
  });
  return AddScattered(c, attrs.kind, most, out);
}

}  // namespace tally
