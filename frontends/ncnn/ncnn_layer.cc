#include "frontends/ncnn/ncnn_layer.h"

#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/graph/axis.h"
#include "frontends/graph/compositions/arithmetic.h"
#include "frontends/graph/labels.h"
#include "frontends/ncnn/expression.h"

namespace tally::ncnn {

absl::StatusOr<Operand> NcnnLayer::RawWeights(const quant::Shape& shape, std::string_view step) {
  RETURN_IF_ERROR(quant::CheckShape(shape));
  ASSIGN_OR_RETURN(std::vector<float> floats, weights_.Raw(quant::NumElements(shape)));
  return NewConstant(quant::FloatTensor{shape, std::move(floats)}, step);
}

absl::StatusOr<std::vector<int64_t>> SizesOf(NcnnLayer& layer, std::string_view text) {
  std::vector<quant::Shape> blobs;
  for (size_t i = 0; i < layer.num_inputs(); ++i) {
    ASSIGN_OR_RETURN(const Operand x, layer.Input(i));
    blobs.push_back(BlobOf(x.shape()));
  }
  return EvaluateSizes(text, blobs);
}

absl::StatusOr<Operand> TaggedWeights(NcnnLayer& layer, const quant::Shape& shape, std::string_view step) {
  RETURN_IF_ERROR(quant::CheckShape(shape));
  ASSIGN_OR_RETURN(Weights weights, layer.weights().Tagged(quant::NumElements(shape)));
  if (!weights.codes.empty())
    return MakeError(label::model_unsupported_type, "its weights are codes of 8 bits");
  return layer.NewConstant(quant::FloatTensor{shape, std::move(weights.floats)}, step);
}

absl::StatusOr<Operand> AsBlob(Emitter& emitter, const Operand& x, const quant::Shape& blob,
                               std::string_view step) {
  const quant::Shape shape = WithBatch(blob);
  if (x.shape() == shape) return x;
  return emitter.Emit(quant::Reshape{shape}, {x}, step);
}

absl::StatusOr<int64_t> AxisOf(int64_t axis, const Operand& x) {
  ASSIGN_OR_RETURN(const int64_t of_blob, NormalizeAxis(axis, BlobRank(x)));
  return of_blob + 1;
}

absl::StatusOr<Operand> PerChannel(Emitter& emitter, const Operand& list, const Operand& x) {
  quant::Shape shape(BlobRank(x), 1);
  shape[0] = list.shape()[0];
  return emitter.Emit(quant::Reshape{shape}, {list}, "channels");
}

absl::StatusOr<Operand> Activated(NcnnLayer& layer, const Operand& y, int type_id) {
  ASSIGN_OR_RETURN(const int64_t type, layer.Int(type_id, 0));
  ASSIGN_OR_RETURN(const std::vector<float> numbers, layer.params().Floats(type_id + 1));
  const size_t wanted = type == 2 ? 1 : type == 3 || type == 6 ? 2 : 0;
  if (numbers.size() < wanted) {
    return MakeError(label::model_malformed,
                     absl::StrCat("activation ", type, " has ", numbers.size(), " parameters"));
  }
  switch (type) {
    case 0: return y;
    case 1: return layer.Emit(quant::Relu{}, {y}, "activated");
    case 2: return layer.Emit(quant::Slopes{numbers[0], 1}, {y}, "activated");
    case 3: return Clip(layer, y, numbers[0], numbers[1]);
    case 4: return layer.Emit(quant::Unary{RecipeFunction::kSigmoid}, {y}, "activated");
    case 5: return layer.Emit(quant::Unary{RecipeFunction::kMish}, {y}, "activated");
    case 6:
      return layer.Emit(quant::Unary{RecipeFunction::kHardSwish, numbers[0], numbers[1]}, {y}, "activated");
    default: return UnknownValue("activation_type", type, "0 to 6");
  }
}

}  // namespace tally::ncnn
