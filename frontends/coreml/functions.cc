// Functions of one value, activations among them.
#include <cmath>
#include <limits>
#include <utility>

#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/coreml/activations.h"
#include "frontends/coreml/operators.h"
#include "frontends/graph/compositions/arithmetic.h"

namespace tally::coreml {
namespace {

using quant::Unary;
using Type = schema::Activation::TypeCase;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

absl::Status Finish(CoremlLayer& layer, const Unary& function) {
  ASSIGN_OR_RETURN(const Operand x, layer.OnlyReal());
  return layer.Finish(function, {x});
}

// A list of one number for each channel, or one number, in a shape that broadcasts to x.
absl::StatusOr<Operand> ChannelList(CoremlLayer& layer, const Operand& x, const schema::Weights& weights,
                                    const char* what) {
  ASSIGN_OR_RETURN(const size_t axis, layer.ChannelAxis(x));
  const int64_t channels = x.shape()[axis];
  auto list = layer.Weight(weights, {channels}, what);
  if (!list.ok() && channels != 1) {
    if (auto one = layer.Weight(weights, {1}, what); one.ok()) list = std::move(one);
  }
  RETURN_IF_ERROR(list.status());
  quant::Shape wanted(x.shape().size() - axis, 1);
  wanted[0] = list->shape()[0];
  return layer.Emit(quant::Reshape{std::move(wanted)}, {*list}, what);
}

}  // namespace

absl::StatusOr<Operand> Activate(Emitter& emitter, const Operand& x, const ActivationFunction& f) {
  const auto unary = [&](const Unary& function) { return emitter.Emit(function, {x}, "activated"); };
  switch (f.type) {
    case Type::kLinear: return Affine(emitter, x, f.alpha, f.beta);
    case Type::kRelu: return emitter.Emit(quant::Relu{}, {x}, "activated");
    case Type::kLeakyRelu: return emitter.Emit(quant::Slopes{f.alpha, 1}, {x}, "activated");
    case Type::kThresholdedRelu: return unary({RecipeFunction::kThreshold, f.alpha});
    case Type::kTanh: return unary({RecipeFunction::kTanh});
    case Type::kScaledTanh: {
      ASSIGN_OR_RETURN(const Operand inner, Affine(emitter, x, f.beta, 0));
      ASSIGN_OR_RETURN(const Operand bent, emitter.Emit(Unary{RecipeFunction::kTanh}, {inner}, "bent"));
      return Affine(emitter, bent, f.alpha, 0);
    }
    case Type::kSigmoid: return unary({RecipeFunction::kSigmoid});
    case Type::kSigmoidHard: return unary({RecipeFunction::kHardSigmoid, f.alpha, f.beta});
    case Type::kElu: return unary({RecipeFunction::kElu, f.alpha});
    case Type::kSoftsign: return unary({RecipeFunction::kSoftsign});
    case Type::kSoftplus: return unary({RecipeFunction::kSoftplus});
    case Type::kPrelu:
    case Type::kParametricSoftplus:
    case Type::TYPE_NOT_SET: break;
  }
  return Malformed("it names no activation, or one that has layers of its own or is not in the format");
}

ActivationFunction FunctionOf(const schema::Activation& activation) {
  ActivationFunction f = {.type = activation.type_case()};
  switch (f.type) {
    case Type::kLinear: f.alpha = activation.linear().alpha(), f.beta = activation.linear().beta(); break;
    case Type::kLeakyRelu: f.alpha = activation.leaky_relu().alpha(); break;
    case Type::kThresholdedRelu: f.alpha = activation.thresholded_relu().alpha(); break;
    case Type::kScaledTanh:
      f.alpha = activation.scaled_tanh().alpha(), f.beta = activation.scaled_tanh().beta();
      break;
    case Type::kSigmoidHard:
      f.alpha = activation.sigmoid_hard().alpha(), f.beta = activation.sigmoid_hard().beta();
      break;
    case Type::kElu: f.alpha = activation.elu().alpha(); break;
    default: break;
  }
  return f;
}

absl::Status ImportActivation(CoremlLayer& layer) {
  const schema::Activation& activation = layer.file().activation();
  ASSIGN_OR_RETURN(const Operand x, layer.OnlyReal());
  if (activation.has_prelu()) {
    ASSIGN_OR_RETURN(const Operand slopes, ChannelList(layer, x, activation.prelu().alpha(), "slopes"));
    return layer.FinishAs(ParametricRelu(layer, x, slopes));
  }
  if (activation.has_parametric_softplus()) {
    ASSIGN_OR_RETURN(const Operand alpha,
                     ChannelList(layer, x, activation.parametric_softplus().alpha(), "alpha"));
    ASSIGN_OR_RETURN(const Operand beta,
                     ChannelList(layer, x, activation.parametric_softplus().beta(), "beta"));
    ASSIGN_OR_RETURN(const Operand inner, Product(layer, x, beta));
    ASSIGN_OR_RETURN(const Operand bent, layer.Emit(Unary{RecipeFunction::kSoftplus}, {inner}, "bent"));
    return layer.FinishAs(Product(layer, bent, alpha));
  }
  return layer.FinishAs(Activate(layer, x, FunctionOf(activation)));
}

absl::Status ImportClampedReLU(CoremlLayer& layer) {
  ASSIGN_OR_RETURN(Operand x, layer.OnlyReal());
  const schema::ClampedRelu& params = layer.file().clamped_relu();
  if (params.alpha() == 0 && params.beta() >= 0) return layer.Finish(quant::Clip{0, params.beta()}, {x});
  ASSIGN_OR_RETURN(x, layer.Emit(quant::Slopes{params.alpha(), 1}, {x}, "bent"));
  return layer.Finish(quant::Clip{-kInfinity, params.beta()}, {x});
}

absl::Status ImportGelu(CoremlLayer& layer) {
  switch (layer.file().gelu().mode()) {
    case schema::Gelu::EXACT: return Finish(layer, {RecipeFunction::kGelu});
    case schema::Gelu::TANH_APPROXIMATION: return Finish(layer, {RecipeFunction::kGeluTanh});
    case schema::Gelu::SIGMOID_APPROXIMATION: return Finish(layer, {RecipeFunction::kGeluSigmoid});
    default: return UnknownValue("mode", layer.file().gelu().mode(), "0 (exact), 1 (tanh) and 2 (sigmoid)");
  }
}

// A function of scale * x + shift. A scale of 0 is one that the file leaves out, and so is epsilon.
absl::Status ImportUnary(CoremlLayer& layer) {
  const schema::UnaryFunction& params = layer.file().unary();
  ASSIGN_OR_RETURN(Operand x, layer.OnlyReal());
  const auto type = params.type();
  const bool has_epsilon = type == schema::UnaryFunction::RSQRT || type == schema::UnaryFunction::INVERSE;
  const float epsilon = !has_epsilon ? 0 : params.epsilon() == 0 ? 1e-6f : params.epsilon();
  ASSIGN_OR_RETURN(x, Affine(layer, x, params.scale() == 0 ? 1 : params.scale(), params.shift() + epsilon));
  switch (type) {
    case schema::UnaryFunction::SQRT: return layer.Finish(Unary{RecipeFunction::kSqrt}, {x});
    case schema::UnaryFunction::RSQRT: return layer.Finish(Unary{RecipeFunction::kRsqrt}, {x});
    case schema::UnaryFunction::INVERSE: return layer.Finish(Unary{RecipeFunction::kReciprocal}, {x});
    case schema::UnaryFunction::POWER:
      return layer.Finish(Unary{RecipeFunction::kPower, params.alpha()}, {x});
    case schema::UnaryFunction::EXP: return layer.Finish(Unary{RecipeFunction::kExp}, {x});
    case schema::UnaryFunction::LOG: return layer.Finish(Unary{RecipeFunction::kLog}, {x});
    case schema::UnaryFunction::ABS: return layer.FinishAs(Magnitude(layer, x));
    case schema::UnaryFunction::THRESHOLD: return layer.FinishAs(Clip(layer, x, params.alpha(), kInfinity));
    default: return UnknownValue("type", params.type(), "0 to 7, from SQRT to THRESHOLD");
  }
}

absl::Status ImportClip(CoremlLayer& layer) {
  ASSIGN_OR_RETURN(const Operand x, layer.OnlyReal());
  const schema::Clip& params = layer.file().clip();
  if (params.min_val() > params.max_val()) return Malformed("minVal is above maxVal");
  return layer.FinishAs(Clip(layer, x, params.min_val(), params.max_val()));
}

absl::Status ImportSign(CoremlLayer& layer) {
  RETURN_IF_ERROR(layer.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand x, layer.Input(0));
  return layer.FinishAs(SignOf(layer, x));
}

namespace {

// Integers stay as they are.
absl::Status FinishRounded(CoremlLayer& layer, RecipeFunction function) {
  RETURN_IF_ERROR(layer.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand x, layer.Input(0));
  if (x.is_integer()) return layer.FinishAs(x);
  return layer.Finish(Unary{function}, {x});
}

}  // namespace

absl::Status ImportCeil(CoremlLayer& layer) { return FinishRounded(layer, RecipeFunction::kCeil); }
absl::Status ImportFloor(CoremlLayer& layer) { return FinishRounded(layer, RecipeFunction::kFloor); }
absl::Status ImportRound(CoremlLayer& layer) { return FinishRounded(layer, RecipeFunction::kRoundHalfEven); }
absl::Status ImportExp2(CoremlLayer& layer) { return Finish(layer, {RecipeFunction::kExp2}); }
absl::Status ImportSin(CoremlLayer& layer) { return Finish(layer, {RecipeFunction::kSin}); }
absl::Status ImportCos(CoremlLayer& layer) { return Finish(layer, {RecipeFunction::kCos}); }
absl::Status ImportTan(CoremlLayer& layer) { return Finish(layer, {RecipeFunction::kTan}); }
absl::Status ImportAsin(CoremlLayer& layer) { return Finish(layer, {RecipeFunction::kAsin}); }
absl::Status ImportAcos(CoremlLayer& layer) { return Finish(layer, {RecipeFunction::kAcos}); }
absl::Status ImportAtan(CoremlLayer& layer) { return Finish(layer, {RecipeFunction::kAtan}); }
absl::Status ImportSinh(CoremlLayer& layer) { return Finish(layer, {RecipeFunction::kSinh}); }
absl::Status ImportCosh(CoremlLayer& layer) { return Finish(layer, {RecipeFunction::kCosh}); }
absl::Status ImportTanh(CoremlLayer& layer) { return Finish(layer, {RecipeFunction::kTanh}); }
absl::Status ImportAsinh(CoremlLayer& layer) { return Finish(layer, {RecipeFunction::kAsinh}); }
absl::Status ImportAcosh(CoremlLayer& layer) { return Finish(layer, {RecipeFunction::kAcosh}); }
absl::Status ImportAtanh(CoremlLayer& layer) { return Finish(layer, {RecipeFunction::kAtanh}); }
absl::Status ImportErf(CoremlLayer& layer) { return Finish(layer, {RecipeFunction::kErf}); }

}  // namespace tally::coreml
