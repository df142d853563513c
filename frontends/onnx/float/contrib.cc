// Operators of domain com.microsoft, which ONNX Runtime's optimizer writes where ONNX has several nodes.
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/graph/axis.h"
#include "frontends/graph/compositions/arithmetic.h"
#include "frontends/onnx/float/operators.h"
#include "frontends/onnx/model/labels.h"

namespace tally::onnx {
namespace {

using quant::Unary;

// a + b; a where input `index`, b, is left out.
absl::StatusOr<Operand> Plus(NodeContext& node, const Operand& a, size_t index, std::string_view step) {
  if (!node.HasInput(index)) return a;
  ASSIGN_OR_RETURN(const Operand b, node.Input(index));
  return node.Emit(quant::Add{}, {a, b}, step);
}

// Norm(input + skip + bias) * scale + offset, of which `weights` are the inputs, with the sum as output 3.
template <typename Norm>
absl::Status FinishSkipNorm(NodeContext& node, const std::vector<size_t>& weights, size_t bias) {
  RETURN_IF_ERROR(node.CheckInputCount(3, bias + 1));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(Operand sum, Plus(node, x, bias, "biased"));
  ASSIGN_OR_RETURN(sum, Plus(node, sum, 1, "sum"));
  std::vector<Operand> operands = {sum};
  for (const size_t index : weights) {
    if (!node.HasInput(index)) continue;
    ASSIGN_OR_RETURN(Operand weight, node.Input(index));
    operands.push_back(std::move(weight));
  }
  ASSIGN_OR_RETURN(const float epsilon, node.attributes().Float("epsilon", 1e-12f));
  const auto last = static_cast<int64_t>(sum.shape().size()) - 1;
  RETURN_IF_ERROR(node.Finish(Norm{{last}, epsilon}, operands));
  return node.IsRead(3) ? node.FinishOutputAs(3, sum) : absl::OkStatus();
}

// How many words of each of B sequences an embedding's mask shows, [B]; 0 without one.
absl::Status FinishCounts(NodeContext& node, const quant::Shape& ids) {
  const quant::Shape counts = {ids[0]};
  if (!node.HasInput(7)) {
    ASSIGN_OR_RETURN(const Operand zero, node.NewConstant(quant::Int64Tensor{{}, {0}}, "zero"));
    return node.FinishOutput(1, quant::Expand{counts}, {zero});
  }
  ASSIGN_OR_RETURN(const Operand mask, node.Input(7));
  if (mask.shape() != ids || mask.type.element != quant::ElementType::kInt64) {
    return MakeError(label::model_shape, "its mask is not that of its ids");
  }
  ASSIGN_OR_RETURN(const Operand sums, node.Emit(quant::CumulativeSum{.axis = 1}, {mask}, "sums"));
  const quant::Slice total = {{0, ids[1] - 1}, ids, {1, 1}};
  ASSIGN_OR_RETURN(const Operand totals, node.Emit(total, {sums}, "totals"));
  return node.FinishOutput(1, quant::Reshape{counts}, {totals});
}

}  // namespace

absl::Status ImportBiasGelu(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const Operand sum, Plus(node, x, 1, "sum"));
  return node.Finish(Unary{RecipeFunction::kGelu}, {sum});
}

absl::Status ImportFastGelu(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(1, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const Operand sum, Plus(node, x, 1, "sum"));
  return node.Finish(Unary{RecipeFunction::kGeluTanh}, {sum});
}

absl::Status ImportQuickGelu(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  ASSIGN_OR_RETURN(const float alpha, node.attributes().Float("alpha", 1.702f));
  return node.FinishAs(Swish(node, x, alpha));
}

absl::Status ImportSkipLayerNormalization(NodeContext& node) {
  return FinishSkipNorm<quant::LayerNorm>(node, {2, 3}, 4);
}

absl::Status ImportSkipSimplifiedLayerNormalization(NodeContext& node) {
  return FinishSkipNorm<quant::RmsNorm>(node, {2}, 3);
}

// input_ids [B, S], segment_ids, their tables and that of positions, scale and offset of the norm, mask [B,
// S], position_ids. The sums of rows are output 2, and output 1 says how many words of each sequence the mask
// shows.
absl::Status ImportEmbedLayerNormalization(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(7, 9));
  ASSIGN_OR_RETURN(const Operand ids, node.Input(0));
  ASSIGN_OR_RETURN(const Operand words, node.Input(2));
  ASSIGN_OR_RETURN(Operand places, node.Input(3));
  if (ids.shape().size() != 2 || words.shape().size() != 2 || places.shape().size() != 2) {
    return MakeError(label::model_shape, "its ids or a table is not a matrix");
  }
  if (node.HasInput(8)) {
    ASSIGN_OR_RETURN(const Operand positions, node.Input(8));
    ASSIGN_OR_RETURN(places, node.Emit(quant::Gather{0}, {places, positions}, "places"));
  } else {
    const quant::Slice first = {{0, 0}, {ids.shape()[1], places.shape()[1]}, {1, 1}};
    ASSIGN_OR_RETURN(places, node.Emit(first, {places}, "places"));
  }
  ASSIGN_OR_RETURN(Operand sum, node.Emit(quant::Gather{0}, {words, ids}, "words"));
  ASSIGN_OR_RETURN(sum, node.Emit(quant::Add{}, {sum, places}, "placed"));
  if (node.HasInput(1)) {
    ASSIGN_OR_RETURN(const Operand segments, node.Input(1));
    ASSIGN_OR_RETURN(const Operand table, node.Input(4));
    ASSIGN_OR_RETURN(const Operand rows, node.Emit(quant::Gather{0}, {table, segments}, "segments"));
    ASSIGN_OR_RETURN(sum, node.Emit(quant::Add{}, {sum, rows}, "sum"));
  }
  ASSIGN_OR_RETURN(const Operand scale, node.Input(5));
  ASSIGN_OR_RETURN(const Operand offset, node.Input(6));
  ASSIGN_OR_RETURN(const float epsilon, node.attributes().Float("epsilon", 1e-12f));
  node.attributes().Ignore("mask_index_type");  // for output 1: whether it has a shape
  const auto last = static_cast<int64_t>(sum.shape().size()) - 1;
  RETURN_IF_ERROR(node.Finish(quant::LayerNorm{{last}, epsilon}, {sum, scale, offset}));
  if (node.IsRead(1)) RETURN_IF_ERROR(FinishCounts(node, ids.shape()));
  return node.IsRead(2) ? node.FinishOutputAs(2, sum) : absl::OkStatus();
}

absl::Status ImportSimplifiedLayerNormalization(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const Operand scale, node.Input(1));
  const size_t rank = x.shape().size();
  ASSIGN_OR_RETURN(const int64_t wanted, node.attributes().Int("axis", -1));
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(wanted, rank));
  ASSIGN_OR_RETURN(const float epsilon, node.attributes().Float("epsilon", 1e-5f));
  node.attributes().Ignore("stash_type");
  return node.Finish(quant::RmsNorm{AxesFrom(axis, rank), epsilon}, {x, scale});
}

}  // namespace tally::onnx
