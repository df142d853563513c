#include <vector>

#include "ops/gather/attrs.h"
#include "ops/gather/index_shape.h"
#include "ops/gather/scatter_update.h"
#include "ops/reference.h"

namespace tally {
namespace {

using gather::ForEachScatter;
using gather::ForEachScatterElement;
using gather::ForEachScatterNd;
using gather::Updated;

// y = x, then the updates in row-major order. `for_each` visits the positions of the updates in that order;
// an update without a position is dropped.
template <typename Int, typename ForEach>
void ApplyUpdates(const ReferenceContext<Int>& c, ScatterKind kind, const ForEach& for_each) {
  const Operand<Int>&x = c.operands[0], &indices = c.operands[1], &updates = c.operands[2];
  const auto elements = c.elements();
  const int64_t first = elements.front();
  std::vector<Int> y;
  for (const int64_t i : elements) y.push_back(x[i]);
  int64_t next = 0;
  for_each([&](int64_t i) { return indices[i]; },
           [&](std::optional<int64_t> start, int64_t inner) {
             for (int64_t i = 0; i < inner; ++i, ++next) {
               const int64_t at = start ? *start + i - first : -1;
               if (0 <= at && at < std::ssize(y)) y[at] = Updated(kind, y[at], updates[next]);
             }
           });
  for (const int64_t i : elements) c.results[0].Set(i, y[i - first]);
}

}  // namespace

template <typename Int>
void ReferenceScatter(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<ScatterAttrs>();
  const Shape& x = c.operands[0].shape();
  const int axis = static_cast<int>(attrs.axis < 0 ? attrs.axis + x.rank() : attrs.axis);
  ApplyUpdates(c, attrs.kind, [&](const auto& index, const auto& visit) {
    ForEachScatter(x, axis, c.operands[1].size(), index, visit);
  });
}

template <typename Int>
void ReferenceScatterNd(const ReferenceContext<Int>& c) {
  const Shape &x = c.operands[0].shape(), &indices = c.operands[1].shape();
  const int depth = static_cast<int>(indices[indices.rank() - 1]);
  ApplyUpdates(c, c.template attrs<ScatterNdAttrs>().kind, [&](const auto& index, const auto& visit) {
    ForEachScatterNd(x, depth, indices.num_elements() / depth, index, visit);
  });
}

template <typename Int>
void ReferenceScatterElements(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<ScatterAttrs>();
  const Shape& x = c.operands[0].shape();
  const int axis = static_cast<int>(attrs.axis < 0 ? attrs.axis + x.rank() : attrs.axis);
  ApplyUpdates(c, attrs.kind, [&](const auto& index, const auto& visit) {
    ForEachScatterElement(x, axis, c.operands[1].shape(), index, visit);
  });
}

TALLY_REFERENCE(Scatter);
TALLY_REFERENCE(ScatterNd);
TALLY_REFERENCE(ScatterElements);

}  // namespace tally
