#include <cmath>
#include <numbers>

#include "quant/ops/elementwise/unary_ops.h"

namespace tally::quant {
namespace {

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
// Without overflow; exp(-|x|) is at most 1.
double Softplus(double x) { return std::isnan(x) ? x : std::fmax(x, 0) + std::log1p(std::exp(-std::abs(x))); }
double Ramp(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

// One case for each row of ops/table/recipe/functions.inc; a and b are alpha and beta.
double ValueOf(RecipeFunction function, double x, double a, double b) {
  switch (function) {
    case RecipeFunction::kExp: return std::exp(x);
    case RecipeFunction::kExp2: return std::exp2(x);
    case RecipeFunction::kLog: return std::log(x);
    case RecipeFunction::kLog2: return std::log2(x);
    case RecipeFunction::kSigmoid: return Sigmoid(x);
    case RecipeFunction::kTanh: return std::tanh(x);
    case RecipeFunction::kErf: return std::erf(x);
    case RecipeFunction::kGelu: return x * (1 + std::erf(x / std::numbers::sqrt2)) / 2;
    case RecipeFunction::kGeluTanh: {
      const double inner = std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
      return x * (1 + std::tanh(inner)) / 2;
    }
    case RecipeFunction::kGeluSigmoid: return x * Sigmoid(1.702 * x);
    case RecipeFunction::kSilu: return x * Sigmoid(x);
    case RecipeFunction::kMish: return x * std::tanh(Softplus(x));
    case RecipeFunction::kSoftplus: return Softplus(x);
    case RecipeFunction::kSoftsign: return x / (1 + std::abs(x));
    case RecipeFunction::kElu: return x > 0 ? x : a * std::expm1(x);
    case RecipeFunction::kSelu: return x > 0 ? b * x : b * a * std::expm1(x);
    case RecipeFunction::kCelu: return x > 0 ? x : a * std::expm1(x / a);
    case RecipeFunction::kHardSigmoid: return Ramp(a * x + b);
    case RecipeFunction::kHardSwish: return x * Ramp(a * x + b);
    case RecipeFunction::kSqrt: return std::sqrt(x);
    case RecipeFunction::kRsqrt: return 1 / std::sqrt(x);
    case RecipeFunction::kReciprocal: return 1 / x;
    case RecipeFunction::kPower: return std::pow(x, a);
    case RecipeFunction::kSin: return std::sin(x);
    case RecipeFunction::kCos: return std::cos(x);
    case RecipeFunction::kTan: return std::tan(x);
    case RecipeFunction::kAsin: return std::asin(x);
    case RecipeFunction::kAcos: return std::acos(x);
    case RecipeFunction::kAtan: return std::atan(x);
    case RecipeFunction::kSinh: return std::sinh(x);
    case RecipeFunction::kCosh: return std::cosh(x);
    case RecipeFunction::kAsinh: return std::asinh(x);
    case RecipeFunction::kAcosh: return std::acosh(x);
    case RecipeFunction::kAtanh: return std::atanh(x);
    case RecipeFunction::kFloor: return std::floor(x);
    case RecipeFunction::kCeil: return std::ceil(x);
    case RecipeFunction::kRoundHalfEven: return std::nearbyint(x);
    case RecipeFunction::kSign: return x > 0 ? 1 : x < 0 ? -1 : x;
    case RecipeFunction::kThreshold: return x <= a ? 0 : x;
    case RecipeFunction::kIdentity: return x;
    case RecipeFunction::kExpNegative: return std::exp(-x);
  }
  return x;
}

}  // namespace

Tensor Unary::Evaluate(Operands operands, const Shape&) const {
  FloatTensor y = Float(operands[0]);
  for (float& element : y.data) element = static_cast<float>(ValueOf(function, element, alpha, beta));
  return y;
}

Tensor Slopes::Evaluate(Operands operands, const Shape&) const {
  FloatTensor y = Float(operands[0]);
  for (float& element : y.data) element *= element < 0 ? below : above;
  return y;
}

}  // namespace tally::quant
