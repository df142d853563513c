#include "engines/testing/schedule_run.h"

#include <algorithm>
#include <utility>

#include "base/hash/tensor_leaves.h"
#include "engines/check/function_evaluator.h"
#include "engines/testing/group_values.h"

namespace tally {
namespace {

// A byte that no value of a test is likely to be, where nothing has been written.
constexpr uint8_t kPoison = 0xa5;

Tensor Copied(const TensorView& view) { return Tensor::Copy(view, view.storage); }

}  // namespace

ScheduleRun::ScheduleRun(const FunctionView& function, const Schedule& schedule, std::string_view name,
                         RunCheck& check)
    : function_(function),
      schedule_(schedule),
      name_(name),
      check_(check),
      arena_(static_cast<size_t>(schedule.arena_bytes), kPoison) {}

uint8_t* ScheduleRun::At(BufferId id) {
  const auto [root, offset] = schedule_.PlaceOf(id);
  const Buffer& buffer = schedule_.buffers[root];
  if (buffer.offset >= 0) return arena_.data() + buffer.offset + offset;
  const auto [memory, is_new] = memory_.try_emplace(root);
  if (is_new) {
    if (buffer.is_constant()) {
      memory->second.assign(buffer.constant.begin(), buffer.constant.end());
    } else {
      memory->second.assign(static_cast<size_t>(buffer.size_bytes), kPoison);
    }
  }
  return memory->second.data() + offset;
}

// The position of element i in the order of the shape, where it is among those of the place.
int64_t ScheduleRun::ElementAt(const Place& place, int64_t i) const {
  const Shape& shape = place.ref.type.shape;
  if (place.ref.layout == Layout::kRowMajor || !HasChannels(shape)) return i;
  const int64_t channels = shape[1], positions = shape.num_elements() / (shape[0] * channels);
  const int64_t position = i % positions, channel = i / positions % channels, n = i / positions / channels;
  return (n * positions + position) * (place.row_channels > 0 ? place.row_channels : channels) + channel;
}

Tensor ScheduleRun::Load(const Place& place) {
  const ValueRef& ref = place.ref;
  const uint8_t* const bytes = At(ref.buffer);
  Tensor value(ref.type.shape, ref.storage);
  for (int64_t i = 0; i < ref.type.shape.num_elements(); ++i) {
    StoreElement(ref.storage, value.mutable_bytes().data(), i,
                 LoadElement(ref.storage, bytes, ElementAt(place, i)));
  }
  return value;
}

void ScheduleRun::Store(const Tensor& value, const Place& place) {
  uint8_t* const bytes = At(place.ref.buffer);
  for (int64_t i = 0; i < value.shape().num_elements(); ++i) {
    StoreElement(place.ref.storage, bytes, ElementAt(place, i), value.view().at(i));
  }
}

Tensor ScheduleRun::Read(const ScheduledOp& op, size_t i) {
  if (has_buffers()) return Load({op.operands[i]});
  const TensorView* const constant = function_.constant(op.reads[i]);
  return Copied(constant != nullptr ? *constant : values_.at(op.reads[i]).view());
}

ScheduleRun::Place ScheduleRun::PlaceOfResult(const ScheduledOp& op, size_t r) const {
  Place place = {op.results[r]};
  if (op.group >= 0 && schedule_.groups[op.group].concat) {
    place.row_channels = function_.type(*schedule_.groups[op.group].concat).shape[1];
  }
  return place;
}

void ScheduleRun::Compare(ValueId id, const Tensor& value, size_t op, std::string_view did) {
  check_.Compare(id, {Layout::kRowMajor, value.storage(), value.bytes().data()}, {op, name_, did});
}

void ScheduleRun::Run(std::span<const TensorView> inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (has_buffers()) {
      Store(Copied(inputs[i]), {schedule_.params[i]});
    } else {
      values_.emplace(static_cast<ValueId>(i), Copied(inputs[i]));
    }
  }
  for (size_t op = 0; op < schedule_.ops.size() && check_.status().ok(); ++op) RunOp(schedule_.ops[op], op);
  if (!has_buffers()) return;
  for (size_t r = 0; r < schedule_.results.size(); ++r) {
    const Tensor value = Load({schedule_.results[r]});
    check_.CompareResult(r, {Layout::kRowMajor, value.storage(), value.bytes().data()});
  }
}

void ScheduleRun::RunOp(const ScheduledOp& op, size_t number) {
  const bool is_view = op.kind == ScheduledOpKind::kView;
  // The value that a view is of may be gone when nothing reads it.
  if (has_buffers() && is_view) return;
  std::vector<Tensor> operands;
  for (size_t i = 0; i < op.reads.size(); ++i) {
    operands.push_back(Read(op, i));
    Compare(op.reads[i], operands.back(), number, "is to read");
  }
  const std::vector<Tensor> results = Compute(op, std::move(operands));
  for (size_t r = 0; r < results.size(); ++r) {
    if (!has_buffers()) {
      values_.insert_or_assign(op.writes[r], results[r]);
    } else {
      Store(results[r], PlaceOfResult(op, r));
    }
    if (r < op.writes.size()) {
      Compare(op.writes[r], has_buffers() ? Load(PlaceOfResult(op, r)) : results[r], number, "wrote");
    }
  }
}

std::vector<Tensor> ScheduleRun::Compute(const ScheduledOp& op, std::vector<Tensor> operands) const {
  switch (op.kind) {
    case ScheduledOpKind::kCopy:
    case ScheduledOpKind::kConvert:
    case ScheduledOpKind::kStore: return operands;
    case ScheduledOpKind::kRoot: {
      const Digest root = TensorRoot(operands[0].view(), op.operands[0].layout);
      const std::span<const uint8_t> bytes(root);
      return {Copied({Storage::kI8, op.results[0].type.shape, bytes})};
    }
    case ScheduledOpKind::kFusionGroup:
      return {ComputeGroup(function_, schedule_.groups[op.group], std::move(operands))};
    case ScheduledOpKind::kView:
    case ScheduledOpKind::kInstruction: break;
  }
  std::vector<TensorView> views;
  for (const Tensor& operand : operands) views.push_back(operand.view());
  return EvaluateInstruction(function_.module(), function_.function(), op.instruction, views);
}

}  // namespace tally
