#include <cmath>

#include "quant/ops/elementwise/unary_ops.h"

namespace tally::quant {

TypeResult Unary::Infer(const OperandTypes& operands) const {
  const RecipeFunctionInfo& info = InfoOf(function);
  const std::string name(info.name);
  if (!std::isfinite(alpha) || !std::isfinite(beta)) {
    return BadAttribute(name + ": alpha or beta is not finite");
  }
  if ((info.parameters < 1 && alpha != 0) || (info.parameters < 2 && beta != 0)) {
    return BadAttribute(name + ": it has fewer parameters");
  }
  if (function == RecipeFunction::kCelu && alpha <= 0) return BadAttribute("celu: alpha is not positive");
  return operands[0];
}

Bounds Unary::ResultBounds() const {
  switch (function) {
    case RecipeFunction::kSigmoid:
    case RecipeFunction::kHardSigmoid: return {0, 1};
    case RecipeFunction::kTanh:
    case RecipeFunction::kErf:
    case RecipeFunction::kSoftsign:
    case RecipeFunction::kSign:
    case RecipeFunction::kSin:
    case RecipeFunction::kCos: return {-1, 1};
    default: return {};
  }
}

bool Unary::ReadsLong() const {
  switch (function) {
    case RecipeFunction::kLog:
    case RecipeFunction::kLog2:
    case RecipeFunction::kSqrt:
    case RecipeFunction::kRsqrt:
    case RecipeFunction::kReciprocal: return true;
    case RecipeFunction::kPower: return alpha >= -1 && alpha < 1 && alpha != 0;
    default: return false;
  }
}

bool Unary::ReadsWide(size_t) const {
  switch (function) {
    case RecipeFunction::kExp:
    case RecipeFunction::kExp2:
    case RecipeFunction::kExpNegative:
    case RecipeFunction::kLog:
    case RecipeFunction::kLog2:
    case RecipeFunction::kSqrt:
    case RecipeFunction::kRsqrt:
    case RecipeFunction::kReciprocal:
    case RecipeFunction::kPower:
    case RecipeFunction::kSin:
    case RecipeFunction::kCos:
    case RecipeFunction::kTan:
    case RecipeFunction::kAsin:
    case RecipeFunction::kAcos:
    case RecipeFunction::kSinh:
    case RecipeFunction::kCosh:
    case RecipeFunction::kAcosh:
    case RecipeFunction::kAtanh:
    case RecipeFunction::kFloor:
    case RecipeFunction::kCeil:
    case RecipeFunction::kRoundHalfEven:
    case RecipeFunction::kSign:
    case RecipeFunction::kThreshold: return true;
    default: return false;
  }
}

TypeResult Slopes::Infer(const OperandTypes& operands) const {
  if (!std::isfinite(below) || !std::isfinite(above)) return BadAttribute("Slopes: a slope is not finite");
  return operands[0];
}

}  // namespace tally::quant
