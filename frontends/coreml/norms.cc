// Norms and softmaxes.
#include "frontends/graph/compositions/norms.h"

#include <utility>

#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/coreml/operators.h"
#include "frontends/graph/axis.h"
#include "frontends/graph/compositions/arithmetic.h"
#include "frontends/graph/compositions/reductions.h"

namespace tally::coreml {
namespace {

using quant::Shape;

float EpsilonOr(float epsilon, float fallback) { return epsilon == 0 ? fallback : epsilon; }

absl::StatusOr<Operand> WeightOr(CoremlLayer& layer, const schema::Weights& weights, int64_t channels,
                                 float fallback, const char* what) {
  if (HasWeights(weights)) return layer.Weight(weights, {channels}, what);
  return layer.NewConstant(
      quant::FloatTensor{{channels}, std::vector<float>(static_cast<size_t>(channels), fallback)}, what);
}

}  // namespace

// By the statistics of the file, those of each image, or those of all images.
absl::Status ImportBatchnorm(CoremlLayer& layer) {
  const schema::Batchnorm& params = layer.file().batchnorm();
  ASSIGN_OR_RETURN(const int64_t channels, SizeOf(params.channels()));
  ASSIGN_OR_RETURN(Operand x, layer.OnlyReal());
  const float epsilon = EpsilonOr(params.epsilon(), 1e-5f);
  Images images = {x, {x.shape().empty() ? 1 : x.shape()[0]}};  // a list for each image is one too
  if (layer.is_exact() || params.compute_mean_var() || x.shape().size() != 2) {
    ASSIGN_OR_RETURN(images, layer.AsImages(x));
  }
  if (images.x.shape()[1] != channels)
    return BadShape(absl::StrCat("x has ", images.x.shape()[1], " channels, not ", channels));
  ASSIGN_OR_RETURN(const Operand gamma, WeightOr(layer, params.gamma(), channels, 1, "gamma"));
  ASSIGN_OR_RETURN(const Operand beta, WeightOr(layer, params.beta(), channels, 0, "beta"));
  if (params.instance_normalization() && !params.compute_mean_var())
    return Malformed("instanceNormalization without computeMeanVar");
  if (params.instance_normalization())
    return layer.FinishImages(InstanceNorm(layer, images.x, epsilon, {gamma, beta}), images.leading);
  if (params.compute_mean_var()) {
    const Shape along = {channels, 1, 1};
    ASSIGN_OR_RETURN(const Operand scale, layer.Emit(quant::Reshape{along}, {gamma}, "scale"));
    ASSIGN_OR_RETURN(const Operand bias, layer.Emit(quant::Reshape{along}, {beta}, "bias"));
    const quant::LayerNorm norm = {{0, 2, 3}, epsilon};
    return layer.FinishImages(layer.Emit(norm, {images.x, scale, bias}, "normal"), images.leading);
  }
  ASSIGN_OR_RETURN(const Operand mean, layer.Weight(params.mean(), {channels}, "mean"));
  ASSIGN_OR_RETURN(const Operand variance, layer.Weight(params.variance(), {channels}, "variance"));
  const std::vector<Operand> operands = {images.x, gamma, beta, mean, variance};
  return layer.FinishImages(layer.Emit(quant::BatchNorm{epsilon}, operands, "normal"), images.leading);
}

absl::Status ImportMvn(CoremlLayer& layer) {
  const schema::MeanVarianceNormalize& params = layer.file().mvn();
  RETURN_IF_ERROR(layer.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Images images, layer.ImageInput(0));
  const List axes = AxesFrom(params.across_channels() ? 1 : 2, 4);
  if (params.normalize_variance()) {
    const quant::LayerNorm norm = {axes, EpsilonOr(params.epsilon(), 1e-6f)};
    return layer.FinishImages(layer.Emit(norm, {images.x}, "normal"), images.leading);
  }
  ASSIGN_OR_RETURN(const Operand mean, Reduce(layer, ReductionKind::kMean, images.x, {.axes = axes}));
  return layer.FinishImages(Difference(layer, images.x, mean), images.leading);
}

absl::Status ImportL2normalize(CoremlLayer& layer) {
  RETURN_IF_ERROR(layer.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Images images, layer.ImageInput(0));
  const float epsilon = EpsilonOr(layer.file().l2normalize().epsilon(), 1e-6f);
  return layer.FinishImages(L2Norm(layer, images.x, {1, 2, 3}, epsilon), images.leading);
}

absl::Status ImportSoftmax(CoremlLayer& layer) {
  ASSIGN_OR_RETURN(const Operand x, layer.OnlyReal());
  ASSIGN_OR_RETURN(const size_t axis, layer.ChannelAxis(x));
  return layer.Finish(quant::Softmax{static_cast<int64_t>(axis)}, {x});
}

absl::Status ImportSoftmaxND(CoremlLayer& layer) {
  ASSIGN_OR_RETURN(const Operand x, layer.OnlyReal());
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(layer.file().softmax_nd().axis(), x.shape().size()));
  return layer.Finish(quant::Softmax{axis}, {x});
}

absl::Status ImportLrn(CoremlLayer& layer) {
  const schema::Lrn& params = layer.file().lrn();
  RETURN_IF_ERROR(layer.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Images images, layer.ImageInput(0));
  ASSIGN_OR_RETURN(const int64_t size, SizeOf(params.local_size()));
  const quant::LocalResponseNorm norm = {size, params.alpha(), params.beta(),
                                         params.k() == 0 ? 1 : params.k()};
  return layer.FinishImages(layer.Emit(norm, {images.x}, "normal"), images.leading);
}

absl::Status ImportLayerNormalization(CoremlLayer& layer) {
  const schema::LayerNormalization& params = layer.file().layer_normalization();
  ASSIGN_OR_RETURN(const Operand x, layer.OnlyReal());
  ASSIGN_OR_RETURN(const List shape, ListOf(params.normalized_shape()));
  const size_t rank = x.shape().size();
  if (shape.empty() || shape.size() > rank || !std::equal(shape.rbegin(), shape.rend(), x.shape().rbegin()))
    return BadShape("normalizedShape is " + quant::ToString(shape) + " for x " + quant::ToString(x.shape()));
  ASSIGN_OR_RETURN(const Operand gamma, layer.Weight(params.gamma(), shape, "gamma"));
  ASSIGN_OR_RETURN(const Operand beta, layer.Weight(params.beta(), shape, "beta"));
  const List axes = AxesFrom(static_cast<int64_t>(rank - shape.size()), rank);
  return layer.Finish(quant::LayerNorm{axes, params.eps()}, {x, gamma, beta});
}

}  // namespace tally::coreml
