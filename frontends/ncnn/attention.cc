// Attention, and the turned positions in front of it.
#include "frontends/graph/compositions/attention.h"

#include <cmath>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/graph/compositions/arithmetic.h"
#include "frontends/graph/compositions/layout.h"
#include "frontends/graph/compositions/products.h"
#include "frontends/graph/labels.h"
#include "frontends/ncnn/codes.h"
#include "frontends/ncnn/operators.h"

namespace tally::ncnn {
namespace {

// Weights and bias of one projection; scales of codes come after those of all projections.
struct Projection {
  Weights weights;
  quant::Shape shape;
  Operand bias;
};

absl::StatusOr<Projection> ReadProjection(NcnnLayer& layer, int64_t outputs, int64_t inputs) {
  Projection read = {.shape = {outputs, inputs}};
  RETURN_IF_ERROR(quant::CheckShape(read.shape));
  ASSIGN_OR_RETURN(read.weights, layer.weights().Tagged(outputs * inputs));
  ASSIGN_OR_RETURN(read.bias, layer.RawWeights({outputs}, "bias"));
  return read;
}

// x [1, heads, S, W], with its heads in groups that share a key: [1, groups, heads / groups, S, W].
absl::StatusOr<Operand> InGroups(NcnnLayer& layer, const Operand& x, int64_t groups) {
  quant::Shape shape = x.shape();
  shape[1] /= groups;
  shape.insert(shape.begin() + 1, groups);
  return layer.Emit(quant::Reshape{shape}, {x}, "groups");
}

}  // namespace

absl::Status ImportMultiHeadAttention(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const int64_t width, layer.Int(0, 0));
  ASSIGN_OR_RETURN(const int64_t heads, layer.Int(1, 1));
  ASSIGN_OR_RETURN(const int64_t count, layer.Int(2, 0));
  ASSIGN_OR_RETURN(const int64_t term, layer.Int(18, 0));
  if (width < 1 || heads < 1 || width % heads != 0 || count != width * width) {
    return MakeError(label::model_malformed, "its width, its heads and its weights do not fit each other");
  }
  if (term != 0 && term != 2) {
    return MakeError(
        label::model_unsupported_attribute,
        absl::StrCat("weights of the kind ", term, " (18); floats and codes of 8 bits are read"));
  }
  ASSIGN_OR_RETURN(const int64_t of_k, layer.Int(3, width));
  ASSIGN_OR_RETURN(const int64_t of_v, layer.Int(4, width));
  if (layer.num_inputs() != 1 && layer.num_inputs() != 3) {
    return MakeError(label::model_unsupported_operand, "attention with a mask or with former steps");
  }
  std::vector<Projection> read;
  for (const int64_t inputs : {width, of_k, of_v, width}) {
    ASSIGN_OR_RETURN(read.emplace_back(), ReadProjection(layer, width, inputs));
  }
  std::vector<Operand> weights;
  for (size_t i = 0; i < read.size(); ++i) {  // the last projection has one scale
    ASSIGN_OR_RETURN(weights.emplace_back(),
                     ScaledWeight(layer, read[i].weights, read[i].shape, term, i < 3 ? width : 1));
  }
  Operand projected[3];
  for (size_t i = 0; i < 3; ++i) {
    ASSIGN_OR_RETURN(const Operand x, layer.Input(layer.num_inputs() == 1 ? 0 : i));
    if (BlobRank(x) != 2) return MakeError(label::model_shape, "its input is not a list of rows");
    ASSIGN_OR_RETURN(projected[i], DenseLayer(layer, x, weights[i], read[i].bias));
  }
  ASSIGN_OR_RETURN(const float scale, layer.Float(6, 0));
  ASSIGN_OR_RETURN(const Attended attended,
                   Attention(layer, {.q = projected[0], .k = projected[1], .v = projected[2]},
                             {.heads = heads, .scale = scale}));
  return layer.FinishAs(DenseLayer(layer, attended.y, weights[3], read[3].bias));
}

// softmax(scale q k + mask) v of q [heads, S, E], k [groups, T, E] and v [groups, T, V]; with former steps,
// whose keys and values come last among the inputs, first, and those of all steps are results too.
absl::Status ImportSDPA(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const bool has_mask, layer.Flag(5, false));
  ASSIGN_OR_RETURN(float scale, layer.Float(6, 0));
  ASSIGN_OR_RETURN(const bool has_past, layer.Flag(7, false));
  layer.params().Ints(18).IgnoreError();  // with 8 bits it rounds what it computes, which lowering does here
  const size_t inputs = 3 + (has_mask ? 1 : 0) + (has_past ? 2 : 0);
  RETURN_IF_ERROR(layer.CheckInputCount(inputs, inputs));
  ASSIGN_OR_RETURN(Operand q, layer.Input(0));
  Operand of_steps[2];  // keys and values
  for (size_t i = 0; i < 2; ++i) {
    ASSIGN_OR_RETURN(of_steps[i], layer.Input(1 + i));
    if (!has_past) continue;
    ASSIGN_OR_RETURN(const Operand past, layer.Input(inputs - 2 + i));
    ASSIGN_OR_RETURN(of_steps[i], layer.Emit(quant::Concat{2}, {past, of_steps[i]}, "all_steps"));
  }
  auto& [k, v] = of_steps;
  for (const Operand* operand : {&q, &k, &v}) {
    if (BlobRank(*operand) != 3) return MakeError(label::model_shape, "its inputs are not heads of rows");
  }
  const int64_t heads = q.shape()[1], groups = k.shape()[1];
  if (heads % groups != 0 || v.shape()[1] != groups)
    return MakeError(label::model_shape, absl::StrCat(heads, " heads do not share ", groups, " keys"));
  if (has_past) {
    for (size_t i = 0; i < 2 && i + 1 < layer.num_outputs(); ++i)
      RETURN_IF_ERROR(layer.FinishOutputAs(1 + i, of_steps[i]));
  }
  const quant::Shape result = {heads, q.shape()[2], v.shape()[3]};
  std::optional<Operand> mask;
  if (has_mask) {
    ASSIGN_OR_RETURN(mask, layer.SaturatedInput(3));
    if (BlobRank(*mask) == 3 && mask->shape()[1] > 1 && groups < heads) {
      ASSIGN_OR_RETURN(mask, InGroups(layer, *mask, groups));
    }
  }
  if (groups < heads) {
    ASSIGN_OR_RETURN(q, InGroups(layer, q, groups));
    ASSIGN_OR_RETURN(k, InGroups(layer, k, groups));
    ASSIGN_OR_RETURN(v, InGroups(layer, v, groups));
  }
  if (scale == 0) scale = static_cast<float>(1 / std::sqrt(static_cast<double>(q.shape().back())));
  if (!(scale > 0)) return Malformed("its scale is not positive");
  ASSIGN_OR_RETURN(const Operand columns, Transposed(layer, k, "keys"));
  ASSIGN_OR_RETURN(Operand scores, MatrixProduct(layer, q, columns, scale));
  if (mask.has_value()) {
    ASSIGN_OR_RETURN(scores, Sum(layer, scores, *mask));
  }
  ASSIGN_OR_RETURN(const Operand weights,
                   layer.Emit(quant::Softmax{std::ssize(scores.shape()) - 1}, {scores}, "weights"));
  ASSIGN_OR_RETURN(const Operand y, MatrixProduct(layer, weights, v, 1));
  return layer.FinishAs(AsBlob(layer, y, result, "heads"));
}

// x [heads, S, W], whose pairs of features are turned by angles: cosines and sines [S, W / 2]. Pairs are
// neighbours where it is interleaved, else the halves of the width.
absl::Status ImportRotaryEmbed(NcnnLayer& layer) {
  RETURN_IF_ERROR(layer.CheckInputCount(3, 3));
  ASSIGN_OR_RETURN(const bool interleaved, layer.Flag(0, false));
  ASSIGN_OR_RETURN(const Operand x, layer.Input(0));
  if (BlobRank(x) != 3 || x.shape()[3] % 2 != 0)
    return MakeError(label::model_shape, "its input is not heads of rows of pairs");
  const int64_t heads = x.shape()[1], steps = x.shape()[2], pairs = x.shape()[3] / 2;
  quant::Shape of_angles = {1, steps, pairs};
  if (interleaved) of_angles.push_back(1);
  Operand angles[2];
  for (size_t i = 0; i < 2; ++i) {
    ASSIGN_OR_RETURN(Operand cache, layer.Input(1 + i));
    const quant::Shape& shape = cache.shape();
    if (shape.size() < 3 || shape.back() != pairs || shape[shape.size() - 2] < steps ||
        quant::NumElements(shape) != shape[shape.size() - 2] * pairs) {
      return MakeError(label::model_shape, "its angles are not those of its steps");
    }
    if (shape[shape.size() - 2] > steps) {  // more steps than there are: the first ones
      ASSIGN_OR_RETURN(cache, Part(layer, cache, shape.size() - 2, 0, steps, "first_steps"));
    }
    ASSIGN_OR_RETURN(angles[i], layer.Emit(quant::Reshape{of_angles}, {cache}, "angles"));
  }
  Operand split = x;
  if (interleaved) {
    ASSIGN_OR_RETURN(split, layer.Emit(quant::Reshape{{1, heads, steps, pairs, 2}}, {x}, "pairs"));
  }
  const size_t last = split.shape().size() - 1;
  const int64_t half = split.shape()[last] / 2;
  ASSIGN_OR_RETURN(const Operand first, Part(layer, split, last, 0, half, "first"));
  ASSIGN_OR_RETURN(const Operand second, Part(layer, split, last, half, 2 * half, "second"));
  ASSIGN_OR_RETURN(const Operand first_cos, Product(layer, first, angles[0]));
  ASSIGN_OR_RETURN(const Operand second_sin, Product(layer, second, angles[1]));
  ASSIGN_OR_RETURN(const Operand first_sin, Product(layer, first, angles[1]));
  ASSIGN_OR_RETURN(const Operand second_cos, Product(layer, second, angles[0]));
  ASSIGN_OR_RETURN(const Operand turned_first, Difference(layer, first_cos, second_sin));
  ASSIGN_OR_RETURN(const Operand turned_second, Sum(layer, first_sin, second_cos));
  ASSIGN_OR_RETURN(const Operand turned, layer.Emit(quant::Concat{static_cast<int64_t>(last)},
                                                    {turned_first, turned_second}, "turned"));
  return layer.FinishAs(AsBlob(layer, turned, BlobOf(x.shape()), "heads"));
}

}  // namespace tally::ncnn
