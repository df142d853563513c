// Moves that move no element, or would not have to: reshapes, transposes between layouts, slices on cache
// lines and beside them.
#include <algorithm>
#include <numeric>

#include "fuzz/generators/network.h"
#include "ops/layout/attrs.h"

namespace tally {
namespace {

bool MakeReshape(Network& n) {
  const DraftId x = n.Take(kAnything);
  const Shape folded = n.Folded(n.shape(x), static_cast<int>(n.e.Between(1, 5)));
  return n.Op(Opcode::kReshape, {x}, ReshapeAttrs{.shape = {folded.dims().begin(), folded.dims().end()}})
      .has_value();
}

bool MakeFlatten(Network& n) { return n.Op(Opcode::kFlatten, {n.Take(kAnything)}).has_value(); }

// To one position and no position.
bool MakeAxes(Network& n) {
  const DraftId x = n.Take(kAnything);
  if (n.e.OneIn(2)) return n.Op(Opcode::kSqueeze, {x}, SqueezeAttrs{}).has_value();
  return n
      .Op(Opcode::kExpandDims, {x},
          ExpandDimsAttrs{.axis = n.e.OneIn(2) ? -1 : 0, .num_newaxis = n.e.Between(1, 2)})
      .has_value();
}

// Channels to the end and back, and now and then anything.
bool MakeTranspose(Network& n) {
  const DraftId x = n.Take({.min_rank = 2, .max_rank = 5});
  const int rank = n.shape(x).rank();
  std::vector<int64_t> axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  if (n.e.OneIn(4)) {
    for (int i = 0; i < rank; ++i) std::swap(axes[i], axes[n.e.Between(0, i)]);
  } else if (n.e.OneIn(2)) {
    std::rotate(axes.begin() + 1, axes.begin() + std::min(2, rank), axes.end());
  } else {
    std::rotate(axes.begin() + 1, axes.end() - 1, axes.end());
  }
  if (n.e.OneIn(4)) axes[0] -= rank;
  return n.Op(Opcode::kTranspose, {x}, TransposeAttrs{axes}).has_value();
}

// A half or a quarter of one axis, or any part.
bool MakeSlice(Network& n) {
  const DraftId x = n.Take(kAnything);
  const Shape shape = n.shape(x);
  const int axis = n.AnyAxis(shape);
  const int64_t size = shape[axis];
  const int64_t length =
      n.e.OneIn(3) ? n.e.Between(1, size) : std::max<int64_t>(1, size / n.e.Pick<int64_t>({2, 4}));
  const int64_t begin = n.e.OneIn(3)   ? 0
                        : n.e.OneIn(2) ? n.e.Between(0, size - length)
                                       : n.e.Between(0, size / length - 1) * length;
  StridedSliceAttrs attrs;
  for (int i = 0; i < shape.rank(); ++i) {
    attrs.begin.push_back(i == axis ? begin : 0);
    attrs.end.push_back(i == axis ? begin + length : shape[i]);
    attrs.stride.push_back(1);
  }
  return n.Op(Opcode::kStridedSlice, {x}, attrs).has_value();
}

bool MakePad(Network& n) {
  const DraftId x = n.Take(kAnything);
  PadAttrs attrs = {.mode = static_cast<PadMode>(n.e.OneIn(2) ? 0 : n.e.Between(0, 4))};
  for (int axis = 0; axis < n.shape(x).rank(); ++axis) {
    attrs.before.push_back(n.e.OneIn(3) ? n.e.Between(0, 2) : 0);
    attrs.after.push_back(n.e.OneIn(3) ? n.e.Between(0, 2) : 0);
  }
  if (attrs.mode == PadMode::kConstant) attrs.value = n.e.Between(-3, 3);
  return n.Op(Opcode::kPad, {x}, attrs).has_value();
}

constexpr Move kMovesOfViews[] = {
    {"reshape", MakeReshape},     {"flatten", MakeFlatten}, {"axes", MakeAxes},
    {"transpose", MakeTranspose}, {"slice", MakeSlice},     {"pad", MakePad, Profile::kCore},
};

}  // namespace

std::span<const Move> MovesOfViews() { return kMovesOfViews; }

}  // namespace tally
