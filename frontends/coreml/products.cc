// Products with matrices, and rows of tables.
#include "frontends/graph/compositions/products.h"

#include <utility>

#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/coreml/operators.h"
#include "frontends/graph/compositions/arithmetic.h"
#include "frontends/graph/compositions/gather.h"
#include "frontends/graph/compositions/norms.h"
#include "frontends/graph/compositions/reductions.h"

namespace tally::coreml {
namespace {

using quant::Shape;

absl::Status CheckDynamic(CoremlLayer& layer, bool is_dynamic, const schema::Weights& weights,
                          bool has_bias) {
  if (!is_dynamic) return absl::OkStatus();
  if (weights.int8_raw_value().empty()) return Malformed("int8DynamicQuantize without int8RawValue");
  if (has_bias) layer.Note("its bias is added after the product, which int8DynamicQuantize does not have");
  return absl::OkStatus();
}

}  // namespace

// Three axes at the end are one list where ranks are 4 and more.
absl::Status ImportInnerProduct(CoremlLayer& layer) {
  const schema::InnerProduct& params = layer.file().inner_product();
  ASSIGN_OR_RETURN(Operand x, layer.OnlyReal());
  ASSIGN_OR_RETURN(const int64_t in, SizeOf(params.input_channels()));
  ASSIGN_OR_RETURN(const int64_t out, SizeOf(params.output_channels()));
  RETURN_IF_ERROR(CheckDynamic(layer, params.int8_dynamic_quantize(), params.weights(), params.adds_bias()));
  ASSIGN_OR_RETURN(const Operand weight, layer.Weight(params.weights(), {out, in}, "weights"));
  ASSIGN_OR_RETURN(const auto bias, layer.WeightIf(params.adds_bias(), params.bias(), {out}, "bias"));
  Shape rows = x.shape(), result;
  if (rows.size() >= 4) {
    rows.resize(rows.size() - 3);
    result = rows;
    rows.push_back(quant::NumElements(x.shape()) / quant::NumElements(rows));
    if (layer.is_exact()) {
      result.insert(result.end(), {out, 1, 1});
    } else {
      result.push_back(out);
    }
  } else {
    if (rows.empty()) return BadShape("x is one number");
    result = rows;
    result.back() = out;
  }
  if (rows.back() != in) return BadShape(absl::StrCat("x has ", rows.back(), " inputs in a row, not ", in));
  if (rows.size() == 1) rows.insert(rows.begin(), 1);
  if (rows != x.shape()) {
    ASSIGN_OR_RETURN(x, layer.Emit(quant::Reshape{rows}, {x}, "rows"));
  }
  ASSIGN_OR_RETURN(const Operand y, DenseLayer(layer, x, weight, bias));
  return layer.FinishShape(y, std::move(result));
}

absl::Status ImportBatchedMatmul(CoremlLayer& layer) {
  const schema::BatchedMatmul& params = layer.file().batched_matmul();
  RETURN_IF_ERROR(layer.CheckInputCount(1, 2));
  ASSIGN_OR_RETURN(Operand a, layer.Real(0));
  if (layer.num_inputs() == 1) {  // the file has the transpose of the matrix
    ASSIGN_OR_RETURN(const int64_t in, SizeOf(params.weight_matrix_first_dimension()));
    ASSIGN_OR_RETURN(const int64_t out, SizeOf(params.weight_matrix_second_dimension()));
    RETURN_IF_ERROR(
        CheckDynamic(layer, params.int8_dynamic_quantize(), params.weights(), params.adds_bias()));
    ASSIGN_OR_RETURN(const Operand weight, layer.Weight(params.weights(), {out, in}, "weights"));
    ASSIGN_OR_RETURN(const auto bias, layer.WeightIf(params.adds_bias(), params.bias(), {out}, "bias"));
    if (a.shape().empty() || a.shape().back() != in)
      return BadShape("x is " + quant::ToString(a.shape()) + ", which has not " + std::to_string(in) +
                      " in a row");
    const bool is_vector = a.shape().size() == 1;
    if (is_vector) {
      ASSIGN_OR_RETURN(a, layer.Emit(quant::Reshape{{1, in}}, {a}, "row"));
    }
    ASSIGN_OR_RETURN(const Operand y, DenseLayer(layer, a, weight, bias));
    return is_vector ? layer.FinishShape(y, {out}) : layer.FinishAs(y);
  }
  ASSIGN_OR_RETURN(Operand b, layer.Real(1));
  if (params.transpose_a() && a.shape().size() > 1) {
    ASSIGN_OR_RETURN(a, Transposed(layer, a, "transposed_a"));
  }
  if (params.transpose_b() && b.shape().size() > 1) {
    ASSIGN_OR_RETURN(b, Transposed(layer, b, "transposed_b"));
  }
  return layer.FinishAs(MatrixProduct(layer, a, b, 1));
}

namespace {

// The rows of a table that places choose: places [..] -> [.., out]. The file has its columns.
template <typename Params>
absl::StatusOr<Operand> Rows(CoremlLayer& layer, const Params& params, uint64_t num_rows, uint64_t width,
                             const Operand& places) {
  ASSIGN_OR_RETURN(const int64_t in, SizeOf(num_rows));
  ASSIGN_OR_RETURN(const int64_t out, SizeOf(width));
  ASSIGN_OR_RETURN(const Operand columns, layer.Weight(params.weights(), {out, in}, "weights"));
  ASSIGN_OR_RETURN(const auto bias, layer.WeightIf(params.adds_bias(), params.bias(), {out}, "bias"));
  ASSIGN_OR_RETURN(Operand table, Transposed(layer, columns, "table"));
  if (bias.has_value()) {
    ASSIGN_OR_RETURN(table, Sum(layer, table, *bias));
  }
  return GatherSlices(layer, table, places, 0);
}

}  // namespace

absl::Status ImportEmbedding(CoremlLayer& layer) {
  const schema::Embedding& params = layer.file().embedding();
  RETURN_IF_ERROR(layer.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand x, layer.Whole(0));
  const Shape& shape = x.shape();
  const size_t leading = layer.is_exact() ? shape.size() - std::min<size_t>(shape.size(), 3) : 1;
  const Shape places(shape.begin(), shape.begin() + static_cast<int64_t>(leading));
  if (shape.size() < 2 || quant::NumElements(places) != quant::NumElements(shape))
    return BadShape("x is " + quant::ToString(shape) + ", not one number for each row");
  ASSIGN_OR_RETURN(const Operand list, layer.Emit(quant::Reshape{places}, {x}, "places"));
  ASSIGN_OR_RETURN(const Operand y, Rows(layer, params, params.input_dim(), params.output_channels(), list));
  Shape result = y.shape();
  if (layer.is_exact()) result.insert(result.end(), 2, 1);
  return layer.FinishShape(y, std::move(result));
}

absl::Status ImportEmbeddingND(CoremlLayer& layer) {
  const schema::EmbeddingNd& params = layer.file().embedding_nd();
  RETURN_IF_ERROR(layer.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand x, layer.Whole(0));
  Shape places = x.shape();
  if (places.empty() || places.back() != 1)
    return BadShape("x is " + quant::ToString(places) + ", not [.., 1]");
  places.pop_back();
  ASSIGN_OR_RETURN(const Operand list, layer.Emit(quant::Reshape{places}, {x}, "places"));
  return layer.FinishAs(Rows(layer, params, params.vocab_size(), params.embedding_size(), list));
}

absl::Status ImportDot(CoremlLayer& layer) {
  RETURN_IF_ERROR(layer.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(std::vector<Operand> operands, layer.Reals());
  RETURN_IF_ERROR(layer.SameRanks(operands));
  ASSIGN_OR_RETURN(const size_t place, layer.ChannelAxis(operands[0]));
  const auto axis = static_cast<int64_t>(place);
  if (layer.file().dot().cosine_similarity()) {
    constexpr float kLeast = 1e-6f;
    layer.Note("the cosine similarity of a zero vector is taken as 0");
    for (Operand& operand : operands) {
      ASSIGN_OR_RETURN(operand, L2NormFrom(layer, operand, {axis}, kLeast));
    }
  }
  ASSIGN_OR_RETURN(const Operand products, Product(layer, operands[0], operands[1]));
  return layer.FinishAs(Reduce(layer, ReductionKind::kSum, products, {.axes = {axis}}));
}

}  // namespace tally::coreml
