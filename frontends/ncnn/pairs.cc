// Layers that compute each element from two values.
#include <algorithm>
#include <array>
#include <limits>
#include <numbers>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/graph/compositions/arithmetic.h"
#include "frontends/graph/labels.h"
#include "frontends/ncnn/operators.h"

namespace tally::ncnn {
namespace {

// The dimensions of a blob that is seen beside another of more axes: aligned to the outermost; one of a
// single axis where its length says, the outermost if that fits.
quant::Shape Aligned(const quant::Shape& blob, const quant::Shape& beside) {
  quant::Shape aligned(beside.size(), 1);
  if (blob.size() == 1 && blob[0] != beside.front() && blob[0] == beside.back()) {
    aligned.back() = blob[0];
  } else {
    std::ranges::copy(blob, aligned.begin());
  }
  return aligned;
}

// log(exp(a) + exp(b)), by the larger of the two and what the difference adds.
absl::StatusOr<Operand> LogOfSum(NcnnLayer& layer, const Operand& a, const Operand& b) {
  ASSIGN_OR_RETURN(const Operand larger, Larger(layer, a, b));
  ASSIGN_OR_RETURN(const Operand difference, Difference(layer, a, b));
  ASSIGN_OR_RETURN(const Operand distance, Magnitude(layer, difference));
  ASSIGN_OR_RETURN(const Operand below, Negative(layer, distance));
  ASSIGN_OR_RETURN(const Operand more, layer.Emit(quant::Unary{RecipeFunction::kSoftplus}, {below}, "more"));
  return Sum(layer, larger, more);
}

// a less the multiple of b that is nearest to it, as remainderf of C.
absl::StatusOr<Operand> NearestRemainder(NcnnLayer& layer, const Operand& a, const Operand& b) {
  ASSIGN_OR_RETURN(const Operand quotient, Quotient(layer, a, b));
  ASSIGN_OR_RETURN(const Operand whole,
                   layer.Emit(quant::Unary{RecipeFunction::kRoundHalfEven}, {quotient}, "whole"));
  ASSIGN_OR_RETURN(const Operand multiple, Product(layer, whole, b));
  return Difference(layer, a, multiple);
}

// The angle of the point (x, y), as atan2f(y, x): that of its smaller side over the larger one, turned into
// the eighth of the circle in which the point is.
absl::StatusOr<Operand> AngleOf(NcnnLayer& layer, const Operand& y, const Operand& x) {
  constexpr float kPi = std::numbers::pi_v<float>, kLeast = 1e-30f;
  ASSIGN_OR_RETURN(const Operand width, Magnitude(layer, x));
  ASSIGN_OR_RETURN(const Operand height, Magnitude(layer, y));
  ASSIGN_OR_RETURN(const Operand smaller, Smaller(layer, width, height));
  ASSIGN_OR_RETURN(const Operand larger, Larger(layer, width, height));
  ASSIGN_OR_RETURN(const Operand not_zero,
                   Clip(layer, larger, kLeast, std::numeric_limits<float>::infinity()));
  ASSIGN_OR_RETURN(const Operand ratio, Quotient(layer, smaller, not_zero));
  ASSIGN_OR_RETURN(Operand angle, layer.Emit(quant::Unary{RecipeFunction::kAtan}, {ratio}, "angle"));
  const auto turn = [&](Comparison how, const Operand& a, const Operand& b, float from) -> absl::Status {
    ASSIGN_OR_RETURN(const Operand is_there, layer.Emit(quant::Compare{how}, {a, b}, "is_there"));
    ASSIGN_OR_RETURN(const Operand turned, Affine(layer, angle, -1, from));
    ASSIGN_OR_RETURN(angle, layer.Emit(quant::Where{}, {is_there, turned, angle}, "turned"));
    return absl::OkStatus();
  };
  ASSIGN_OR_RETURN(const Operand zero, layer.NewConstant(0.0f, "zero"));
  RETURN_IF_ERROR(turn(Comparison::kGreater, height, width, kPi / 2));
  RETURN_IF_ERROR(turn(Comparison::kLess, x, zero, kPi));
  RETURN_IF_ERROR(turn(Comparison::kLess, y, zero, 0));
  return angle;
}

absl::StatusOr<Operand> OfTwo(NcnnLayer& layer, int64_t type, const Operand& a, const Operand& b) {
  switch (type) {
    case 0: return Sum(layer, a, b);
    case 1: return Difference(layer, a, b);
    case 2: return Product(layer, a, b);
    case 3: return Quotient(layer, a, b);
    case 4: return Larger(layer, a, b);
    case 5: return Smaller(layer, a, b);
    case 6: return PowerOf(layer, a, b);
    case 7: return Difference(layer, b, a);
    case 8: return Quotient(layer, b, a);
    case 9: return PowerOf(layer, b, a);
    case 10: return AngleOf(layer, a, b);
    case 11: return AngleOf(layer, b, a);
    case 12: return RemainderOf(layer, a, b, /*like_dividend=*/true);
    case 13: return RemainderOf(layer, b, a, /*like_dividend=*/true);
    case 14: return LogOfSum(layer, a, b);
    case 15: return FloorQuotient(layer, a, b);
    case 16: return FloorQuotient(layer, b, a);
    case 17: return NearestRemainder(layer, a, b);
    case 18: return NearestRemainder(layer, b, a);
    default: return UnknownValue("op_type", type, "0 to 18");
  }
}

}  // namespace

absl::StatusOr<std::array<Operand, 2>> BroadcastBlobs(NcnnLayer& layer, Operand a, Operand b) {
  const quant::Shape of_a = BlobOf(a.shape()), of_b = BlobOf(b.shape());
  if (of_a.size() < of_b.size()) {
    ASSIGN_OR_RETURN(a, AsBlob(layer, a, Aligned(of_a, of_b), "aligned"));
  } else if (of_b.size() < of_a.size()) {
    ASSIGN_OR_RETURN(b, AsBlob(layer, b, Aligned(of_b, of_a), "aligned"));
  }
  return std::array{a, b};
}

absl::Status ImportBinaryOp(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const int64_t type, layer.Int(0, 0));
  ASSIGN_OR_RETURN(const bool with_scalar, layer.Flag(1, false));
  ASSIGN_OR_RETURN(const Operand a, layer.Input(0));
  if (with_scalar) {
    ASSIGN_OR_RETURN(const float number, layer.Float(2, 0));
    ASSIGN_OR_RETURN(const Operand b, layer.NewConstant(number, "b"));
    return layer.FinishAs(OfTwo(layer, type, a, b));
  }
  RETURN_IF_ERROR(layer.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand b, layer.Input(1));
  ASSIGN_OR_RETURN(const auto both, BroadcastBlobs(layer, a, b));
  return layer.FinishAs(OfTwo(layer, type, both[0], both[1]));
}

absl::Status ImportEltwise(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const int64_t type, layer.Int(0, 0));
  ASSIGN_OR_RETURN(const std::vector<float> factors, layer.params().Floats(1));
  if (type < 0 || type > 2 || layer.num_inputs() < 2 ||
      (!factors.empty() && factors.size() != layer.num_inputs())) {
    return MakeError(label::model_malformed,
                     "its operation, its inputs and its coefficients do not fit each other");
  }
  std::vector<Operand> operands;
  for (size_t i = 0; i < layer.num_inputs(); ++i) {
    ASSIGN_OR_RETURN(Operand x, layer.Input(i));
    if (type == 1 && !factors.empty()) {
      ASSIGN_OR_RETURN(x, Affine(layer, x, factors[i], 0));
    }
    operands.push_back(std::move(x));
  }
  constexpr Pairwise kOf[] = {Product, Sum, Larger};
  return layer.FinishAs(OfAll(layer, operands, kOf[type]));
}

}  // namespace tally::ncnn
