// Products of matrices and vectors, and dense layers, as matmul and convolution.
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/common/compose.h"
#include "ops/labels.h"
#include "ops/linear/lowering/attrs.h"
#include "ops/lowerings.h"

namespace tally {

// A row of w is a kernel of one tap that reads all features of a row of x.
absl::StatusOr<std::vector<Value>> LowerFullyConnected(Composition& c, std::span<const Value> operands,
                                                       const Attributes& attributes) {
  const auto attrs = Unpack<FullyConnectedAttrs>(attributes);
  const Shape x = c.shape(operands[0]), w = c.shape(operands[1]);
  const int64_t axis = attrs.axis < 0 ? attrs.axis + x.rank() : attrs.axis;
  if (axis < 0 || axis >= x.rank() || w.rank() == 0) {
    return MakeError(label::lowering_operands, absl::StrCat("no axis ", attrs.axis, " of x ", x.ToString(),
                                                            " for the rows of w ", w.ToString()));
  }
  std::vector<int64_t> result(x.dims().begin(), x.dims().begin() + axis);
  int64_t rows = 1;
  for (const int64_t dim : result) rows *= dim;
  const int64_t features = x.num_elements() / rows, units = w[0];
  if (w.num_elements() != units * features) {
    return MakeError(label::lowering_operands,
                     absl::StrCat("rows of w ", w.ToString(), " for ", features, " features"));
  }
  result.push_back(units);
  ASSIGN_OR_RETURN(const Value rows_of_x, Reshape(c, operands[0], {rows, features, 1}));
  ASSIGN_OR_RETURN(const Value rows_of_w, Reshape(c, operands[1], {units, features, 1}));
  std::vector<Value> terms = {rows_of_x, rows_of_w};
  if (operands.size() == 3) terms.push_back(operands[2]);
  ASSIGN_OR_RETURN(const Value sums, c.Apply(Opcode::kConvolution, std::move(terms),
                                             ConvolutionAttrs{.stride = {1},
                                                              .dilation = {1},
                                                              .pad_begin = {0},
                                                              .pad_end = {0},
                                                              .zero_x = attrs.zero_x,
                                                              .zero_w = attrs.zero_w}));
  ASSIGN_OR_RETURN(const Value y, Reshape(c, sums, result));
  return std::vector<Value>{y};
}

absl::StatusOr<std::vector<Value>> LowerDense(Composition& c, std::span<const Value> operands,
                                              const Attributes&) {
  return LowerFullyConnected(c, operands, Pack(FullyConnectedAttrs{}));
}

absl::StatusOr<std::vector<Value>> LowerGemm(Composition& c, std::span<const Value> operands,
                                             const Attributes& attributes) {
  for (int i = 0; i < 2; ++i) {
    if (c.shape(operands[i]).rank() == 2) continue;
    return MakeError(label::lowering_operands,
                     absl::StrCat("operand ", i, " ", c.shape(operands[i]).ToString(), " is not a matrix"));
  }
  ASSIGN_OR_RETURN(Value y,
                   c.Apply(Opcode::kMatmul, {operands[0], operands[1]}, Unpack<MatmulAttrs>(attributes)));
  if (operands.size() == 3) {
    const Shape product = c.shape(y);
    ASSIGN_OR_RETURN(y, c.Apply(Opcode::kBroadcastAdd, {y, operands[2]}));
    if (c.shape(y) != product) {
      return MakeError(label::lowering_operands,
                       absl::StrCat("addend ", c.shape(operands[2]).ToString(),
                                    " is larger than the product ", product.ToString()));
    }
  }
  return std::vector<Value>{y};
}

absl::StatusOr<std::vector<Value>> LowerNumpyMatmul(Composition& c, std::span<const Value> operands,
                                                    const Attributes& attributes) {
  auto attrs = Unpack<MatmulAttrs>(attributes);
  Value a = operands[0], b = operands[1];
  const bool row = c.shape(a).rank() == 1, column = c.shape(b).rank() == 1;
  if (row) {
    attrs.transpose_a = false;
    ASSIGN_OR_RETURN(a, Reshape(c, a, {1, c.shape(a)[0]}));
  }
  if (column) {
    attrs.transpose_b = false;
    ASSIGN_OR_RETURN(b, Reshape(c, b, {c.shape(b)[0], 1}));
  }
  ASSIGN_OR_RETURN(const Value product, c.Apply(Opcode::kMatmul, {a, b}, attrs));
  const auto of_product = c.shape(product).dims();
  std::vector<int64_t> dims(of_product.begin(), of_product.end());
  if (column) dims.pop_back();
  if (row) dims.erase(dims.end() - (column ? 1 : 2));
  ASSIGN_OR_RETURN(const Value y, Reshape(c, product, dims));
  return std::vector<Value>{y};
}

}  // namespace tally
