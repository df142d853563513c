// Calls as quantized networks make them: the conditions of fast paths that few random numbers meet.
#include <algorithm>

#include "ops/rescale/attrs.h"
#include "tests/kernels/drawn_call.h"

namespace tally {
namespace {

// Normalized multipliers, shifts above and around 32, 8-bit results.
Attempt ShapeQuantizedRescale(ShapeContext& c) {
  RescaleAttrs attrs;
  const Shape shape = TileShape(c.e);
  const DraftId x = c.draft.AddParam({shape, TileInterval(c.e)});
  attrs.axis = c.e.Between(0, shape.rank() - 1);
  attrs.zero_in = c.e.OneIn(2) ? 0 : c.e.Between(-128, 127);
  attrs.zero_out = c.e.OneIn(2) ? 0 : c.e.Between(-128, 127);
  attrs.lo = c.e.Pick<int64_t>({-128, 0, -32768, attrs.zero_out});
  attrs.hi = c.e.Pick<int64_t>({127, 255, 32767});
  attrs.rounding = c.e.OneIn(6) ? Rounding::kHalfEven : Rounding::kHalfUp;
  const int64_t channels = c.e.OneIn(3) ? 1 : DimAt(shape, attrs.axis);
  const int64_t least_shift = c.e.OneIn(2) ? 32 : c.e.Between(20, 40);
  std::vector<int64_t> m, b, s;
  for (int64_t i = 0; i < channels; ++i) {
    m.push_back(c.e.Between(int64_t{1} << 30, (int64_t{1} << 31) - 1) * (c.e.OneIn(8) ? -1 : 1));
    b.push_back(c.e.OneIn(2) ? 0 : c.e.Between(-(int64_t{1} << 40), int64_t{1} << 40));
    s.push_back(least_shift + c.e.Between(0, 8));
  }
  const Shape list = ShapeOf({channels});
  return {{x, c.Constant(list, m), c.Constant(list, b), c.Constant(list, s)}, Pack(attrs)};
}

// Residual adds of 8-bit tensors.
Attempt ShapeQuantizedLincomb(ShapeContext& c) {
  LincombAttrs attrs;
  const Shape shape = TileShape(c.e);
  Attempt attempt;
  const int64_t bits = c.e.Pick<int64_t>({8, 16, 21, 30});
  for (int64_t i = c.e.Between(1, 4); i > 0; --i) {
    attempt.operands.push_back(c.draft.AddParam({shape, {-128, 127}}));
    attrs.multipliers.push_back(c.e.Between(1, (int64_t{1} << bits) - 1) * (c.e.OneIn(4) ? -1 : 1));
    attrs.zero_points.push_back(c.e.OneIn(2) ? 0 : c.e.Between(-128, 127));
  }
  attrs.shift = bits;
  attrs.bias = c.e.OneIn(2) ? 0 : c.e.Between(-1000, 1000);
  attrs.rounding = c.e.OneIn(4) ? Rounding::kHalfAway : Rounding::kHalfUp;
  attrs.zero_out = c.e.OneIn(2) ? 0 : c.e.Between(-128, 127);
  attrs.lo = c.e.Pick<int64_t>({-128, 0});
  attrs.hi = 127;
  attempt.attributes = Pack(attrs);
  return attempt;
}

}  // namespace

Shaper FindKernelShaper(Opcode op) {
  switch (op) {
    case Opcode::kRescale: return ShapeQuantizedRescale;
    case Opcode::kLincomb: return ShapeQuantizedLincomb;
    default: return nullptr;
  }
}

}  // namespace tally
