// Layers that compute each element from those at its place.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/graph/compositions/arithmetic.h"
#include "frontends/graph/compositions/norms.h"
#include "frontends/graph/labels.h"
#include "frontends/ncnn/operators.h"

namespace tally::ncnn {
namespace {

using quant::Unary;

absl::Status FinishUnary(NcnnLayer& layer, const Unary& function) {
  ASSIGN_OR_RETURN(const Operand x, layer.OnlyInput());
  return layer.Finish(function, {x});
}

// x scaled and shifted by lists along the channels, by none that is left out. Both together are one layer.
absl::StatusOr<Operand> EachAffine(NcnnLayer& layer, const Operand& x, const std::optional<Operand>& scale,
                                   const std::optional<Operand>& bias) {
  if (scale.has_value() && bias.has_value()) return ChannelAffine(layer, x, *scale, *bias);
  Operand y = x;
  if (scale.has_value()) {
    ASSIGN_OR_RETURN(const Operand channels, PerChannel(layer, *scale, x));
    ASSIGN_OR_RETURN(y, layer.Emit(quant::Mul{}, {y, channels}, "scaled"));
  }
  if (bias.has_value()) {
    ASSIGN_OR_RETURN(const Operand channels, PerChannel(layer, *bias, x));
    ASSIGN_OR_RETURN(y, layer.Emit(quant::Add{}, {y, channels}, "shifted"));
  }
  return y;
}

// x of a layer whose parameters 1 and 2 scale and shift it.
absl::StatusOr<Operand> ShiftedInput(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const Operand x, layer.OnlyInput());
  ASSIGN_OR_RETURN(const float scale, layer.Float(1, 1));
  ASSIGN_OR_RETURN(const float shift, layer.Float(2, 0));
  return Affine(layer, x, scale, shift);
}

}  // namespace

absl::Status ImportAbsVal(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const Operand x, layer.OnlyInput());
  return layer.FinishAs(Magnitude(layer, x));
}

absl::Status ImportBatchNorm(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const Operand x, layer.OnlyInput());
  ASSIGN_OR_RETURN(const int64_t channels, layer.Int(0, 0));
  ASSIGN_OR_RETURN(const float epsilon, layer.Float(1, 0));
  std::array<std::vector<float>, 4> lists;  // slope, mean, variance, bias
  for (auto& list : lists) {
    ASSIGN_OR_RETURN(list, layer.weights().Raw(channels));
  }
  for (float& variance : lists[2]) {
    const float squared = variance + epsilon;
    if (!(squared >= 0)) return MakeError(label::model_malformed, "a variance is negative");
    if (squared == 0) variance = 1e-8f - epsilon;  // ncnn takes 1e-4 for no deviation
  }
  std::vector<Operand> operands = {x};
  for (const auto& [place, step] : {std::pair(0, "scale"), {3, "shift"}, {1, "mean"}, {2, "variance"}}) {
    quant::FloatTensor list{{channels}, std::move(lists[static_cast<size_t>(place)])};
    ASSIGN_OR_RETURN(Operand constant, layer.NewConstant(std::move(list), step));
    operands.push_back(std::move(constant));
  }
  return layer.Finish(quant::BatchNorm{epsilon}, operands);
}

absl::Status ImportBias(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const Operand x, layer.OnlyInput());
  ASSIGN_OR_RETURN(const int64_t channels, layer.Int(0, 0));
  ASSIGN_OR_RETURN(const Operand bias, layer.RawWeights({channels}, "bias"));
  return layer.FinishAs(EachAffine(layer, x, std::nullopt, bias));
}

absl::Status ImportScale(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const int64_t channels, layer.Int(0, 0));
  ASSIGN_OR_RETURN(const bool has_bias, layer.Flag(1, false));
  ASSIGN_OR_RETURN(const Operand x, layer.Input(0));
  if (channels == kNone) {  // by the second input, and without its bias
    RETURN_IF_ERROR(layer.CheckInputCount(2, 2));
    ASSIGN_OR_RETURN(const Operand scale, layer.Input(1));
    ASSIGN_OR_RETURN(const auto both, BroadcastBlobs(layer, x, scale));
    return layer.FinishAs(Product(layer, both[0], both[1]));
  }
  RETURN_IF_ERROR(layer.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand scale, layer.RawWeights({channels}, "scale"));
  std::optional<Operand> bias;
  if (has_bias) {
    ASSIGN_OR_RETURN(bias, layer.RawWeights({channels}, "bias"));
  }
  return layer.FinishAs(EachAffine(layer, x, scale, bias));
}

absl::Status ImportBNLL(NcnnLayer& layer) { return FinishUnary(layer, {RecipeFunction::kSoftplus}); }
absl::Status ImportMish(NcnnLayer& layer) { return FinishUnary(layer, {RecipeFunction::kMish}); }
absl::Status ImportSigmoid(NcnnLayer& layer) { return FinishUnary(layer, {RecipeFunction::kSigmoid}); }
absl::Status ImportSoftplus(NcnnLayer& layer) { return FinishUnary(layer, {RecipeFunction::kSoftplus}); }
absl::Status ImportTanH(NcnnLayer& layer) { return FinishUnary(layer, {RecipeFunction::kTanh}); }
absl::Status ImportErf(NcnnLayer& layer) { return FinishUnary(layer, {RecipeFunction::kErf}); }

absl::Status ImportSwish(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const Operand x, layer.OnlyInput());
  return layer.FinishAs(Swish(layer, x, 1));
}

absl::Status ImportELU(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const float alpha, layer.Float(0, 0.1f));
  return FinishUnary(layer, {RecipeFunction::kElu, alpha});
}

absl::Status ImportSELU(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const float alpha, layer.Float(0, 1.67326324f));
  ASSIGN_OR_RETURN(const float lambda, layer.Float(1, 1.050700987f));
  return FinishUnary(layer, {RecipeFunction::kSelu, alpha, lambda});
}

absl::Status ImportHardSigmoid(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const float alpha, layer.Float(0, 0.2f));
  ASSIGN_OR_RETURN(const float beta, layer.Float(1, 0.5f));
  return FinishUnary(layer, {RecipeFunction::kHardSigmoid, alpha, beta});
}

absl::Status ImportHardSwish(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const float alpha, layer.Float(0, 0.2f));
  ASSIGN_OR_RETURN(const float beta, layer.Float(1, 0.5f));
  return FinishUnary(layer, {RecipeFunction::kHardSwish, alpha, beta});
}

absl::Status ImportGELU(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const bool is_fast, layer.Flag(0, false));
  return FinishUnary(layer, {is_fast ? RecipeFunction::kGeluTanh : RecipeFunction::kGelu});
}

absl::Status ImportReLU(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const Operand x, layer.OnlyInput());
  ASSIGN_OR_RETURN(const float slope, layer.Float(0, 0));
  if (slope == 0) return layer.Finish(quant::Relu{}, {x});
  return layer.Finish(quant::Slopes{slope, 1}, {x});
}

absl::Status ImportPReLU(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const Operand x, layer.OnlyInput());
  ASSIGN_OR_RETURN(const int64_t count, layer.Int(0, 0));
  ASSIGN_OR_RETURN(const Operand slopes, layer.RawWeights({count}, "slopes"));
  if (count == 1) return layer.FinishAs(ParametricRelu(layer, x, slopes));
  ASSIGN_OR_RETURN(const Operand channels, PerChannel(layer, slopes, x));
  return layer.FinishAs(ParametricRelu(layer, x, channels));
}

absl::Status ImportCELU(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const float alpha, layer.Float(0, 1));
  return FinishUnary(layer, {RecipeFunction::kCelu, alpha});
}

absl::Status ImportClip(NcnnLayer& layer) {
  constexpr float kMost = std::numeric_limits<float>::max();
  ASSIGN_OR_RETURN(const Operand x, layer.OnlyInput());
  ASSIGN_OR_RETURN(const float low, layer.Float(0, -kMost));
  ASSIGN_OR_RETURN(const float high, layer.Float(1, kMost));
  return layer.FinishAs(Clip(layer, x, low, high));
}

absl::Status ImportDropout(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const Operand x, layer.OnlyInput());
  ASSIGN_OR_RETURN(const float scale, layer.Float(0, 1));
  return layer.FinishAs(Affine(layer, x, scale, 0));
}

absl::Status ImportExp(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(Operand x, ShiftedInput(layer));
  ASSIGN_OR_RETURN(const float base, layer.Float(0, -1));
  if (base != -1) {
    if (!(base > 0)) return MakeError(label::model_malformed, "the base of a power is not positive");
    ASSIGN_OR_RETURN(x, Affine(layer, x, std::log(base), 0));
  }
  return layer.Finish(Unary{RecipeFunction::kExp}, {x});
}

absl::Status ImportLog(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const Operand x, ShiftedInput(layer));
  ASSIGN_OR_RETURN(const float base, layer.Float(0, -1));
  ASSIGN_OR_RETURN(const Operand y, layer.Emit(Unary{RecipeFunction::kLog}, {x}, "logarithm"));
  if (base == -1) return layer.FinishAs(y);
  if (!(base > 0) || base == 1)
    return MakeError(label::model_malformed, "the base of a logarithm is not positive, or is 1");
  return layer.FinishAs(Affine(layer, y, 1 / std::log(base), 0));
}

absl::Status ImportPower(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const Operand x, ShiftedInput(layer));
  ASSIGN_OR_RETURN(const float power, layer.Float(0, 1));
  if (power == 1) return layer.FinishAs(x);
  return layer.Finish(Unary{RecipeFunction::kPower, power}, {x});
}

// 1 above the threshold, else 0.
absl::Status ImportThreshold(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const Operand x, layer.OnlyInput());
  ASSIGN_OR_RETURN(const float threshold, layer.Float(0, 0));
  ASSIGN_OR_RETURN(const Operand bound, layer.NewConstant(threshold, "threshold"));
  ASSIGN_OR_RETURN(const Operand flags,
                   layer.Emit(quant::Compare{Comparison::kGreater}, {x, bound}, "flags"));
  return layer.Finish(quant::ToFloat{}, {flags});
}

absl::Status ImportUnaryOp(NcnnLayer& layer) {
  using F = RecipeFunction;
  ASSIGN_OR_RETURN(const Operand x, layer.OnlyInput());
  ASSIGN_OR_RETURN(const int64_t type, layer.Int(0, 0));
  switch (type) {
    case 0: return layer.FinishAs(Magnitude(layer, x));
    case 1: return layer.FinishAs(Negative(layer, x));
    case 4: return layer.Finish(Unary{F::kPower, 2}, {x});
    case 17: {
      ASSIGN_OR_RETURN(const Operand y, layer.Emit(Unary{F::kLog}, {x}, "logarithm"));
      return layer.FinishAs(Affine(layer, y, 1 / std::log(10.0f), 0));
    }
    case 20: return layer.FinishAs(SignOf(layer, x));
    default: break;
  }
  struct Row {
    int64_t type;
    F function;
  };
  constexpr Row kRows[] = {
      {2, F::kFloor}, {3, F::kCeil},   {5, F::kSqrt},        {6, F::kRsqrt},  {7, F::kExp},
      {8, F::kLog},   {9, F::kSin},    {10, F::kCos},        {11, F::kTan},   {12, F::kAsin},
      {13, F::kAcos}, {14, F::kAtan},  {15, F::kReciprocal}, {16, F::kTanh},  {18, F::kRoundHalfEven},
      {22, F::kSinh}, {23, F::kAsinh}, {24, F::kCosh},       {25, F::kAcosh}, {26, F::kAtanh}};
  const auto row = std::ranges::find(kRows, type, &Row::type);
  if (row != std::end(kRows)) return layer.Finish(Unary{row->function}, {x});
  return MakeError(label::model_unsupported_attribute, absl::StrCat("operation ", type, " of one"));
}

// Floats of another width are floats here; int8 is what Quantize says, not this.
absl::Status ImportCast(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const Operand x, layer.OnlyInput());
  for (const int id : {0, 1}) {
    ASSIGN_OR_RETURN(const int64_t type, layer.Int(id, 0));
    if (type < 0 || type == 3 || type > 4) {
      return MakeError(label::model_unsupported_type, "casts to and from integers are not imported");
    }
  }
  return layer.FinishAs(x);
}

}  // namespace tally::ncnn
