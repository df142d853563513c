#include "frontends/graph/compositions/norms.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/graph/axis.h"
#include "frontends/graph/compositions/arithmetic.h"
#include "frontends/graph/compositions/reductions.h"
#include "frontends/graph/compositions/windows.h"
#include "frontends/graph/labels.h"

namespace tally::frontend {

using quant::Shape;

namespace {

// x, scale and bias of a norm whose weights are lists of one entry for each of `num_entries`; they are seen
// as [num_entries / inner, inner, 1, ...], to broadcast to an x of `rank` that has these axes after the
// first.
absl::StatusOr<std::vector<Operand>> WithWeights(Emitter& emitter, const Operand& x, int64_t num_entries,
                                                 int64_t inner, const NormWeights& weights) {
  Shape shape = {num_entries / inner};
  if (inner > 1) shape.push_back(inner);
  shape.resize(x.shape().size() - 1, 1);
  std::vector<Operand> operands = {x};
  for (const auto& [weight, step] : {std::pair(&weights.scale, "scale"), std::pair(&weights.bias, "bias")}) {
    if (!weight->has_value()) continue;
    if ((*weight)->shape() != Shape{num_entries}) {
      return MakeError(label::model_shape, "scale or bias is " + quant::ToString((*weight)->shape()) +
                                               ", not [" + std::to_string(num_entries) + "]");
    }
    ASSIGN_OR_RETURN(Operand seen, emitter.Emit(quant::Reshape{shape}, {**weight}, step));
    operands.push_back(std::move(seen));
  }
  return operands;
}

}  // namespace

absl::StatusOr<Operand> InstanceNorm(Emitter& emitter, const Operand& x, float epsilon,
                                     const NormWeights& weights) {
  const size_t rank = x.shape().size();
  if (rank < 3)
    return MakeError(label::model_shape,
                     "x " + quant::ToString(x.shape()) + " has no axes after the channels");
  ASSIGN_OR_RETURN(const std::vector<Operand> operands, WithWeights(emitter, x, x.shape()[1], 1, weights));
  return emitter.Emit(quant::LayerNorm{AxesFrom(2, rank), epsilon}, operands, "normalized");
}

// [N, C, ...] is normalized as [N, groups, C / groups, ...].
absl::StatusOr<Operand> GroupNorm(Emitter& emitter, const Operand& x, int64_t groups, float epsilon,
                                  const NormWeights& weights, bool by_channel) {
  const Shape& shape = x.shape();
  if (shape.size() < 2)
    return MakeError(label::model_shape, "x " + quant::ToString(shape) + " has no channels");
  if (groups < 1 || shape[1] % groups != 0) {
    return MakeError(label::model_malformed,
                     "the number of groups, " + std::to_string(groups) + ", does not divide the channels");
  }
  const int64_t channels = shape[1] / groups;
  Shape grouped = shape;
  grouped[1] = groups;
  grouped.insert(grouped.begin() + 2, channels);
  ASSIGN_OR_RETURN(const Operand apart, emitter.Emit(quant::Reshape{grouped}, {x}, "grouped"));
  ASSIGN_OR_RETURN(
      const std::vector<Operand> operands,
      WithWeights(emitter, apart, by_channel ? shape[1] : groups, by_channel ? channels : 1, weights));
  const quant::LayerNorm norm = {AxesFrom(2, grouped.size()), epsilon};
  ASSIGN_OR_RETURN(const Operand normalized, emitter.Emit(norm, operands, "normalized"));
  return emitter.Emit(quant::Reshape{shape}, {normalized}, "joined");
}

// An L2 norm is sqrt(N) times the root mean square.
absl::StatusOr<Operand> ChannelAffine(Emitter& emitter, const Operand& x, const Operand& scale,
                                      const Operand& bias) {
  const auto channels = static_cast<size_t>(quant::NumElements(scale.shape()));
  const std::vector<float> zeros(channels, 0.0f), ones(channels, 1.0f);
  ASSIGN_OR_RETURN(const Operand mean, emitter.NewConstant(quant::FloatTensor{scale.shape(), zeros}, "mean"));
  ASSIGN_OR_RETURN(const Operand variance,
                   emitter.NewConstant(quant::FloatTensor{scale.shape(), ones}, "variance"));
  return emitter.Emit(quant::BatchNorm{0}, {x, scale, bias, mean, variance}, "affine");
}

absl::StatusOr<Operand> ChannelNorm(Emitter& emitter, const Operand& x, const ChannelStatistics& statistics,
                                    float epsilon) {
  const auto& [scale, bias, mean, variance] = statistics;
  Shape along(x.shape().size(), 1);
  if (along.size() < 2) return MakeError(label::model_shape, "x is " + quant::ToString(x.shape()));
  along[1] = x.shape()[1];
  // A scale of 1 and a bias of 0 would keep what follows from being seen as the weights of the norm.
  const auto is_all = [](const Operand& list, float number) {
    const auto* floats = list.is_constant() ? std::get_if<quant::FloatTensor>(&*list.constant) : nullptr;
    return floats != nullptr && std::ranges::all_of(floats->data, [&](float x) { return x == number; });
  };
  const auto seen = [&](const Operand& list, const char* step) -> absl::StatusOr<Operand> {
    if (list.shape() == Shape{along[1]}) return emitter.Emit(quant::Reshape{along}, {list}, step);
    return MakeError(label::model_shape, std::string(step) + " is " + quant::ToString(list.shape()) +
                                             " for " + std::to_string(along[1]) + " channels");
  };
  ASSIGN_OR_RETURN(const Operand center, seen(mean, "mean"));
  ASSIGN_OR_RETURN(const Operand spread, seen(variance, "variance"));
  ASSIGN_OR_RETURN(const Operand centred, Difference(emitter, x, center));
  ASSIGN_OR_RETURN(const Operand least, emitter.NewConstant(epsilon, "epsilon"));
  ASSIGN_OR_RETURN(const Operand raised, Sum(emitter, spread, least));
  ASSIGN_OR_RETURN(const Operand deviation,
                   emitter.Emit(quant::Unary{RecipeFunction::kSqrt}, {raised}, "deviation"));
  ASSIGN_OR_RETURN(Operand y, Quotient(emitter, centred, deviation));
  if (!is_all(scale, 1)) {
    ASSIGN_OR_RETURN(const Operand factor, seen(scale, "scale"));
    ASSIGN_OR_RETURN(y, Product(emitter, y, factor));
  }
  if (!is_all(bias, 0)) {
    ASSIGN_OR_RETURN(const Operand addend, seen(bias, "bias"));
    ASSIGN_OR_RETURN(y, Sum(emitter, y, addend));
  }
  return y;
}

absl::StatusOr<Operand> L2Norm(Emitter& emitter, const Operand& x, const std::vector<int64_t>& axes,
                               float epsilon) {
  double size = 1;
  for (const int64_t axis : axes) size *= static_cast<double>(x.shape()[static_cast<size_t>(axis)]);
  const quant::FloatTensor factor{{1}, {static_cast<float>(1 / std::sqrt(size))}};
  ASSIGN_OR_RETURN(const Operand scale, emitter.NewConstant(factor, "scale"));
  return emitter.Emit(quant::RmsNorm{axes, static_cast<float>(epsilon / size)}, {x, scale}, "normalized");
}

absl::StatusOr<Operand> L2NormFrom(Emitter& emitter, const Operand& x, const std::vector<int64_t>& axes,
                                   float least) {
  ASSIGN_OR_RETURN(const Operand length, Reduce(emitter, ReductionKind::kL2, x, {.axes = axes}));
  ASSIGN_OR_RETURN(const Operand bound, emitter.NewConstant(least, "least"));
  ASSIGN_OR_RETURN(const Operand divisor, Larger(emitter, length, bound));
  return Quotient(emitter, x, divisor);
}

absl::StatusOr<Operand> LocalNormWithin(Emitter& emitter, const Operand& x, const WindowNorm& norm) {
  ASSIGN_OR_RETURN(const Operand squares, Product(emitter, x, x));
  ASSIGN_OR_RETURN(const Operand mean,
                   AveragePool(emitter, squares, norm.windows, /*count_include_pad=*/true));
  ASSIGN_OR_RETURN(const Operand alpha, emitter.NewConstant(norm.alpha, "alpha"));
  ASSIGN_OR_RETURN(const Operand scaled, Product(emitter, mean, alpha));
  ASSIGN_OR_RETURN(const Operand bias, emitter.NewConstant(norm.bias, "bias"));
  ASSIGN_OR_RETURN(const Operand raised, Sum(emitter, scaled, bias));
  ASSIGN_OR_RETURN(const Operand exponent, emitter.NewConstant(-norm.beta, "exponent"));
  ASSIGN_OR_RETURN(const Operand factor, PowerOf(emitter, raised, exponent));
  return Product(emitter, x, factor);
}

absl::StatusOr<NormStatistics> StatisticsOf(Emitter& emitter, const Operand& x,
                                            const std::vector<int64_t>& axes, float epsilon) {
  NormStatistics statistics;
  ASSIGN_OR_RETURN(statistics.mean, Reduce(emitter, ReductionKind::kMean, x, {.axes = axes}));
  ASSIGN_OR_RETURN(const Operand centered, emitter.Emit(quant::Sub{}, {x, statistics.mean}, "centered"));
  ASSIGN_OR_RETURN(const Operand squares, emitter.Emit(quant::Mul{}, {centered, centered}, "squares"));
  ASSIGN_OR_RETURN(const Operand variance, Reduce(emitter, ReductionKind::kMean, squares, {.axes = axes}));
  ASSIGN_OR_RETURN(const Operand added, emitter.NewConstant(epsilon, "epsilon"));
  ASSIGN_OR_RETURN(const Operand raised, emitter.Emit(quant::Add{}, {variance, added}, "raised"));
  ASSIGN_OR_RETURN(statistics.inverse_deviation,
                   emitter.Emit(quant::Unary{RecipeFunction::kRsqrt}, {raised}, "inverse_deviation"));
  return statistics;
}

absl::StatusOr<Operand> FlatSoftmax(Emitter& emitter, const Operand& x, int64_t axis, bool is_log) {
  const auto along = [is_log](int64_t of) {
    return is_log ? quant::Op(quant::LogSoftmax{of}) : quant::Op(quant::Softmax{of});
  };
  const Shape& shape = x.shape();
  const int64_t num_lines = quant::NumElements(Shape(shape.begin(), shape.begin() + axis));
  const int64_t size = quant::NumElements(shape) / num_lines;
  if (size == shape[static_cast<size_t>(axis)]) return emitter.Emit(along(axis), {x}, "softmax");
  ASSIGN_OR_RETURN(const Operand flat, emitter.Emit(quant::Reshape{{num_lines, size}}, {x}, "flat"));
  ASSIGN_OR_RETURN(const Operand softmax, emitter.Emit(along(1), {flat}, "softmax"));
  return emitter.Emit(quant::Reshape{shape}, {softmax}, "shaped");
}

}  // namespace tally::frontend
