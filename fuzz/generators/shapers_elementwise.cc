#include <algorithm>

#include "fuzz/generators/shapers.h"
#include "fuzz/generators/values.h"

namespace tally {
namespace {

// A shape that broadcasts with `shape`: some leading dims dropped, some dims 1.
Shape BroadcastPartner(ShapeContext& c, const Shape& shape) {
  const int rank = c.e.OneIn(3) ? static_cast<int>(c.e.Between(0, shape.rank())) : shape.rank();
  const auto dims = shape.dims();
  std::vector<int64_t> partner(dims.end() - rank, dims.end());
  for (int64_t& dim : partner) {
    if (c.e.OneIn(4)) dim = 1;
  }
  return ShapeOf(partner);
}

Attempt ShapeBroadcast(ShapeContext& c) {
  const DraftId a = c.Operand({});
  const DraftId b = c.Operand({.shape = BroadcastPartner(c, c.shape(a))});
  return c.e.OneIn(2) ? Attempt{{b, a}} : Attempt{{a, b}};
}

}  // namespace

Shaper FindElementwiseShaper(Opcode op) {
  switch (op) {
    case Opcode::kBroadcastAdd: return ShapeBroadcast;
    default: return nullptr;
  }
}

}  // namespace tally
