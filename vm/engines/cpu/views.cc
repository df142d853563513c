#include "vm/engines/cpu/views.h"

#include <algorithm>
#include <optional>

#include "ops/layout/slice_shape.h"

namespace tally::cpu {
namespace {

ValueId ResultOf(const ProgramBuilder& builder, size_t step) {
  return builder.facts().instructions[step].first_result;
}

// Kernels expect their operands to begin so.
bool IsAligned(int64_t offset_bytes) { return offset_bytes % kBufferAlignment == 0; }

bool AddReshape(ProgramBuilder& builder, size_t step) {
  const ValueId y = ResultOf(builder, step);
  const ValueRef x = builder.Get(builder.instruction(step).operands[0], Layout::kRowMajor);
  builder.Set(y, builder.View(x, builder.type(y)));
  return true;
}

bool AddRelabelled(ProgramBuilder& builder, size_t step) {
  const Instruction& instruction = builder.instruction(step);
  const ValueId y = ResultOf(builder, step);
  const int rank = builder.type(y).shape.rank();
  if (builder.constant(instruction.operands[0]) != nullptr || !HasChannels(builder.type(y).shape))
    return false;
  std::vector<int64_t> axes = Unpack<TransposeAttrs>(instruction.attributes).axes;
  for (int64_t& axis : axes) axis = axis < 0 ? axis + rank : axis;
  for (const Layout layout : {Layout::kRowMajor, Layout::kChannelsLast}) {
    if (axes != AxesInto(layout, rank) || !builder.Has(instruction.operands[0], layout)) continue;
    ValueRef view = builder.View(builder.Get(instruction.operands[0], layout), builder.type(y));
    view.layout = layout == Layout::kRowMajor ? Layout::kChannelsLast : Layout::kRowMajor;
    builder.Set(y, view);
    return true;
  }
  return false;
}

// By axis, where the slice `step` begins; nothing when it does not take neighbours.
std::optional<std::vector<int64_t>> BeginOfSlice(const ProgramBuilder& builder, size_t step) {
  const Instruction& instruction = builder.instruction(step);
  const Shape& x = builder.type(instruction.operands[0]).shape;
  std::vector<int64_t> begin(x.rank());
  if (instruction.op == Opcode::kSliceLike) return begin;
  const auto attrs = Unpack<StridedSliceAttrs>(instruction.attributes);
  for (int axis = 0; axis < x.rank(); ++axis) {
    const AxisSlice slice = SliceOfAxis(attrs, axis, x[axis]);
    if (slice.stride != 1 && slice.length > 1) return std::nullopt;
    begin[axis] = slice.begin;
  }
  return begin;
}

bool AddSlice(ProgramBuilder& builder, size_t step) {
  const ValueId x = builder.instruction(step).operands[0], y = ResultOf(builder, step);
  const auto begin = BeginOfSlice(builder, step);
  if (!begin) return false;
  const Shape &from = builder.type(x).shape, &to = builder.type(y).shape;
  for (const Layout layout : {Layout::kChannelsLast, Layout::kRowMajor}) {
    if (!builder.Has(x, layout)) continue;
    const std::vector<int64_t> axes = OrderOfAxes(from, layout);
    // From the innermost axis outward: behind an axis that is cut, only one element of each.
    int64_t offset = 0, distance = 1;
    bool cut = false, side_by_side = true;
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
      const auto a = static_cast<int>(*axis);
      side_by_side &= !cut || to[a] == 1;
      cut |= to[a] != from[a];
      offset += (*begin)[a] * distance;
      distance *= from[a];
    }
    const ValueRef whole = builder.Get(x, layout);
    offset *= SizeBytes(whole.storage);
    if (!side_by_side || !IsAligned(offset)) continue;
    builder.Set(y, builder.View(whole, builder.type(y), offset));
    return true;
  }
  return false;
}

bool AddConcatenation(ProgramBuilder& builder, size_t step) {
  const Instruction& instruction = builder.instruction(step);
  const ValueId result = ResultOf(builder, step);
  if (builder.Has(result, Layout::kChannelsLast)) {  // written by the fusion groups that compute its operands
    builder.Set(result, builder.Get(result, Layout::kChannelsLast));
    return true;
  }
  const TensorType& type = builder.type(result);
  const bool channels_last =
      std::ranges::any_of(instruction.operands, [&](ValueId id) { return builder.IsChannelsLast(id); });
  const Layout layout = channels_last ? Layout::kChannelsLast : Layout::kRowMajor;
  const auto axis = Unpack<ConcatenateAttrs>(instruction.attributes).axis;
  for (const int64_t outer : OrderOfAxes(type.shape, layout)) {
    if (outer == (axis < 0 ? axis + type.shape.rank() : axis)) break;
    if (type.shape[static_cast<int>(outer)] != 1) return false;
  }
  int64_t offset = 0;
  bool can_place = false;
  for (const ValueId id : instruction.operands) {
    if (!IsAligned(offset) || builder.type(id).storage() != type.storage()) return false;
    offset += builder.type(id).size_bytes();
    can_place |= !builder.Has(id, layout) || builder.CanPlaceInside(builder.Get(id, layout));
  }
  if (!can_place) return false;

  const ValueRef y = builder.NewValue(type, layout);
  offset = 0;
  for (const ValueId id : instruction.operands) {
    const ValueRef x = builder.Get(id, layout);
    if (builder.CanPlaceInside(x)) {
      builder.PlaceInside(x, y, offset);
    } else {
      OperatorCall copy = {
          instruction.op, instruction.attributes, {x}, {builder.View(y, builder.type(id), offset)}};
      const KernelEntry* kernel = builder.FindKernel(copy, layout, {});
      builder.AddOperator(std::move(copy), kernel, {});
    }
    offset += builder.type(id).size_bytes();
  }
  builder.Set(result, y);
  return true;
}

bool TryView(ProgramBuilder& builder, size_t step) {
  const Opcode op = builder.instruction(step).op;
  if (IsView(op)) return AddReshape(builder, step);
  if (op == Opcode::kTranspose) return AddRelabelled(builder, step);
  if (!builder.context().parts_are_views) return false;
  if (op == Opcode::kStridedSlice || op == Opcode::kSliceLike) return AddSlice(builder, step);
  return op == Opcode::kConcatenate && AddConcatenation(builder, step);
}

}  // namespace

bool AddView(ProgramBuilder& builder, size_t step) {
  if (!TryView(builder, step)) return false;
  builder.program().views.emplace_back(InfoOf(builder.instruction(step).op).name);
  return true;
}

}  // namespace tally::cpu
