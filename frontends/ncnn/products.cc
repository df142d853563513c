// Matrix products.
#include "frontends/graph/compositions/products.h"

#include <memory>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/graph/compositions/arithmetic.h"
#include "frontends/graph/labels.h"
#include "frontends/ncnn/codes.h"
#include "frontends/ncnn/operators.h"

namespace tally::ncnn {
// Each row of a blob whose rows have as many numbers as weights; all elements of any other.
absl::Status ImportInnerProduct(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(Operand x, layer.OnlyInput());
  ASSIGN_OR_RETURN(const int64_t outputs, layer.Int(0, 0));
  ASSIGN_OR_RETURN(const bool has_bias, layer.Flag(1, false));
  ASSIGN_OR_RETURN(const int64_t count, layer.Int(2, 0));
  ASSIGN_OR_RETURN(const int64_t term, layer.Int(8, 0));
  if (outputs < 1 || count < 1 || count % outputs != 0) {
    return MakeError(label::model_malformed,
                     absl::StrCat(count, " weights are not those of ", outputs, " results"));
  }
  const int64_t inputs = count / outputs;
  RETURN_IF_ERROR(quant::CheckShape({outputs, inputs}));
  ASSIGN_OR_RETURN(Weights weights, layer.weights().Tagged(count));
  std::optional<Operand> bias;
  if (has_bias) {
    ASSIGN_OR_RETURN(bias, layer.RawWeights({outputs}, "bias"));
  }
  Operand weight;
  if (term != 0) {
    ASSIGN_OR_RETURN(const CodeScales scales, ReadScales(layer, /*term=*/1, outputs));
    ASSIGN_OR_RETURN(weight, CodedWeight(layer, weights, {outputs, inputs}, scales.weights));
    ASSIGN_OR_RETURN(x, OnCodes(layer, x, *scales.input, "codes"));
  } else {
    if (!weights.codes.empty()) return Malformed("its weights are codes without scales");
    ASSIGN_OR_RETURN(weight, layer.NewConstant(
                                 quant::FloatTensor{{outputs, inputs}, std::move(weights.floats)}, "weight"));
  }
  const quant::Shape blob = BlobOf(x.shape());
  const bool by_row = blob.size() == 2 && blob[1] == inputs && blob[0] > 1;
  if (!by_row && quant::NumElements(blob) != inputs) {
    return MakeError(label::model_shape, absl::StrCat("its input has ", quant::NumElements(blob),
                                                      " elements, and its ", "weights are for ", inputs));
  }
  if (!by_row) {
    ASSIGN_OR_RETURN(x, AsBlob(layer, x, {inputs}, "flat"));
  }
  ASSIGN_OR_RETURN(const Operand y, DenseLayer(layer, x, weight, bias));
  return layer.FinishAs(Activated(layer, y, 9));
}

// alpha * (A B + beta C), A, B and C inputs or constants.
absl::Status ImportGemm(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const float alpha, layer.Float(0, 1));
  ASSIGN_OR_RETURN(const float beta, layer.Float(1, 1));
  ASSIGN_OR_RETURN(const bool transpose_a, layer.Flag(2, false));
  ASSIGN_OR_RETURN(const bool transpose_b, layer.Flag(3, false));
  bool is_constant[3];
  int64_t sizes[3];  // M, N, K
  for (int i = 0; i < 3; ++i) {
    ASSIGN_OR_RETURN(is_constant[i], layer.Flag(4 + i, false));
    ASSIGN_OR_RETURN(sizes[i], layer.Int(7 + i, 0));
  }
  ASSIGN_OR_RETURN(const int64_t broadcast, layer.Int(10, 0));
  for (const int of_memory : {12, 13, 20, 21, 22}) layer.params().Ints(of_memory).IgnoreError();
  const auto [m, n, k] = sizes;
  size_t next = 0;
  const auto input = [&]() -> absl::StatusOr<Operand> {
    ASSIGN_OR_RETURN(const Operand x, layer.Input(next++));
    if (BlobRank(x) != 2) return MakeError(label::model_shape, "a factor is not a matrix");
    return layer.Emit(quant::Reshape{BlobOf(x.shape())}, {x}, "matrix");
  };
  Operand factors[2];
  const quant::Shape of_constants[] = {transpose_a ? quant::Shape{k, m} : quant::Shape{m, k},
                                       transpose_b ? quant::Shape{n, k} : quant::Shape{k, n}};
  for (int i = 0; i < 2; ++i) {
    ASSIGN_OR_RETURN(factors[i], is_constant[i] ? TaggedWeights(layer, of_constants[i], "factor") : input());
  }
  if (transpose_a) {
    ASSIGN_OR_RETURN(factors[0], Transposed(layer, factors[0], "transposed"));
  }
  std::optional<Operand> c;
  if (is_constant[2] && broadcast != -1) {
    const quant::Shape kShapes[] = {{1}, {m, 1}, {m, 1}, {m, n}, {1, n}};
    if (broadcast < 0 || broadcast > 4)
      return MakeError(label::model_malformed, "C broadcasts in no known way");
    ASSIGN_OR_RETURN(c, TaggedWeights(layer, kShapes[broadcast], "addend"));
  } else if (!is_constant[2] && next < layer.num_inputs()) {
    ASSIGN_OR_RETURN(const Operand x, layer.Input(next));
    const quant::Shape blob = BlobOf(x.shape());
    // A list is one of rows, unless it has as many elements as there are columns.
    const int64_t columns = factors[1].shape()[transpose_b ? 0 : 1];
    const quant::Shape shape =
        blob.size() == 1
            ? (blob[0] == columns || blob[0] == 1 ? quant::Shape{1, blob[0]} : quant::Shape{blob[0], 1})
            : blob;
    ASSIGN_OR_RETURN(c, layer.Emit(quant::Reshape{shape}, {x}, "addend"));
  }
  if (c.has_value() && beta != 1) {
    ASSIGN_OR_RETURN(const Operand factor, layer.NewConstant(beta, "beta"));
    ASSIGN_OR_RETURN(c, Product(layer, *c, factor));
  }
  ASSIGN_OR_RETURN(Operand y, AffineProduct(layer, factors[0], factors[1], transpose_b, c));
  if (alpha != 1) {
    ASSIGN_OR_RETURN(const Operand factor, layer.NewConstant(alpha, "alpha"));
    ASSIGN_OR_RETURN(y, Product(layer, y, factor));
  }
  return layer.FinishAs(AsBlob(layer, y, y.shape(), "blob"));
}

// The product of two stacks of matrices; a vector is a row on the left and a column on the right.
absl::Status ImportMatMul(NcnnLayer& layer) {
  RETURN_IF_ERROR(layer.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(Operand a, layer.Input(0));
  ASSIGN_OR_RETURN(Operand b, layer.Input(1));
  ASSIGN_OR_RETURN(const bool transposes_b, layer.Flag(0, false));
  if (transposes_b && BlobRank(b) > 1) {
    ASSIGN_OR_RETURN(b, Transposed(layer, b, "transposed"));
  }
  for (Operand* factor : {&a, &b}) {
    if (BlobRank(*factor) > 1) continue;
    ASSIGN_OR_RETURN(*factor, layer.Emit(quant::Reshape{BlobOf(factor->shape())}, {*factor}, "vector"));
  }
  const bool has_batch =
      a.shape().size() > 1 || b.shape().size() > 1;  // a factor that is not a vector has one
  ASSIGN_OR_RETURN(const Operand y, MatrixProduct(layer, a, b, 1));
  quant::Shape blob = has_batch ? BlobOf(y.shape()) : y.shape();
  if (blob.empty()) blob = {1};
  return layer.FinishAs(AsBlob(layer, y, blob, "blob"));
}

// Rows of a table at ids, plus a bias; an id outside of the table is the nearest one.
absl::Status ImportEmbed(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const Operand ids, layer.OnlyInput());
  ASSIGN_OR_RETURN(const int64_t width, layer.Int(0, 0));
  ASSIGN_OR_RETURN(const int64_t rows, layer.Int(1, 0));
  ASSIGN_OR_RETURN(const bool has_bias, layer.Flag(2, false));
  ASSIGN_OR_RETURN(const int64_t count, layer.Int(3, 0));
  ASSIGN_OR_RETURN(const int64_t term, layer.Int(18, 0));
  RETURN_IF_ERROR(quant::CheckShape({rows, width}));
  if (count != rows * width)
    return Malformed(absl::StrCat(count, " weights are not those of ", rows, " rows of ", width));
  if (!ids.is_integer())
    return MakeError(label::model_unsupported_operand, "its ids are computed, and are not those of an Input");
  ASSIGN_OR_RETURN(Weights weights, layer.weights().Tagged(count));
  std::optional<Operand> bias;
  if (has_bias) {
    ASSIGN_OR_RETURN(bias, layer.RawWeights({width}, "bias"));
  }
  ASSIGN_OR_RETURN(const Operand table, ScaledWeight(layer, weights, {rows, width}, term, 1));
  ASSIGN_OR_RETURN(const Operand flat, AsBlob(layer, ids, {quant::NumElements(ids.shape())}, "flat"));
  ASSIGN_OR_RETURN(const Operand chosen, layer.Emit(quant::Gather{0}, {table, flat}, "rows"));
  if (!bias.has_value()) return layer.FinishAs(chosen);
  return layer.Finish(quant::Add{}, {chosen, *bias});
}

}  // namespace tally::ncnn
