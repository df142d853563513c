// Values that are no function of an input: constants, shapes, and random draws.
#include <cmath>
#include <utility>

#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/coreml/operators.h"
#include "frontends/graph/compositions/random.h"
#include "frontends/graph/compositions/selection.h"

namespace tally::coreml {
namespace {

using quant::Shape;

template <typename Repeated>
absl::StatusOr<Shape> ShapeOf(const Repeated& field) {
  Shape shape;
  for (const auto size : field) {
    ASSIGN_OR_RETURN(shape.emplace_back(), SizeOf(size));
  }
  RETURN_IF_ERROR(quant::CheckShape(shape));
  return shape;
}

}  // namespace

absl::Status ImportLoadConstant(CoremlLayer& layer) {
  const schema::LoadConstant& params = layer.file().load_constant();
  RETURN_IF_ERROR(layer.CheckInputCount(0, 0));
  ASSIGN_OR_RETURN(Shape shape, ShapeOf(params.shape()));
  if (shape.size() != 3) return Malformed("its shape is not (C, H, W)");
  ASSIGN_OR_RETURN(const Operand data, layer.Weight(params.data(), shape, "data"));
  shape.insert(shape.begin(), 1);
  if (layer.is_exact()) {
    shape.insert(shape.begin(), 1);
  } else if (shape[2] == 1 && shape[3] == 1) {
    shape.resize(2);
  }
  return layer.FinishShape(data, std::move(shape));
}

absl::Status ImportLoadConstantND(CoremlLayer& layer) {
  const schema::LoadConstant& params = layer.file().load_constant_nd();
  RETURN_IF_ERROR(layer.CheckInputCount(0, 0));
  ASSIGN_OR_RETURN(const Shape shape, ShapeOf(params.shape()));
  return layer.FinishAs(layer.Weight(params.data(), shape, "data"));
}

absl::Status ImportGetShape(CoremlLayer& layer) {
  RETURN_IF_ERROR(layer.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand x, layer.Input(0));
  return layer.FinishAsConstant(quant::Int64Tensor{{std::ssize(x.shape())}, x.shape()});
}

namespace {

absl::Status FinishFilled(CoremlLayer& layer, float value, const Shape& shape) {
  RETURN_IF_ERROR(quant::CheckShape(shape));
  ASSIGN_OR_RETURN(const Operand number, layer.NewConstant(value, "value"));
  return layer.Finish(quant::Expand{shape}, {number});
}

}  // namespace

absl::Status ImportFillLike(CoremlLayer& layer) {
  RETURN_IF_ERROR(layer.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand like, layer.Input(0));
  return FinishFilled(layer, layer.file().fill_like().value(), like.shape());
}
absl::Status ImportFillStatic(CoremlLayer& layer) {
  RETURN_IF_ERROR(layer.CheckInputCount(0, 0));
  ASSIGN_OR_RETURN(const Shape shape, ShapeOf(layer.file().fill_static().target_shape()));
  return FinishFilled(layer, layer.file().fill_static().value(), shape);
}
absl::Status ImportFillDynamic(CoremlLayer& layer) {
  RETURN_IF_ERROR(layer.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const List shape, layer.Listed(0));
  return FinishFilled(layer, layer.file().fill_dynamic().value(), shape);
}

namespace {

absl::Status FinishRange(CoremlLayer& layer, float start, float end, float step) {
  ASSIGN_OR_RETURN(auto range, RangeOf(start, end, step));
  if (range.data.empty()) return BadShape("the range is empty");
  return layer.FinishAsConstant(std::move(range));
}

// A constant of one number, of floats or integers.
absl::StatusOr<float> KnownNumber(CoremlLayer& layer, size_t index) {
  const auto number = layer.NumberConstant(index);
  if (number.ok()) return static_cast<float>(*number);
  return MakeError(
      label::model_unsupported_operand,
      absl::StrCat("input ", index, " is computed at run time, and says how long the result is"));
}

}  // namespace

absl::Status ImportRangeStatic(CoremlLayer& layer) {
  const schema::RangeStatic& params = layer.file().range_static();
  RETURN_IF_ERROR(layer.CheckInputCount(0, 0));
  return FinishRange(layer, params.start_value(), params.end_value(), params.step_size_value());
}

// Inputs: end, start, step.
absl::Status ImportRangeDynamic(CoremlLayer& layer) {
  const schema::RangeDynamic& params = layer.file().range_dynamic();
  RETURN_IF_ERROR(layer.CheckInputCount(1, 3));
  float numbers[] = {0, params.start_value(), params.step_size_value()};
  for (size_t i = 0; i < layer.num_inputs(); ++i) {
    ASSIGN_OR_RETURN(numbers[i], KnownNumber(layer, i));
  }
  return FinishRange(layer, numbers[1], numbers[0], numbers[2]);
}

namespace {

// The shape of a draw: that of an input, one in the file, or one that a constant says.
enum class From { kLike, kStatic, kDynamic };

template <typename Params>
absl::StatusOr<Shape> DrawnShape(CoremlLayer& layer, From from, const Params& params) {
  if (from == From::kStatic) return ShapeOf(params.output_shape());
  RETURN_IF_ERROR(layer.CheckInputCount(1, 1));
  if (from == From::kLike) {
    ASSIGN_OR_RETURN(const Operand like, layer.Input(0));
    return like.shape();
  }
  ASSIGN_OR_RETURN(Shape shape, layer.Listed(0));
  RETURN_IF_ERROR(quant::CheckShape(shape));
  return shape;
}

RandomSource SourceOf(CoremlLayer& layer, int64_t seed) {
  layer.Note("its draws are those of another generator than Core ML's, with the same distribution");
  return {.seed = static_cast<uint32_t>(seed)};
}

absl::Status FinishNormal(CoremlLayer& layer, From from, const schema::RandomNormal& params) {
  ASSIGN_OR_RETURN(const Shape shape, DrawnShape(layer, from, params));
  return layer.FinishAs(
      RandomNormal(layer, shape, SourceOf(layer, params.seed()), params.mean(), params.std_dev()));
}
absl::Status FinishUniform(CoremlLayer& layer, From from, const schema::RandomUniform& params) {
  ASSIGN_OR_RETURN(const Shape shape, DrawnShape(layer, from, params));
  return layer.FinishAs(
      RandomUniform(layer, shape, SourceOf(layer, params.seed()), params.min_val(), params.max_val()));
}
absl::Status FinishBernoulli(CoremlLayer& layer, From from, const schema::RandomBernoulli& params) {
  if (!(params.prob() >= 0 && params.prob() <= 1)) return Malformed("prob is not from 0 to 1");
  ASSIGN_OR_RETURN(const Shape shape, DrawnShape(layer, from, params));
  return layer.FinishAs(RandomFlags(layer, shape, SourceOf(layer, params.seed()), params.prob()));
}

}  // namespace

absl::Status ImportRandomNormalLike(CoremlLayer& layer) {
  return FinishNormal(layer, From::kLike, layer.file().random_normal_like());
}
absl::Status ImportRandomNormalStatic(CoremlLayer& layer) {
  return FinishNormal(layer, From::kStatic, layer.file().random_normal_static());
}
absl::Status ImportRandomNormalDynamic(CoremlLayer& layer) {
  return FinishNormal(layer, From::kDynamic, layer.file().random_normal_dynamic());
}
absl::Status ImportRandomUniformLike(CoremlLayer& layer) {
  return FinishUniform(layer, From::kLike, layer.file().random_uniform_like());
}
absl::Status ImportRandomUniformStatic(CoremlLayer& layer) {
  return FinishUniform(layer, From::kStatic, layer.file().random_uniform_static());
}
absl::Status ImportRandomUniformDynamic(CoremlLayer& layer) {
  return FinishUniform(layer, From::kDynamic, layer.file().random_uniform_dynamic());
}
absl::Status ImportRandomBernoulliLike(CoremlLayer& layer) {
  return FinishBernoulli(layer, From::kLike, layer.file().random_bernoulli_like());
}
absl::Status ImportRandomBernoulliStatic(CoremlLayer& layer) {
  return FinishBernoulli(layer, From::kStatic, layer.file().random_bernoulli_static());
}
absl::Status ImportRandomBernoulliDynamic(CoremlLayer& layer) {
  return FinishBernoulli(layer, From::kDynamic, layer.file().random_bernoulli_dynamic());
}

// Draws places on the last axis. Logits are divided by the temperature.
absl::Status ImportCategoricalDistribution(CoremlLayer& layer) {
  const schema::Categorical& params = layer.file().categorical_distribution();
  ASSIGN_OR_RETURN(Operand x, layer.OnlyReal());
  ASSIGN_OR_RETURN(const int64_t samples, SizeOf(params.num_samples()));
  if (x.shape().empty()) return BadShape("x is one number");
  const float temperature = params.temperature() == 0 ? 1 : params.temperature();
  if (params.is_logits() && temperature != 1) {
    ASSIGN_OR_RETURN(const Operand factor, layer.NewConstant(1 / temperature, "factor"));
    ASSIGN_OR_RETURN(x, layer.Emit(quant::Mul{}, {x, factor}, "scaled"));
  }
  if (!params.is_logits() && params.eps() != 0)
    layer.Note("eps, which keeps logarithms finite, has nothing to do here");
  return layer.FinishAs(RandomPlaces(layer, x, SourceOf(layer, params.seed()), samples, params.is_logits()));
}

}  // namespace tally::coreml
