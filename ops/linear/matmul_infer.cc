#include <span>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/linear/attrs.h"
#include "ops/linear/labels.h"
#include "ops/linear/linear_bounds.h"
#include "ops/linear/rules.h"

namespace tally {
namespace {

// The last two axes in the order of the product: a is [rows, K] and b is [K, columns] whatever is transposed.
struct Matrix {
  int64_t rows, columns;
};
Matrix MatrixOf(const Shape& shape, bool transpose) {
  const int64_t rows = shape[shape.rank() - 2], columns = shape[shape.rank() - 1];
  return transpose ? Matrix{columns, rows} : Matrix{rows, columns};
}

std::span<const int64_t> BatchOf(const Shape& shape) { return shape.dims().first(shape.rank() - 2); }

absl::StatusOr<Dims> ResultDims(const InferContext& c, const MatmulAttrs& attrs) {
  const Shape &a = c.shape(0), &b = c.shape(1);
  if (a.rank() < 2 || b.rank() < 2) {  // matmul_c1
    return MakeError(label::matmul_c1,
                     absl::StrCat("a ", a.ToString(), " and b ", b.ToString(), " do not both have two axes"));
  }
  const Matrix left = MatrixOf(a, attrs.transpose_a), right = MatrixOf(b, attrs.transpose_b);
  if (left.columns != right.rows) {  // matmul_c2
    return MakeError(label::matmul_c2,
                     absl::StrCat("rows of ", left.columns, " against columns of ", right.rows));
  }
  ASSIGN_OR_RETURN(Dims dims, BroadcastDims(BatchOf(a), BatchOf(b), label::matmul_c3));
  dims.push_back(left.rows);
  dims.push_back(right.columns);
  return dims;
}

}  // namespace

absl::Status InferMatmul(const InferContext& c, Inferred* out) {
  const auto attrs = c.attrs<MatmulAttrs>();
  ASSIGN_OR_RETURN(const Dims dims, ResultDims(c, attrs));
  RETURN_IF_ERROR(CheckZero(c, 0, attrs.zero_a, label::matmul_c4));
  RETURN_IF_ERROR(CheckZero(c, 1, attrs.zero_b, label::matmul_c4));
  ASSIGN_OR_RETURN(const Shape shape, Shape::Create(dims));
  // Constants have the exact bounds of their rows or columns. Of two constants the right one counts.
  const bool left = c.constant(0) != nullptr && c.constant(1) == nullptr;
  const int weights = left ? 0 : 1, factor = left ? 1 : 0;
  const int64_t zeros[] = {attrs.zero_a, attrs.zero_b};
  const Matrix w = MatrixOf(c.shape(weights), left ? attrs.transpose_a : attrs.transpose_b);
  const int64_t channels = left ? w.rows : w.columns, terms = left ? w.columns : w.rows;
  const bool channels_are_rows = left != (left ? attrs.transpose_a : attrs.transpose_b);
  const LinearTerms sums = {
      .x = WideInterval(c.interval(factor)) - WideInterval(zeros[factor], zeros[factor]),
      .weights = weights,
      .zero = zeros[weights],
      .matrices = c.shape(weights).num_elements() / (channels * terms),
      .channels = channels,
      .terms = terms,
      .channel_stride = channels_are_rows ? terms : 1,
      .term_stride = channels_are_rows ? 1 : channels};
  return AddLinearResult(c, shape, sums, out);
}

WideGas GasMatmul(const GasContext& c) {
  const Matrix b = MatrixOf(c.operands[1].shape, c.attrs<MatmulAttrs>().transpose_b);
  const Shape& y = c.results[0].shape;
  const int64_t rows = y[y.rank() - 2];
  return GasOfGemm(c, {.rows = rows,
                       .columns = y.num_elements() / rows,
                       .groups = y.num_elements() / rows / b.columns,
                       .terms = b.rows});
}

}  // namespace tally
