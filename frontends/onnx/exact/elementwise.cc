#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/rescale.h"
#include "base/status_macros.h"
#include "frontends/onnx/exact/fixed_point.h"
#include "frontends/onnx/exact/operators.h"
#include "frontends/onnx/model/labels.h"
#include "ops/comparison/attrs.h"
#include "ops/elementwise/attrs.h"

namespace tally::onnx {
namespace {

// One operand, one result of the same scale.
absl::StatusOr<ExactResults> Unary(ExactNode& node, Opcode op) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  ASSIGN_OR_RETURN(const Value y, node.c().Apply(op, {x.value}));
  return ExactResults{x.With(y)};
}

// Any number of operands of one scale, broadcast, and a result of that scale.
template <typename Attrs = NoAttrs>
absl::StatusOr<ExactResults> Aligned(ExactNode& node, Opcode op, const Attrs& attrs = {}) {
  ASSIGN_OR_RETURN(const ExactValues x, node.AlignedInputs());
  if (x.empty()) return MakeError(label::model_malformed, "no inputs");
  Value y = x[0].value;
  for (size_t i = 1; i < x.size(); ++i) {
    ASSIGN_OR_RETURN(y, node.c().Apply(op, {y, x[i].value}, attrs));
  }
  return ExactResults{x[0].With(y)};
}

// To an integer, by the rounding of a shift.
absl::StatusOr<ExactValue> ToInteger(ExactNode& node, const ExactValue& x, Rounding rounding) {
  if (x.fraction_bits == 0) return x;
  const Value shift = node.c().Constant({}, {x.fraction_bits});
  ASSIGN_OR_RETURN(const Value y,
                   node.c().Apply(Opcode::kShiftRight, {x.value, shift}, ShiftRightAttrs{rounding}));
  return ExactValue{y, 0, x.data_type};
}

absl::StatusOr<ExactResults> Rounded(ExactNode& node, Rounding rounding) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  ASSIGN_OR_RETURN(const ExactValue y, ToInteger(node, x, rounding));
  return ExactResults{y};
}

absl::StatusOr<ExactValue> Times(ExactNode& node, const ExactValue& a, const ExactValue& b) {
  ASSIGN_OR_RETURN(const Value y, node.c().Apply(Opcode::kBroadcastMul, {a.value, b.value}));
  return ExactValue{y, a.fraction_bits + b.fraction_bits, a.data_type};
}

// A float attribute as a constant of its own scale.
absl::StatusOr<ExactValue> FloatConstant(ExactNode& node, float value) {
  ::onnx::TensorProto proto;
  proto.set_data_type(::onnx::TensorProto::FLOAT);
  proto.add_float_data(value);
  ASSIGN_OR_RETURN(const FixedPoint constant, DecodeFixedPoint(proto));
  return ExactValue{node.c().Constant(constant.tensor), constant.fraction_bits, constant.data_type};
}

// x where x >= 0, else slope * x.
absl::StatusOr<ExactResults> Leaky(ExactNode& node, const ExactValue& x, const ExactValue& slope) {
  ASSIGN_OR_RETURN(const ExactValue below, Times(node, x, slope));
  const Value zero = node.c().Constant({}, {0});
  ASSIGN_OR_RETURN(const Value is_below,
                   node.c().Apply(Opcode::kCompare, {x.value, zero}, CompareAttrs{Comparison::kLess}));
  ASSIGN_OR_RETURN(const ExactValue y, node.Select(is_below, below, x));
  return ExactResults{y.With(y.value)};
}

}  // namespace

absl::StatusOr<ExactResults> ExactAbs(ExactNode& node) { return Unary(node, Opcode::kAbs); }
absl::StatusOr<ExactResults> ExactNeg(ExactNode& node) { return Unary(node, Opcode::kNegative); }
absl::StatusOr<ExactResults> ExactRelu(ExactNode& node) { return Unary(node, Opcode::kRelu); }
absl::StatusOr<ExactResults> ExactAdd(ExactNode& node) { return Aligned(node, Opcode::kBroadcastAdd); }
absl::StatusOr<ExactResults> ExactSum(ExactNode& node) { return Aligned(node, Opcode::kBroadcastAdd); }
absl::StatusOr<ExactResults> ExactSub(ExactNode& node) { return Aligned(node, Opcode::kBroadcastSub); }
absl::StatusOr<ExactResults> ExactMax(ExactNode& node) { return Aligned(node, Opcode::kBroadcastMax); }
absl::StatusOr<ExactResults> ExactMin(ExactNode& node) { return Aligned(node, Opcode::kBroadcastMin); }
absl::StatusOr<ExactResults> ExactFloor(ExactNode& node) { return Rounded(node, Rounding::kFloor); }
absl::StatusOr<ExactResults> ExactRound(ExactNode& node) { return Rounded(node, Rounding::kHalfEven); }

// -floor(-x)
absl::StatusOr<ExactResults> ExactCeil(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  ASSIGN_OR_RETURN(const Value negative, node.c().Apply(Opcode::kNegative, {x.value}));
  ASSIGN_OR_RETURN(const ExactValue floor, ToInteger(node, x.With(negative), Rounding::kFloor));
  ASSIGN_OR_RETURN(const Value y, node.c().Apply(Opcode::kNegative, {floor.value}));
  return ExactResults{floor.With(y)};
}

absl::StatusOr<ExactResults> ExactSign(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  ASSIGN_OR_RETURN(const Value y, node.Lower("sign", {x.value}));
  return ExactResults{ExactValue{y, 0, x.data_type}};
}

absl::StatusOr<ExactResults> ExactMul(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue a, node.Input(0));
  ASSIGN_OR_RETURN(const ExactValue b, node.Input(1));
  ASSIGN_OR_RETURN(const ExactValue y, Times(node, a, b));
  return ExactResults{y};
}

// Integers alone: a quotient of floats is a float only when it is rounded.
absl::StatusOr<ExactResults> ExactDiv(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue a, node.Input(0));
  ASSIGN_OR_RETURN(const ExactValue b, node.Input(1));
  if (IsFloat(a.data_type)) return MakeError(label::model_inexact, "a quotient of floats is rounded");
  RETURN_IF_ERROR(node.CheckDivisor(b.value));
  return Aligned(node, Opcode::kDivide, DivideAttrs{Rounding::kTrunc});
}

// fmod takes the sign of the dividend, which floats always do.
absl::StatusOr<ExactResults> ExactMod(ExactNode& node) {
  ASSIGN_OR_RETURN(const bool fmod, node.attributes().Bool("fmod", false));
  ASSIGN_OR_RETURN(const ExactValue b, node.Input(1));
  RETURN_IF_ERROR(node.CheckDivisor(b.value));
  return Aligned(node, Opcode::kModulo, ModuloAttrs{fmod ? Remainder::kTrunc : Remainder::kFloor});
}

absl::StatusOr<ExactResults> ExactPow(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue a, node.Input(0));
  ASSIGN_OR_RETURN(const ExactValue b, node.Input(1));
  if (a.fraction_bits != 0 || b.fraction_bits != 0)
    return MakeError(label::model_inexact, "a power of a fraction");
  ASSIGN_OR_RETURN(const Value y, node.c().Apply(Opcode::kPower, {a.value, b.value}));
  return ExactResults{a.With(y)};
}

absl::StatusOr<ExactResults> ExactPRelu(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  ASSIGN_OR_RETURN(const ExactValue slope, node.Input(1));
  return Leaky(node, x, slope);
}

absl::StatusOr<ExactResults> ExactLeakyRelu(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  ASSIGN_OR_RETURN(const float alpha, node.attributes().Float("alpha", 0.01f));
  ASSIGN_OR_RETURN(const ExactValue slope, FloatConstant(node, alpha));
  return Leaky(node, x, slope);
}

// x where x > alpha, else 0.
absl::StatusOr<ExactResults> ExactThresholdedRelu(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  ASSIGN_OR_RETURN(const float alpha, node.attributes().Float("alpha", 1.0f));
  ASSIGN_OR_RETURN(const ExactValue bound, FloatConstant(node, alpha));
  ASSIGN_OR_RETURN(const ExactValues aligned, node.Aligned({x, bound}));
  ASSIGN_OR_RETURN(const Value above, node.c().Apply(Opcode::kCompare, {aligned[0].value, aligned[1].value},
                                                     CompareAttrs{Comparison::kGreater}));
  const Value zero = node.c().Constant({}, {0});
  ASSIGN_OR_RETURN(const Value y, node.c().Apply(Opcode::kSelect, {above, x.value, zero}));
  return ExactResults{x.With(y)};
}

// x + bias where x < -lambd, x - bias where x > lambd, else 0; of integers towards zero.
absl::StatusOr<ExactResults> ExactShrink(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  ASSIGN_OR_RETURN(const float bias_attribute, node.attributes().Float("bias", 0.0f));
  ASSIGN_OR_RETURN(const float bound_attribute, node.attributes().Float("lambd", 0.5f));
  ASSIGN_OR_RETURN(const ExactValue bias, FloatConstant(node, bias_attribute));
  ASSIGN_OR_RETURN(const ExactValue bound, FloatConstant(node, bound_attribute));
  Composition& c = node.c();
  ASSIGN_OR_RETURN(const ExactValues aligned, node.Aligned({x, bias, bound}));
  const Value wide = aligned[0].value, offset = aligned[1].value, limit = aligned[2].value;
  ASSIGN_OR_RETURN(const Value negative, c.Apply(Opcode::kNegative, {limit}));
  ASSIGN_OR_RETURN(const Value below,
                   c.Apply(Opcode::kCompare, {wide, negative}, CompareAttrs{Comparison::kLess}));
  ASSIGN_OR_RETURN(const Value above,
                   c.Apply(Opcode::kCompare, {wide, limit}, CompareAttrs{Comparison::kGreater}));
  ASSIGN_OR_RETURN(const Value raised, c.Apply(Opcode::kBroadcastAdd, {wide, offset}));
  ASSIGN_OR_RETURN(const Value lowered, c.Apply(Opcode::kBroadcastSub, {wide, offset}));
  ASSIGN_OR_RETURN(Value y, c.Apply(Opcode::kSelect, {above, lowered, c.Constant({}, {0})}));
  ASSIGN_OR_RETURN(y, c.Apply(Opcode::kSelect, {below, raised, y}));
  ExactValue shrunk = aligned[0].With(y);
  shrunk.data_type = x.data_type;
  if (!IsFloat(x.data_type)) {
    ASSIGN_OR_RETURN(shrunk, ToInteger(node, shrunk, Rounding::kTrunc));
  }
  return ExactResults{shrunk};
}

// The bounds are attributes before opset 11, then inputs; a bound that is left out is no bound.
absl::StatusOr<ExactResults> ExactClip(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  std::optional<ExactValue> lo, hi;
  if (node.opset() < 11) {
    const bool has_lo = node.attributes().Find("min") != nullptr,
               has_hi = node.attributes().Find("max") != nullptr;
    ASSIGN_OR_RETURN(const float min, node.attributes().Float("min", 0));
    ASSIGN_OR_RETURN(const float max, node.attributes().Float("max", 0));
    if (has_lo) {
      ASSIGN_OR_RETURN(lo, FloatConstant(node, min));
    }
    if (has_hi) {
      ASSIGN_OR_RETURN(hi, FloatConstant(node, max));
    }
  } else {
    if (node.HasInput(1)) {
      ASSIGN_OR_RETURN(lo, node.Input(1));
    }
    if (node.HasInput(2)) {
      ASSIGN_OR_RETURN(hi, node.Input(2));
    }
  }
  int fraction_bits = x.fraction_bits;
  if (lo) fraction_bits = std::max(fraction_bits, lo->fraction_bits);
  if (hi) fraction_bits = std::max(fraction_bits, hi->fraction_bits);
  ASSIGN_OR_RETURN(ExactValue y, node.WithFractionBits(x, fraction_bits));
  if (lo) {
    ASSIGN_OR_RETURN(const ExactValue bound, node.WithFractionBits(*lo, fraction_bits));
    ASSIGN_OR_RETURN(y.value, node.c().Apply(Opcode::kBroadcastMax, {y.value, bound.value}));
  }
  if (hi) {
    ASSIGN_OR_RETURN(const ExactValue bound, node.WithFractionBits(*hi, fraction_bits));
    ASSIGN_OR_RETURN(y.value, node.c().Apply(Opcode::kBroadcastMin, {y.value, bound.value}));
  }
  return ExactResults{y};
}

// Bits that leave the word are lost; a shift by its width or more leaves none.
absl::StatusOr<ExactResults> ExactBitShift(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  ASSIGN_OR_RETURN(const ExactValue amount, node.Input(1));
  ASSIGN_OR_RETURN(const std::string direction, node.attributes().String("direction", ""));
  if (direction != "LEFT" && direction != "RIGHT") return MakeError(label::model_malformed, "no direction");
  int64_t bits = 0;
  switch (x.data_type) {
    case ::onnx::TensorProto::UINT8: bits = 8; break;
    case ::onnx::TensorProto::UINT16: bits = 16; break;
    case ::onnx::TensorProto::UINT32: bits = 32; break;
    case ::onnx::TensorProto::UINT64: bits = 64; break;
    default: return MakeError(label::model_malformed, "it shifts no unsigned integers");
  }
  Composition& c = node.c();
  if (direction == "RIGHT") {
    const Value most = c.Constant({}, {kMaxRescaleShift});
    ASSIGN_OR_RETURN(const Value n, c.Apply(Opcode::kBroadcastMin, {amount.value, most}));
    ASSIGN_OR_RETURN(const Value y,
                     c.Apply(Opcode::kShiftRight, {x.value, n}, ShiftRightAttrs{Rounding::kFloor}));
    return ExactResults{x.With(y)};
  }
  // A value of 64 bits is only read when 47 hold it; a result that they do not hold is refused.
  if (bits == 64) return Aligned(node, Opcode::kShiftLeft);
  // By 1 where the amount has its bit of weight 1, then by 2, by 4 and so on, so that nothing leaves 48 bits
  // on the way.
  Value y = x.value;
  for (int64_t step = 1; step < bits; step *= 2) {
    const Value low_bits = c.Constant({}, {(int64_t{1} << (bits - step)) - 1});
    ASSIGN_OR_RETURN(const Value kept, c.Apply(Opcode::kBitwiseAnd, {y, low_bits}));
    ASSIGN_OR_RETURN(const Value shifted,
                     c.Apply(Opcode::kBroadcastMul, {kept, c.Constant({}, {int64_t{1} << step})}));
    ASSIGN_OR_RETURN(const Value chosen,
                     c.Apply(Opcode::kBitwiseAnd, {amount.value, c.Constant({}, {step})}));
    ASSIGN_OR_RETURN(y, c.Apply(Opcode::kSelect, {chosen, shifted, y}));
  }
  ASSIGN_OR_RETURN(const Value leaves, c.Apply(Opcode::kCompare, {amount.value, c.Constant({}, {bits})},
                                               CompareAttrs{Comparison::kLess}));
  ASSIGN_OR_RETURN(y, c.Apply(Opcode::kSelect, {leaves, y, c.Constant({}, {0})}));
  return ExactResults{x.With(y)};
}

}  // namespace tally::onnx
