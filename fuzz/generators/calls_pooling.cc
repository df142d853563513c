#include <algorithm>

#include "fuzz/generators/call_generators.h"
#include "fuzz/generators/values.h"
#include "ops/pooling/attrs.h"

namespace tally {
namespace {

Attempt DrawMaxPool2d(CallContext& c) {
  MaxPool2dAttrs attrs;
  const DraftId x = c.Operand({.min_rank = 4, .max_rank = 4});
  attrs.padding.resize(c.e.OneIn(2) ? 2 : 1);
  for (int64_t& padding : attrs.padding) padding = c.e.OneIn(2) ? c.e.Between(0, 2) : 0;
  for (int i = 0; i < 2; ++i) {
    const int64_t padding = attrs.padding_of(i);
    attrs.pool_size[i] = std::min(padding + c.e.Between(1, 4), c.shape(x)[2 + i] + 2 * padding);
    attrs.strides[i] = c.e.Between(1, 4);
  }
  attrs.ceil_mode = c.e.OneIn(2);
  return {{x}, Pack(attrs)};
}

// Windows over the last `axes` axes of x, most of which fit and hold an element of x.
template <typename Attrs>
void DrawPools(CallContext& c, const Shape& x, int axes, Attrs& attrs) {
  for (int axis = x.rank() - axes; axis < x.rank(); ++axis) {
    const int64_t kernel = c.e.Between(1, std::min<int64_t>(x[axis] + 1, 4));
    attrs.kernel.push_back(kernel);
    DrawWindow(c, x[axis], kernel, attrs);
  }
}

template <typename Attrs>
Attempt DrawPool(CallContext& c) {
  Attrs attrs;
  const DraftId x = c.Operand({.min_rank = 3, .max_rank = 5});
  DrawPools(c, c.shape(x), c.shape(x).rank() - 2, attrs);
  attrs.ceil_mode = c.e.OneIn(2);
  if constexpr (std::is_same_v<Attrs, AveragePoolAttrs>) {
    attrs.count_include_pad = c.e.OneIn(2);
    attrs.zero_in = c.e.Between(-9, 9);
    attrs.multiplier = c.e.OneIn(2) ? c.e.Between(1, 1 << 10) : 1;
    attrs.shift = c.e.OneIn(2) ? c.e.Between(0, 12) : 0;
    attrs.rounding = c.e.Pick(
        {Rounding::kFloor, Rounding::kHalfUp, Rounding::kHalfAway, Rounding::kHalfEven, Rounding::kTrunc});
    attrs.zero_out = c.e.Between(-9, 9);
    if (c.e.OneIn(2)) {
      const Interval clamp = RandomInterval(c.e, TensorLimit(Profile::kCore));
      attrs.lo = clamp.lo;
      attrs.hi = clamp.hi;
    }
  }
  return {{x}, Pack(attrs)};
}

Attempt DrawWindowSum(CallContext& c) {
  WindowSumAttrs attrs;
  const DraftId x = c.Operand({.min_rank = c.e.OneIn(2) ? 3 : 1, .max_rank = 5});
  const int rank = c.shape(x).rank();
  const bool of_planes = rank > 2 && !c.e.OneIn(3);
  if (of_planes) {
    for (auto* trivial : {&attrs.kernel, &attrs.stride, &attrs.dilation}) trivial->assign(2, 1);
    for (auto* trivial : {&attrs.pad_begin, &attrs.pad_end}) trivial->assign(2, 0);
  }
  DrawPools(c, c.shape(x), of_planes ? rank - 2 : rank, attrs);
  attrs.zero = c.e.OneIn(2) ? c.e.Between(-100, 100) : 0;
  return {{x}, Pack(attrs)};
}

}  // namespace

CallGenerator FindPoolingCallGenerator(Opcode op) {
  switch (op) {
    case Opcode::kMaxPool2d: return DrawMaxPool2d;
    case Opcode::kMaxPool:
    case Opcode::kMaxPoolIndices: return DrawPool<PoolAttrs>;
    case Opcode::kWindowSum: return DrawWindowSum;
    case Opcode::kAveragePool: return DrawPool<AveragePoolAttrs>;
    default: return nullptr;
  }
}

}  // namespace tally
