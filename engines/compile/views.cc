#include "engines/compile/views.h"

#include <algorithm>
#include <optional>

#include "ops/layout/attrs.h"
#include "ops/layout/slice_shape.h"
#include "vm/memory_planner.h"

namespace tally {
namespace {

// Kernels expect their operands to begin so.
bool IsAligned(int64_t offset_bytes) { return offset_bytes % kBufferAlignment == 0; }

void AddViewOp(ValueForms& values, size_t step, std::vector<ValueRef> operands, const ValueRef& y) {
  const ValueId id = values.result(step);
  values.Add({.kind = ScheduledOpKind::kView,
              .instruction = step,
              .reads = values.instruction(step).operands,
              .writes = {id},
              .layout = y.layout,
              .operands = std::move(operands),
              .results = {y}});
  values.schedule().views.emplace_back(InfoOf(values.instruction(step).op).name);
  values.Set(id, y);
}

bool AddReshape(ValueForms& values, size_t step) {
  const ValueRef x = values.Get(values.instruction(step).operands[0], Layout::kRowMajor);
  AddViewOp(values, step, {x}, values.schedule().View(x, values.type(values.result(step))));
  return true;
}

bool AddRelabelled(ValueForms& values, size_t step) {
  const Instruction& instruction = values.instruction(step);
  const TensorType& y = values.type(values.result(step));
  const int rank = y.shape.rank();
  if (values.constant(instruction.operands[0]) != nullptr || !HasChannels(y.shape)) return false;
  std::vector<int64_t> axes = Unpack<TransposeAttrs>(instruction.attributes).axes;
  for (int64_t& axis : axes) axis = axis < 0 ? axis + rank : axis;
  for (const Layout layout : {Layout::kRowMajor, Layout::kChannelsLast}) {
    if (axes != AxesInto(layout, rank) || !values.Has(instruction.operands[0], layout)) continue;
    const ValueRef x = values.Get(instruction.operands[0], layout);
    ValueRef view = values.schedule().View(x, y);
    view.layout = OtherLayout(layout);
    AddViewOp(values, step, {x}, view);
    return true;
  }
  return false;
}

// By axis, where the slice `step` begins; nothing when it does not take neighbours.
std::optional<std::vector<int64_t>> BeginOfSlice(const FunctionView& function, size_t step) {
  const Instruction& instruction = function.instruction(step);
  const Shape& x = function.type(instruction.operands[0]).shape;
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

bool AddSlice(ValueForms& values, size_t step) {
  const ValueId x = values.instruction(step).operands[0];
  const TensorType& y = values.type(values.result(step));
  const auto begin = BeginOfSlice(values, step);
  if (!begin) return false;
  const Shape &from = values.type(x).shape, &to = y.shape;
  for (const Layout layout : {Layout::kChannelsLast, Layout::kRowMajor}) {
    if (!values.Has(x, layout)) continue;
    const std::vector<int64_t> axes = OrderOfAxes(from, layout);
    // From the innermost axis outward: after an axis that is cut, only one element of each.
    int64_t offset = 0, distance = 1;
    bool cut = false, side_by_side = true;
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
      const auto a = static_cast<int>(*axis);
      side_by_side &= !cut || to[a] == 1;
      cut |= to[a] != from[a];
      offset += (*begin)[a] * distance;
      distance *= from[a];
    }
    const ValueRef whole = values.Get(x, layout);
    offset *= SizeBytes(whole.storage);
    if (!side_by_side || !IsAligned(offset)) continue;
    AddViewOp(values, step, {whole}, values.schedule().View(whole, y, offset));
    return true;
  }
  return false;
}

// Whether an operand may become a part of a concatenation as far as one can report before steps are selected.
bool MayMove(ValueForms& values, ValueId id, Layout layout) {
  if (!values.Has(id, layout)) return true;
  const ValueRef x = values.Get(id, layout);
  const Schedule& schedule = values.schedule();
  const Buffer& root = schedule.buffers[schedule.Root(x.buffer)];
  return !schedule.IsPart(x.buffer) && !root.is_constant() && !root.is_param;
}

bool AddConcatenation(ValueForms& values, size_t step) {
  const Instruction& instruction = values.instruction(step);
  const ValueId result = values.result(step);
  if (values.Has(result, Layout::kChannelsLast)) {  // written by the fusion groups that compute its operands
    AddViewOp(values, step, {}, values.Get(result, Layout::kChannelsLast));
    return true;
  }
  const TensorType& type = values.type(result);
  const bool channels_last =
      std::ranges::any_of(instruction.operands, [&](ValueId id) { return values.IsChannelsLast(id); });
  const Layout layout = channels_last ? Layout::kChannelsLast : Layout::kRowMajor;
  const auto axis = Unpack<ConcatenateAttrs>(instruction.attributes).axis;
  for (const int64_t outer : OrderOfAxes(type.shape, layout)) {
    if (outer == (axis < 0 ? axis + type.shape.rank() : axis)) break;
    if (type.shape[static_cast<int>(outer)] != 1) return false;
  }
  int64_t offset = 0;
  bool may_move = false;
  for (const ValueId id : instruction.operands) {
    if (!IsAligned(offset) || values.type(id).storage() != type.storage()) return false;
    offset += values.type(id).size_bytes();
    may_move |= MayMove(values, id, layout);
  }
  if (!may_move) return false;

  const ValueRef y = values.schedule().NewValue(type, layout);
  std::vector<ValueRef> operands;
  offset = 0;
  for (const ValueId id : instruction.operands) {
    const ValueRef x = operands.emplace_back(values.Get(id, layout));
    values.Add({.kind = ScheduledOpKind::kCopy,
                .instruction = step,
                .reads = {id},
                .writes = {id},
                .layout = layout,
                .operands = {x},
                .results = {values.schedule().View(y, values.type(id), offset)}});
    offset += values.type(id).size_bytes();
  }
  AddViewOp(values, step, std::move(operands), y);
  return true;
}

}  // namespace

bool AddView(ValueForms& values, size_t step, bool parts_are_views) {
  const Opcode op = values.instruction(step).op;
  if (IsView(op)) return AddReshape(values, step);
  if (op == Opcode::kTranspose) return AddRelabelled(values, step);
  if (!parts_are_views) return false;
  if (op == Opcode::kStridedSlice || op == Opcode::kSliceLike) return AddSlice(values, step);
  return op == Opcode::kConcatenate && AddConcatenation(values, step);
}

}  // namespace tally
