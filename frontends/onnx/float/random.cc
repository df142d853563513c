// Random draws. The generator is ours (ops/sampling/spec.md): ONNX defines none.
#include "frontends/graph/compositions/random.h"

#include <bit>
#include <cstdint>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/onnx/float/operators.h"
#include "frontends/onnx/model/data_type.h"
#include "frontends/onnx/model/labels.h"
#include "third_party/onnx/onnx.pb.h"

namespace tally::onnx {
namespace {

// A seed is a float in ONNX; its bits are ours.
absl::StatusOr<RandomSource> ReadSource(NodeContext& node) {
  ASSIGN_OR_RETURN(const float seed, node.attributes().Float("seed", 0));
  return RandomSource{.seed = std::bit_cast<uint32_t>(seed)};
}

absl::StatusOr<quant::Shape> ReadShape(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(0, 0));
  ASSIGN_OR_RETURN(const auto shape, node.attributes().Ints("shape"));
  if (!shape.has_value()) return MakeError(label::model_malformed, "attribute shape is missing");
  RETURN_IF_ERROR(quant::CheckShape(*shape));
  return *shape;
}

absl::StatusOr<quant::Shape> ShapeLikeInput(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operand like, node.OnlyInput());
  return like.shape();
}

// Floats, of any width.
absl::Status CheckType(NodeContext& node) {
  ASSIGN_OR_RETURN(const int64_t type, node.attributes().Int("dtype", ::onnx::TensorProto::FLOAT));
  if (IsFloat(static_cast<int>(type))) return absl::OkStatus();
  return MakeError(label::model_unsupported_type,
                   "a random draw of another type than floats is not imported");
}

absl::Status FinishUniform(NodeContext& node, const quant::Shape& shape) {
  RETURN_IF_ERROR(CheckType(node));
  ASSIGN_OR_RETURN(const RandomSource source, ReadSource(node));
  ASSIGN_OR_RETURN(const float low, node.attributes().Float("low", 0));
  ASSIGN_OR_RETURN(const float high, node.attributes().Float("high", 1));
  return node.FinishAs(RandomUniform(node, shape, source, low, high));
}

absl::Status FinishNormal(NodeContext& node, const quant::Shape& shape) {
  RETURN_IF_ERROR(CheckType(node));
  ASSIGN_OR_RETURN(const RandomSource source, ReadSource(node));
  ASSIGN_OR_RETURN(const float mean, node.attributes().Float("mean", 0));
  ASSIGN_OR_RETURN(const float scale, node.attributes().Float("scale", 1));
  return node.FinishAs(RandomNormal(node, shape, source, mean, scale));
}

}  // namespace

absl::Status ImportRandomUniform(NodeContext& node) {
  ASSIGN_OR_RETURN(const quant::Shape shape, ReadShape(node));
  return FinishUniform(node, shape);
}

absl::Status ImportRandomUniformLike(NodeContext& node) {
  ASSIGN_OR_RETURN(const quant::Shape shape, ShapeLikeInput(node));
  return FinishUniform(node, shape);
}

absl::Status ImportRandomNormal(NodeContext& node) {
  ASSIGN_OR_RETURN(const quant::Shape shape, ReadShape(node));
  return FinishNormal(node, shape);
}

absl::Status ImportRandomNormalLike(NodeContext& node) {
  ASSIGN_OR_RETURN(const quant::Shape shape, ShapeLikeInput(node));
  return FinishNormal(node, shape);
}

// Flags are floats where the file says nothing else.
absl::Status ImportBernoulli(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operand probabilities, node.OnlyInput());
  ASSIGN_OR_RETURN(const int64_t type, node.attributes().Int("dtype", ::onnx::TensorProto::FLOAT));
  ASSIGN_OR_RETURN(const RandomSource source, ReadSource(node));
  ASSIGN_OR_RETURN(const Operand flags, RandomFlags(node, probabilities, source));
  if (!IsFloat(static_cast<int>(type))) return node.FinishAs(flags);
  return node.Finish(quant::ToFloat{}, {flags});
}

absl::Status ImportMultinomial(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operand logarithms, node.OnlyInput());
  ASSIGN_OR_RETURN(const RandomSource source, ReadSource(node));
  ASSIGN_OR_RETURN(const int64_t samples, node.attributes().Int("sample_size", 1));
  node.attributes().Ignore("dtype");  // int32 or int64
  return node.FinishAs(RandomPlaces(node, logarithms, source, samples, /*are_logarithms=*/true));
}

}  // namespace tally::onnx
