// Operators of domain com.microsoft whose weights are 2, 4 or 8 bits in blocks. What they mean is computed
// here; the quantizer chooses the module's own codes.
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/graph/axis.h"
#include "frontends/graph/compositions/gather.h"
#include "frontends/graph/compositions/products.h"
#include "frontends/onnx/float/block_codes.h"
#include "frontends/onnx/float/operators.h"
#include "frontends/onnx/model/labels.h"

namespace tally::onnx {
namespace {

using quant::FloatTensor;
using quant::Int64Tensor;

absl::Status CheckFinite(const FloatTensor& reals) {
  for (const float real : reals.data) {
    if (!std::isfinite(real)) return MakeError(label::model_nan_weight, "a weight is NaN or infinite");
  }
  return absl::OkStatus();
}

// Bytes of a constant that are codes of fewer bits.
absl::StatusOr<const Int64Tensor*> Bytes(const NodeContext& node, size_t index) {
  ASSIGN_OR_RETURN(const Operand operand, node.CodesInput(index));
  const auto* bytes = operand.is_constant() ? std::get_if<Int64Tensor>(operand.constant.get()) : nullptr;
  if (bytes != nullptr && operand.codes.has_value() && operand.codes->type == CodeType{8, false})
    return bytes;
  return MakeError(label::model_unsupported_operand, "its codes are not a constant of uint8");
}

absl::StatusOr<int64_t> ReadBits(NodeContext& node) {
  ASSIGN_OR_RETURN(const int64_t bits, node.attributes().Int("bits", 4));
  if (bits == 2 || bits == 4 || bits == 8) return bits;
  return UnsupportedAttribute(absl::StrCat("bits = ", bits, " is not imported: 2, 4 and 8 are"));
}

// Rows of `count` numbers of `bits` bits, each row in bytes of its own.
absl::StatusOr<std::vector<int64_t>> UnpackedRows(const Int64Tensor& bytes, int64_t rows, int64_t count,
                                                  int64_t bits) {
  const int64_t row_bytes = (count * bits + 7) / 8;
  if (std::ssize(bytes.data) != rows * row_bytes) {
    return MakeError(label::model_shape,
                     absl::StrCat("it has ", bytes.data.size(), " bytes of codes, and ", rows, " rows of ",
                                  count, " codes take ", rows * row_bytes));
  }
  std::vector<int64_t> all;
  for (int64_t row = 0; row < rows; ++row) {
    const std::vector<int64_t> of_row = Unpacked(bytes.data.data() + row * row_bytes, count, bits);
    all.insert(all.end(), of_row.begin(), of_row.end());
  }
  return all;
}

// Zero points in bytes as the codes are, or floats; the middle of the codes where they are left out.
absl::StatusOr<std::vector<double>> ReadZeros(NodeContext& node, size_t index, int64_t rows, int64_t count,
                                              int64_t bits) {
  if (!node.HasInput(index)) return std::vector<double>{static_cast<double>(int64_t{1} << (bits - 1))};
  ASSIGN_OR_RETURN(const Operand zeros, node.CodesInput(index));
  if (!zeros.is_integer()) {
    ASSIGN_OR_RETURN(const FloatTensor* reals, node.FloatConstant(index));
    return std::vector<double>(reals->data.begin(), reals->data.end());
  }
  ASSIGN_OR_RETURN(const Int64Tensor* bytes, Bytes(node, index));
  ASSIGN_OR_RETURN(const std::vector<int64_t> unpacked, UnpackedRows(*bytes, rows, count, bits));
  return std::vector<double>(unpacked.begin(), unpacked.end());
}

}  // namespace

// A [.., K], codes [N, blocks, bytes], scales [N, blocks], zero points, order of rows, bias.
absl::Status ImportMatMulNBits(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(3, 6));
  if (node.HasInput(4))
    return MakeError(label::model_unsupported_operand, "an order of rows (g_idx) is not imported");
  ASSIGN_OR_RETURN(const Operand a, node.Input(0));
  ASSIGN_OR_RETURN(const Int64Tensor* bytes, Bytes(node, 1));
  ASSIGN_OR_RETURN(const FloatTensor* scales, node.FloatConstant(2));
  ASSIGN_OR_RETURN(const int64_t bits, ReadBits(node));
  ASSIGN_OR_RETURN(const int64_t columns, node.attributes().Int("N", 0));
  ASSIGN_OR_RETURN(const int64_t rows, node.attributes().Int("K", 0));
  ASSIGN_OR_RETURN(const int64_t block, node.attributes().Int("block_size", 0));
  node.attributes().Ignore("accuracy_level");
  constexpr int64_t kMost = int64_t{1} << 24;
  if (columns < 1 || rows < 1 || block < 8 || columns > kMost || rows > kMost || block > kMost ||
      block % 8 != 0)
    return MakeError(label::model_malformed,
                     absl::StrCat("N is ", columns, ", K ", rows, " and block_size ", block,
                                  "; N and K are 1 to 2^24, block_size a multiple of 8"));
  const int64_t blocks = (rows - 1) / block + 1;
  ASSIGN_OR_RETURN(std::vector<int64_t> codes, UnpackedRows(*bytes, columns, blocks * block, bits));
  ASSIGN_OR_RETURN(std::vector<double> zeros, ReadZeros(node, 3, columns, blocks, bits));
  BlockGrids grids = {{{columns, blocks}, scales->data}, std::move(zeros), 1, block};
  if (std::ssize(scales->data) != columns * blocks) grids.scales.shape = scales->shape;  // which is refused
  ASSIGN_OR_RETURN(const FloatTensor padded,
                   RealsOfBlocks(Int64Tensor{{columns, blocks * block}, std::move(codes)}, grids));
  FloatTensor weight{{rows, columns}, {}};
  for (int64_t k = 0; k < rows; ++k) {
    for (int64_t n = 0; n < columns; ++n)
      weight.data.push_back(padded.data[static_cast<size_t>(n * blocks * block + k)]);
  }
  RETURN_IF_ERROR(CheckFinite(weight));
  ASSIGN_OR_RETURN(const Operand b, node.NewConstant(std::move(weight), "weight"));
  ASSIGN_OR_RETURN(Operand product, MatrixProduct(node, a, b, 1));
  if (node.HasInput(5)) {
    ASSIGN_OR_RETURN(const Operand bias, node.Input(5));
    ASSIGN_OR_RETURN(product, node.Emit(quant::Add{}, {product, bias}, "biased"));
  }
  return node.FinishAs(product);
}

// Codes, indices, scales, zero points. Codes of uint8 are packed along the last axis where they have fewer
// bits.
absl::Status ImportGatherBlockQuantized(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(3, 4));
  ASSIGN_OR_RETURN(const Operand data, node.CodesInput(0));
  ASSIGN_OR_RETURN(const Operand indices, node.Input(1));
  ASSIGN_OR_RETURN(const FloatTensor* scales, node.FloatConstant(2));
  ASSIGN_OR_RETURN(const int64_t bits, ReadBits(node));
  ASSIGN_OR_RETURN(const int64_t block, node.attributes().Int("block_size", 128));
  const auto* stored = data.is_constant() ? std::get_if<Int64Tensor>(data.constant.get()) : nullptr;
  if (stored == nullptr || !data.codes.has_value() || stored->shape.empty())
    return MakeError(label::model_unsupported_operand, "its codes are not a constant of 4 or 8 bits");
  Int64Tensor codes = *stored;
  std::vector<double> zeros = {0};
  const bool is_packed = data.codes->type == CodeType{8, false};
  const int64_t last = codes.shape.back(), in_byte = is_packed ? 8 / bits : 1;
  if (is_packed) {
    const int64_t lines = std::ssize(codes.data) / last;
    ASSIGN_OR_RETURN(codes.data, UnpackedRows(codes, lines, last * in_byte, bits));
    codes.shape.back() *= in_byte;
    const int64_t blocks = scales->shape.empty() ? 1 : scales->shape.back();
    ASSIGN_OR_RETURN(zeros, ReadZeros(node, 3, std::ssize(scales->data) / blocks, blocks, bits));
  } else if (node.HasInput(3)) {
    ASSIGN_OR_RETURN(const Operand given, node.CodesInput(3));
    const auto* integers = given.is_constant() ? std::get_if<Int64Tensor>(given.constant.get()) : nullptr;
    if (integers == nullptr || !given.codes.has_value() || given.codes->type != data.codes->type)
      return MakeError(label::model_unsupported_operand,
                       "its zero points are not a constant of the type of its codes");
    zeros.assign(integers->data.begin(), integers->data.end());
  }
  const size_t rank = codes.shape.size();
  ASSIGN_OR_RETURN(const int64_t wanted, node.attributes().Int("quantize_axis", 1));
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(wanted, rank));
  ASSIGN_OR_RETURN(const int64_t wanted_gather, node.attributes().Int("gather_axis", 0));
  ASSIGN_OR_RETURN(const int64_t gather_axis, NormalizeAxis(wanted_gather, rank));
  ASSIGN_OR_RETURN(FloatTensor reals, RealsOfBlocks(codes, {*scales, std::move(zeros), axis, block}));
  RETURN_IF_ERROR(CheckFinite(reals));
  ASSIGN_OR_RETURN(const Operand table, node.NewConstant(std::move(reals), "table"));
  return node.FinishAs(GatherSlices(node, table, indices, gather_axis));
}

}  // namespace tally::onnx
