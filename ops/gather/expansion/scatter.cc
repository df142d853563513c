// The value of one element after many updates.
#include "ops/expansion.h"
#include "ops/gather/attrs.h"
#include "ops/gather/index_shape.h"
#include "ops/gather/scatter_update.h"

namespace tally {
namespace gather {

// position_of(index, u): the element of x that update u changes, or nothing; index(i) reads an index.
template <typename Int, typename PositionOf>
void UpdateOneByOne(Expansion<Int>& e, ScatterKind kind, PositionOf position_of) {
  const ReadContext& c = e.context();
  const int64_t own = c.element, updates = c.shape(2).num_elements();
  const Column after = e.Next(updates);
  e.Map(updates, [=](const StepReads<Int>& r, int64_t u) {
    const Int before = u == 0 ? r.operand(0)[own] : r(after, u - 1);
    const auto position = position_of([&](int64_t i) { return r.operand(1)[i]; }, u);
    return position == own ? Updated(kind, before, r.operand(2)[u]) : before;
  });
  e.One([=](const StepReads<Int>& r) { return r(after, updates - 1); });
}

}  // namespace gather

template <typename Int>
void ExpandScatter(Expansion<Int>& e) {
  const auto attrs = e.template attrs<ScatterAttrs>();
  const Shape& x = e.context().shape(0);
  const int axis = static_cast<int>(attrs.axis < 0 ? attrs.axis + x.rank() : attrs.axis);
  const int64_t n = x[axis], inner = x.stride(axis), indices = e.context().shape(1).num_elements();
  gather::UpdateOneByOne(e, attrs.kind, [=](const auto& index, int64_t u) -> std::optional<int64_t> {
    const auto position = gather::IndexInside(index(u / inner % indices), n);
    if (!position) return std::nullopt;
    return (u / (inner * indices) * n + *position) * inner + u % inner;
  });
}
TALLY_EXPAND(Scatter);

template <typename Int>
void ExpandScatterNd(Expansion<Int>& e) {
  const Shape x = e.context().shape(0), indices = e.context().shape(1);
  const int depth = static_cast<int>(indices[indices.rank() - 1]);
  const int64_t inner = depth == 0 ? x.num_elements() : x.stride(depth - 1);
  const auto kind = e.template attrs<ScatterNdAttrs>().kind;
  gather::UpdateOneByOne(e, kind, [=](const auto& index, int64_t u) -> std::optional<int64_t> {
    const auto start = gather::StartOfTuple(x, depth, u / inner, index);
    if (!start) return std::nullopt;
    return *start + u % inner;
  });
}
TALLY_EXPAND(ScatterNd);

template <typename Int>
void ExpandScatterElements(Expansion<Int>& e) {
  const auto attrs = e.template attrs<ScatterAttrs>();
  const Shape x = e.context().shape(0), indices = e.context().shape(1);
  const int axis = static_cast<int>(attrs.axis < 0 ? attrs.axis + x.rank() : attrs.axis);
  gather::UpdateOneByOne(e, attrs.kind, [=](const auto& index, int64_t u) -> std::optional<int64_t> {
    const auto position = gather::IndexInside(index(u), x[axis]);
    if (!position) return std::nullopt;
    Index to = Unflatten(u, indices);
    to[axis] = *position;
    return Flatten(to, x);
  });
}
TALLY_EXPAND(ScatterElements);

}  // namespace tally
