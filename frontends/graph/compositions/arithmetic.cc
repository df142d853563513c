#include "frontends/graph/compositions/arithmetic.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/graph/labels.h"

namespace tally::frontend {
namespace {

using Kind = quant::IntegerArithmetic::Kind;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kLargest = std::numeric_limits<float>::max();

// `op`, or what it is of integers.
absl::StatusOr<Operand> Arithmetic(Emitter& emitter, quant::Op op, Kind of_integers, const Operand& a,
                                   const Operand& b, std::string_view step) {
  if (a.is_integer() && b.is_integer()) op = quant::IntegerArithmetic{of_integers};
  return emitter.Emit(std::move(op), {a, b}, step);
}

// The element of a constant of floats that has one.
std::optional<float> NumberOf(const Operand& operand) {
  const auto* floats =
      operand.is_constant() ? std::get_if<quant::FloatTensor>(operand.constant.get()) : nullptr;
  if (floats == nullptr || floats->data.size() != 1) return std::nullopt;
  return floats->data[0];
}

// The same of one that broadcasts to any shape of the rank of `other`.
std::optional<float> NumberFor(const Operand& operand, const Operand& other) {
  return operand.shape().size() > other.shape().size() ? std::nullopt : NumberOf(operand);
}

// Integers have no quotient by 0.
absl::Status CheckDivisor(const Operand& b) {
  const auto* known = b.is_constant() ? std::get_if<quant::Int64Tensor>(b.constant.get()) : nullptr;
  if (known == nullptr || std::ranges::count(known->data, 0) == 0) return absl::OkStatus();
  return MakeError(label::model_malformed, "it divides by a constant 0");
}

bool AreIntegers(const Operand& a, const Operand& b) { return a.is_integer() && b.is_integer(); }

// Toward zero: down what is above it, up what is below.
absl::StatusOr<Operand> Truncated(Emitter& emitter, const Operand& x) {
  ASSIGN_OR_RETURN(const Operand above, emitter.Emit(quant::Relu{}, {x}, "above"));
  ASSIGN_OR_RETURN(const Operand below, emitter.Emit(quant::Clip{-kInfinity, 0}, {x}, "below"));
  ASSIGN_OR_RETURN(const Operand down, emitter.Emit(quant::Unary{RecipeFunction::kFloor}, {above}, "down"));
  ASSIGN_OR_RETURN(const Operand up, emitter.Emit(quant::Unary{RecipeFunction::kCeil}, {below}, "up"));
  return emitter.Emit(quant::Add{}, {down, up}, "whole");
}

absl::StatusOr<Operand> BoundedBy(Emitter& emitter, const Operand& x, Operand bound, bool is_low) {
  if (quant::NumElements(bound.shape()) != 1)
    return MakeError(label::model_shape, "a bound has more than one element");
  const std::string_view step = is_low ? "above" : "below";
  if (bound.shape().size() > x.shape().size()) {
    ASSIGN_OR_RETURN(bound, emitter.Emit(quant::Reshape{{}}, {bound}, "bound"));
  }
  return is_low ? Arithmetic(emitter, quant::Max{}, Kind::kMax, x, bound, step)
                : Arithmetic(emitter, quant::Min{}, Kind::kMin, x, bound, step);
}

}  // namespace

absl::StatusOr<Operand> Sum(Emitter& emitter, const Operand& a, const Operand& b) {
  return Arithmetic(emitter, quant::Add{}, Kind::kAdd, a, b, "sum");
}
absl::StatusOr<Operand> Difference(Emitter& emitter, const Operand& a, const Operand& b) {
  return Arithmetic(emitter, quant::Sub{}, Kind::kSub, a, b, "difference");
}
absl::StatusOr<Operand> Product(Emitter& emitter, const Operand& a, const Operand& b) {
  return Arithmetic(emitter, quant::Mul{}, Kind::kMul, a, b, "product");
}

absl::StatusOr<Operand> Larger(Emitter& emitter, const Operand& a, const Operand& b) {
  if (const auto low = NumberFor(b, a)) return Clip(emitter, a, *low, kInfinity);
  if (const auto low = NumberFor(a, b)) return Clip(emitter, b, *low, kInfinity);
  return Arithmetic(emitter, quant::Max{}, Kind::kMax, a, b, "larger");
}

absl::StatusOr<Operand> Smaller(Emitter& emitter, const Operand& a, const Operand& b) {
  if (const auto high = NumberFor(b, a)) return Clip(emitter, a, -kInfinity, *high);
  if (const auto high = NumberFor(a, b)) return Clip(emitter, b, -kInfinity, *high);
  return Arithmetic(emitter, quant::Min{}, Kind::kMin, a, b, "smaller");
}

absl::StatusOr<Operand> Quotient(Emitter& emitter, const Operand& a, const Operand& b) {
  if (AreIntegers(a, b)) {
    RETURN_IF_ERROR(CheckDivisor(b));
    return emitter.Emit(quant::IntegerArithmetic{Kind::kDivide}, {a, b}, "quotient");
  }
  if (a.is_constant() || !b.is_constant() || b.is_integer()) {
    return emitter.Emit(quant::Div{}, {a, b}, "quotient");
  }
  auto reciprocals = std::get<quant::FloatTensor>(*b.constant);
  for (float& element : reciprocals.data) element = 1 / element;
  ASSIGN_OR_RETURN(const Operand factor, emitter.NewConstant(std::move(reciprocals), "reciprocal"));
  return emitter.Emit(quant::Mul{}, {a, factor}, "quotient");
}

absl::StatusOr<Operand> FloorQuotient(Emitter& emitter, const Operand& a, const Operand& b) {
  if (AreIntegers(a, b)) {
    RETURN_IF_ERROR(CheckDivisor(b));
    return emitter.Emit(quant::IntegerArithmetic{Kind::kFloorDivide}, {a, b}, "quotient");
  }
  ASSIGN_OR_RETURN(const Operand quotient, Quotient(emitter, a, b));
  return emitter.Emit(quant::Unary{RecipeFunction::kFloor}, {quotient}, "whole");
}

absl::StatusOr<Operand> RemainderOf(Emitter& emitter, const Operand& a, const Operand& b,
                                    bool like_dividend) {
  if (AreIntegers(a, b)) {
    RETURN_IF_ERROR(CheckDivisor(b));
    const Kind kind = like_dividend ? Kind::kRemainder : Kind::kModulo;
    return emitter.Emit(quant::IntegerArithmetic{kind}, {a, b}, "remainder");
  }
  ASSIGN_OR_RETURN(Operand whole, like_dividend ? Quotient(emitter, a, b) : FloorQuotient(emitter, a, b));
  if (like_dividend) {
    ASSIGN_OR_RETURN(whole, Truncated(emitter, whole));
  }
  ASSIGN_OR_RETURN(const Operand multiple, emitter.Emit(quant::Mul{}, {whole, b}, "multiple"));
  return emitter.Emit(quant::Sub{}, {a, multiple}, "remainder");
}

absl::StatusOr<Operand> PowerOf(Emitter& emitter, const Operand& a, const Operand& b) {
  if (AreIntegers(a, b)) return emitter.Emit(quant::IntegerArithmetic{Kind::kPower}, {a, b}, "power");
  if (a.is_integer())
    return MakeError(label::model_unsupported_type, "integers have integers as exponents here");
  std::optional<double> exponent;
  if (const auto number = NumberFor(b, a)) exponent = *number;
  const auto* integers = b.is_constant() ? std::get_if<quant::Int64Tensor>(b.constant.get()) : nullptr;
  if (integers != nullptr && integers->data.size() == 1) exponent = static_cast<double>(integers->data[0]);
  if (exponent.has_value()) {
    if (*exponent == 1) return a;
    quant::Unary power{RecipeFunction::kPower, static_cast<float>(*exponent)};
    if (*exponent == 0.5) power = {RecipeFunction::kSqrt};
    if (*exponent == -0.5) power = {RecipeFunction::kRsqrt};
    if (*exponent == -1) power = {RecipeFunction::kReciprocal};
    return emitter.Emit(power, {a}, "power");
  }
  // exp(b log a)
  ASSIGN_OR_RETURN(const Operand log, emitter.Emit(quant::Unary{RecipeFunction::kLog}, {a}, "log"));
  Operand factor = b;
  if (b.is_integer()) {
    ASSIGN_OR_RETURN(factor, emitter.Emit(quant::ToFloat{}, {b}, "exponent"));
  }
  ASSIGN_OR_RETURN(const Operand product, emitter.Emit(quant::Mul{}, {log, factor}, "scaled"));
  return emitter.Emit(quant::Unary{RecipeFunction::kExp}, {product}, "power");
}

absl::StatusOr<Operand> Magnitude(Emitter& emitter, const Operand& x) {
  if (!x.is_integer()) return emitter.Emit(quant::Slopes{-1, 1}, {x}, "magnitude");
  ASSIGN_OR_RETURN(const Operand opposite, Negative(emitter, x));
  return emitter.Emit(quant::IntegerArithmetic{Kind::kMax}, {x, opposite}, "magnitude");
}

absl::StatusOr<Operand> Negative(Emitter& emitter, const Operand& x) {
  if (!x.is_integer()) return emitter.Emit(quant::Slopes{-1, -1}, {x}, "negative");
  ASSIGN_OR_RETURN(const Operand zero, emitter.NewConstant(int64_t{0}, "zero"));
  return emitter.Emit(quant::IntegerArithmetic{Kind::kSub}, {zero, x}, "negative");
}

absl::StatusOr<Operand> SignOf(Emitter& emitter, const Operand& x) {
  if (!x.is_integer()) return emitter.Emit(quant::Unary{RecipeFunction::kSign}, {x}, "sign");
  ASSIGN_OR_RETURN(const Operand low, emitter.NewConstant(int64_t{-1}, "low"));
  ASSIGN_OR_RETURN(const Operand high, emitter.NewConstant(int64_t{1}, "high"));
  return Clip(emitter, x, low, high);
}

absl::StatusOr<Operand> OfAll(Emitter& emitter, const std::vector<Operand>& values, Pairwise f) {
  Operand folded = values[0];
  for (size_t i = 1; i < values.size(); ++i) {
    ASSIGN_OR_RETURN(folded, f(emitter, folded, values[i]));
  }
  return folded;
}

absl::StatusOr<Operand> MeanOf(Emitter& emitter, const std::vector<Operand>& values) {
  ASSIGN_OR_RETURN(const Operand sum, OfAll(emitter, values, Sum));
  if (values.size() == 1) return sum;
  ASSIGN_OR_RETURN(const Operand share, emitter.NewConstant(1 / static_cast<float>(values.size()), "share"));
  return emitter.Emit(quant::Mul{}, {sum, share}, "mean");
}

absl::StatusOr<Operand> Clip(Emitter& emitter, const Operand& x, float low, float high) {
  if (low <= -kLargest) low = -kInfinity;
  if (high >= kLargest) high = kInfinity;
  if (low == -kInfinity && high == kInfinity) return x;
  if (low == 0.0f && high == kInfinity) return emitter.Emit(quant::Relu{}, {x}, "clipped");
  return emitter.Emit(quant::Clip{low, high}, {x}, "clipped");
}

absl::StatusOr<Operand> Clip(Emitter& emitter, const Operand& x, const std::optional<Operand>& low,
                             const std::optional<Operand>& high) {
  const std::optional<float> known_low = low.has_value() ? NumberOf(*low) : -kInfinity;
  const std::optional<float> known_high = high.has_value() ? NumberOf(*high) : kInfinity;
  if (known_low.has_value() && known_high.has_value() && !x.is_integer()) {
    return Clip(emitter, x, *known_low, *known_high);
  }
  Operand bounded = x;
  if (low.has_value() && known_low != -kInfinity) {
    ASSIGN_OR_RETURN(bounded, BoundedBy(emitter, bounded, *low, /*is_low=*/true));
  }
  if (high.has_value() && known_high != kInfinity) {
    ASSIGN_OR_RETURN(bounded, BoundedBy(emitter, bounded, *high, /*is_low=*/false));
  }
  return bounded;
}

absl::StatusOr<Operand> ParametricRelu(Emitter& emitter, const Operand& x, const Operand& slope) {
  // With one slope for all it is a function of one value.
  if (const auto below = NumberFor(slope, x)) return emitter.Emit(quant::Slopes{*below, 1}, {x}, "slopes");
  ASSIGN_OR_RETURN(const Operand rise, emitter.Emit(quant::Relu{}, {x}, "rise"));
  ASSIGN_OR_RETURN(const Operand negative, emitter.Emit(quant::Clip{-kInfinity, 0}, {x}, "negative"));
  ASSIGN_OR_RETURN(const Operand fall, emitter.Emit(quant::Mul{}, {negative, slope}, "fall"));
  if (fall.shape() != x.shape()) return MakeError(label::model_shape, "the slopes do not fit x");
  return emitter.Emit(quant::Add{}, {rise, fall}, "slopes");
}

absl::StatusOr<Operand> Affine(Emitter& emitter, const Operand& x, float scale, float shift) {
  Operand y = x;
  if (scale != 1) {
    ASSIGN_OR_RETURN(const Operand factor, emitter.NewConstant(scale, "factor"));
    ASSIGN_OR_RETURN(y, Product(emitter, y, factor));
  }
  if (shift != 0) {
    ASSIGN_OR_RETURN(const Operand offset, emitter.NewConstant(shift, "offset"));
    ASSIGN_OR_RETURN(y, Sum(emitter, y, offset));
  }
  return y;
}

absl::StatusOr<Operand> Swish(Emitter& emitter, const Operand& x, float alpha) {
  Operand scaled = x;
  if (alpha != 1) {
    ASSIGN_OR_RETURN(const Operand factor, emitter.NewConstant(quant::FloatTensor{{1}, {alpha}}, "alpha"));
    ASSIGN_OR_RETURN(scaled, emitter.Emit(quant::Mul{}, {x, factor}, "scaled"));
  }
  ASSIGN_OR_RETURN(const Operand gate,
                   emitter.Emit(quant::Unary{RecipeFunction::kSigmoid}, {scaled}, "gate"));
  return emitter.Emit(quant::Mul{}, {x, gate}, "gated");
}

}  // namespace tally::frontend
