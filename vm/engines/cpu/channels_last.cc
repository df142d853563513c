#include "vm/engines/cpu/channels_last.h"

#include <algorithm>

#include "ops/layout/attrs.h"
#include "ops/reduction/attrs.h"
#include "ops/rescale/attrs.h"

namespace tally::cpu {
namespace {

// How the operands of an operator meet its result.
enum class Kind {
  kOther,
  kBroadcast,    // element by element; shapes broadcast
  kFirstOnly,    // element by element of operand 0; the others are tables or parameters
  kConcatenate,  // side by side
  kMovement,     // one operand, attributes by axis
  kReduction,
};

Kind KindOf(Opcode op) {
  switch (op) {
    case Opcode::kBroadcastAdd:
    case Opcode::kBroadcastSub:
    case Opcode::kBroadcastMul:
    case Opcode::kBroadcastDiv:
    case Opcode::kBroadcastMax:
    case Opcode::kBroadcastMin:
    case Opcode::kBroadcastGreater:
    case Opcode::kElemwiseAdd:
    case Opcode::kElemwiseSub:
    case Opcode::kAbs:
    case Opcode::kNegative:
    case Opcode::kRelu:
    case Opcode::kClip:
    case Opcode::kCvmPrecision:
    case Opcode::kDivide:
    case Opcode::kModulo:
    case Opcode::kPower:
    case Opcode::kShiftLeft:
    case Opcode::kShiftRight:
    case Opcode::kBitwiseAnd:
    case Opcode::kBitwiseOr:
    case Opcode::kBitwiseXor:
    case Opcode::kClz:
    case Opcode::kSqrt:
    case Opcode::kCompare:
    case Opcode::kSelect:
    case Opcode::kLincomb:
    case Opcode::kMulshift: return Kind::kBroadcast;
    case Opcode::kRescale:
    case Opcode::kTable:
    case Opcode::kCvmLut: return Kind::kFirstOnly;
    case Opcode::kConcatenate: return Kind::kConcatenate;
    case Opcode::kPad: return Kind::kMovement;
    case Opcode::kReduce: return Kind::kReduction;
    default: return Kind::kOther;
  }
}

// Where an axis of the shape lies among the bytes.
int64_t PhysicalAxis(int64_t axis, int rank) {
  const int64_t a = axis < 0 ? axis + rank : axis;
  return a == 0 ? 0 : a == 1 ? rank - 1 : a - 1;
}

std::vector<int64_t> Permuted(const std::vector<int64_t>& by_axis, int rank) {
  std::vector<int64_t> permuted;
  for (const int64_t axis : AxesInto(Layout::kChannelsLast, rank)) permuted.push_back(by_axis[axis]);
  return permuted;
}

// The operand as if it were row-major with the shape of its bytes.
ValueRef Physical(ValueRef value) {
  value.type.shape = PhysicalShape(value.type.shape, value.layout);
  value.layout = Layout::kRowMajor;
  return value;
}

// An operand of a broadcast, brought to the rank of the result; nothing when its bytes would have to move.
std::optional<ValueRef> Broadcast(ProgramBuilder& builder, ValueId id, int rank) {
  const Shape& shape = builder.type(id).shape;
  const TensorView* constant = builder.constant(id);
  if (shape.rank() == rank && constant == nullptr) return Physical(builder.Get(id, Layout::kChannelsLast));
  std::vector<int64_t> dims(rank - shape.rank(), 1);
  dims.insert(dims.end(), shape.dims().begin(), shape.dims().end());
  TensorType type = {*Shape::Create(dims), builder.type(id).interval};
  if (SameInBothLayouts(type.shape)) {
    ValueRef value = builder.View(builder.Get(id, Layout::kRowMajor), type);
    value.layout = Layout::kChannelsLast;
    return Physical(value);
  }
  if (constant == nullptr) return std::nullopt;
  // A constant moves once, when the plan is made.
  const int64_t positions = type.shape.num_elements() / (type.shape[0] * type.shape[1]),
                channels = type.shape[1];
  const int64_t size = SizeBytes(constant->storage);
  AlignedVector<uint8_t> bytes(constant->bytes.size());
  for (int64_t n = 0; n < type.shape[0]; ++n) {
    for (int64_t c = 0; c < channels; ++c) {
      for (int64_t p = 0; p < positions; ++p) {
        std::copy_n(constant->bytes.data() + ((n * channels + c) * positions + p) * size, size,
                    bytes.data() + ((n * positions + p) * channels + c) * size);
      }
    }
  }
  const BufferId buffer = builder.NewConstant(std::move(bytes));
  return Physical({buffer, type, constant->storage, Layout::kChannelsLast});
}

}  // namespace

std::optional<OperatorCall> OnPermutedShapes(ProgramBuilder& builder, size_t step) {
  const Instruction& instruction = builder.module().module().functions[builder.function()].body[step];
  const InstructionFacts& facts = builder.facts().instructions[step];
  const TensorType& y = builder.type(facts.first_result);
  const int rank = y.shape.rank();
  const Kind kind = KindOf(instruction.op);
  if (kind == Kind::kOther || facts.num_results != 1 || !HasChannels(y.shape)) return std::nullopt;
  OperatorCall call = {instruction.op, instruction.attributes, {}, {}};
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    const ValueId id = instruction.operands[i];
    if (kind == Kind::kFirstOnly && i > 0) {
      call.operands.push_back(builder.Get(id, Layout::kRowMajor));
    } else if (kind == Kind::kBroadcast) {
      const auto operand = Broadcast(builder, id, rank);
      if (!operand) return std::nullopt;
      call.operands.push_back(*operand);
    } else {
      if (builder.type(id).shape.rank() != rank || builder.constant(id) != nullptr) return std::nullopt;
      call.operands.push_back(Physical(builder.Get(id, Layout::kChannelsLast)));
    }
  }
  switch (instruction.op) {
    case Opcode::kRescale: {
      auto attrs = Unpack<RescaleAttrs>(call.attributes);
      if (builder.type(instruction.operands[1]).shape.num_elements() > 1)
        attrs.axis = PhysicalAxis(attrs.axis, rank);
      call.attributes = Pack(attrs);
      break;
    }
    case Opcode::kConcatenate: {
      auto attrs = Unpack<ConcatenateAttrs>(call.attributes);
      attrs.axis = PhysicalAxis(attrs.axis, rank);
      call.attributes = Pack(attrs);
      break;
    }
    case Opcode::kPad: {
      auto attrs = Unpack<PadAttrs>(call.attributes);
      attrs.before = Permuted(attrs.before, rank);
      attrs.after = Permuted(attrs.after, rank);
      call.attributes = Pack(attrs);
      break;
    }
    case Opcode::kReduce: {
      auto attrs = Unpack<ReduceAttrs>(call.attributes);
      if (!attrs.keepdims) return std::nullopt;
      for (int64_t& axis : attrs.axes) axis = PhysicalAxis(axis, rank);
      std::sort(attrs.axes.begin(), attrs.axes.end());
      call.attributes = Pack(attrs);
      break;
    }
    default: break;
  }
  return call;
}

}  // namespace tally::cpu
