// Grids that a file says: QuantizeLinear rounds onto one, and what reads codes reads what they stand for.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/graph/axis.h"
#include "frontends/graph/code_grid.h"
#include "frontends/graph/compositions/arithmetic.h"
#include "frontends/onnx/float/block_codes.h"
#include "frontends/onnx/float/constant_codes.h"
#include "frontends/onnx/float/operators.h"
#include "frontends/onnx/model/data_type.h"
#include "frontends/onnx/model/labels.h"

namespace tally::onnx {
namespace {

using ::onnx::TensorProto;
using quant::FloatTensor;
using quant::Int64Tensor;
using quant::QuantizedType;

// The codes of an operand. A bias has those of 32 bits, whose zero point is 0.
CodeType CodesOf(const Operand& operand) {
  return operand.codes.has_value() ? operand.codes->type : kWideCodes;
}

absl::StatusOr<QuantizedType> GridOfCodes(CodeType type, float scale, int64_t zero_point) {
  if (type == kWideCodes && zero_point != 0) {
    return MakeError(label::model_malformed, "the zero point of int32 is not 0");
  }
  return GridOf(type, scale, zero_point);
}

// The zero points that input 2 holds, none where it is left out; they are of `type`.
absl::StatusOr<std::vector<int64_t>> ZeroPoints(const NodeContext& node, CodeType type) {
  if (!node.HasInput(2)) return std::vector<int64_t>();
  ASSIGN_OR_RETURN(const Operand zero, node.CodesInput(2));
  if (!zero.is_constant()) {
    return MakeError(label::model_unsupported_operand,
                     "the zero point '" + PrintableStart(zero.name) +
                         "' is computed at run time; quantize statically, or export the float model");
  }
  const auto* integers = std::get_if<Int64Tensor>(zero.constant.get());
  if (integers == nullptr || CodesOf(zero) != type) {
    return MakeError(label::model_malformed, "the zero point is not of the type of what is quantized");
  }
  return integers->data;
}

// ": attribute axis = 0 would fit", where scales of one dimension fit an axis.
std::string FittingAxis(const FloatTensor& scales, const quant::Shape& shape) {
  for (size_t axis = 0; axis < shape.size() && scales.shape.size() == 1; ++axis) {
    if (shape[axis] == scales.shape[0]) return absl::StrCat("; attribute axis = ", axis, " would fit");
  }
  return "";
}

// A constant with a scale for each block of an axis.
absl::Status FinishBlocks(NodeContext& node, const Operand& x, int64_t size) {
  const auto* codes = x.is_constant() ? std::get_if<Int64Tensor>(x.constant.get()) : nullptr;
  if (codes == nullptr) {
    return MakeError(label::model_unsupported_operand,
                     "what is computed at run time has scales of blocks; quantize activations per tensor");
  }
  ASSIGN_OR_RETURN(const int64_t wanted_axis, node.attributes().Int("axis", 1));
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(wanted_axis, codes->shape.size()));
  ASSIGN_OR_RETURN(const FloatTensor* scales, node.FloatConstant(1));
  ASSIGN_OR_RETURN(const std::vector<int64_t> zeros, ZeroPoints(node, CodesOf(x)));
  BlockGrids grids = {*scales, {0}, axis, size};
  if (!zeros.empty()) grids.zeros.assign(zeros.begin(), zeros.end());
  ASSIGN_OR_RETURN(FloatTensor reals, RealsOfBlocks(*codes, grids));
  if (!std::ranges::all_of(reals.data, [](float v) { return std::isfinite(v); }))
    return MakeError(label::model_nan_weight, "a constant to dequantize becomes NaN or an infinity");
  return node.FinishAsConstant(std::move(reals));
}

// The parameters of inputs 1 and 2, for a tensor of `shape` with codes of `type`.
absl::StatusOr<CodeGrids> ReadParameters(NodeContext& node, const quant::Shape& shape, CodeType type) {
  ASSIGN_OR_RETURN(const int64_t wanted_axis, node.attributes().Int("axis", 1));
  ASSIGN_OR_RETURN(const FloatTensor* scales, node.FloatConstant(1));
  ASSIGN_OR_RETURN(const std::vector<int64_t> zeros, ZeroPoints(node, type));
  CodeGrids parameters;
  const size_t count = scales->data.size();
  if (count != 1) {
    ASSIGN_OR_RETURN(parameters.axis, NormalizeAxis(wanted_axis, shape.size()));
    if (scales->shape.size() != 1 || scales->shape[0] != shape[static_cast<size_t>(parameters.axis)]) {
      return MakeError(label::model_shape, absl::StrCat("scales of ", quant::ToString(scales->shape),
                                                        " do not lie along axis ", parameters.axis, " of ",
                                                        quant::ToString(shape), FittingAxis(*scales, shape)));
    }
  }
  if (!zeros.empty() && zeros.size() != count) {
    return MakeError(label::model_shape,
                     absl::StrCat("there are ", count, " scales and ", zeros.size(), " zero points"));
  }
  for (size_t c = 0; c < count; ++c) {
    ASSIGN_OR_RETURN(parameters.grids.emplace_back(),
                     GridOfCodes(type, scales->data[c], zeros.empty() ? 0 : zeros[c]));
  }
  return parameters;
}

absl::StatusOr<QuantizedType> OneGrid(const CodeGrids& parameters) {
  if (parameters.grids.size() == 1) return parameters.grids[0];
  return MakeError(
      label::model_unsupported_operand,
      "what is computed at run time has a scale for each channel; quantize activations per tensor");
}

// The graph has one type of floats, and emulates no narrower one.
absl::Status CheckFloatType(int64_t data_type) {
  if (IsFloat(static_cast<int>(data_type))) return absl::OkStatus();
  return MakeError(label::model_malformed, absl::StrCat("an attribute names element type ", data_type,
                                                        "; known are the floats 1, 10, 11 and 16"));
}

// The type of the codes that QuantizeLinear makes.
absl::StatusOr<CodeType> TypeToMake(NodeContext& node) {
  ASSIGN_OR_RETURN(const int64_t data_type, node.attributes().Int("output_dtype", 0));
  std::optional<CodeType> asked = CodeTypeOf(static_cast<int>(data_type));
  if (data_type == TensorProto::INT32) asked = kWideCodes;
  if (data_type != 0 && !asked.has_value()) {
    return MakeError(label::model_unsupported_type,
                     absl::StrCat("element type ", data_type, " does not have integers of 4, 8 or 16 bits"));
  }
  if (!node.HasInput(2)) return asked.value_or(CodeType{.bits = 8, .is_signed = false});
  ASSIGN_OR_RETURN(const Operand zero, node.CodesInput(2));
  if (!asked.has_value() || asked == CodesOf(zero)) return CodesOf(zero);
  return MakeError(label::model_malformed, "output_dtype is not the type of the zero point");
}

// The codes of x, which were written on one grid, as another one reads them: ConvInteger, whose scale is 1,
// reads those of a QuantizeLinear.
absl::StatusOr<Operand> OnAnotherGrid(NodeContext& node, const Operand& x, const QuantizedType& written,
                                      const QuantizedType& read) {
  const double factor = read.scale / written.scale;
  const double shift = read.scale * static_cast<double>(written.zero_point - read.zero_point);
  ASSIGN_OR_RETURN(const Operand moved,
                   Affine(node, x, static_cast<float>(factor), static_cast<float>(shift)));
  return node.Emit(quant::FakeQuantize{GridHeld(read)}, {moved}, "on_grid");
}

// As the file's codes of a constant: of a weight, mostly.
absl::Status FinishAsCodes(NodeContext& node, const FloatTensor& x, const CodeGrids& parameters,
                           CodeType type) {
  Int64Tensor codes{x.shape, {}};
  codes.data.reserve(x.data.size());
  for (size_t i = 0; i < x.data.size(); ++i) {
    codes.data.push_back(parameters.Of(i, x.shape).Quantize(x.data[i]));
  }
  ASSIGN_OR_RETURN(Operand constant, node.NewConstant(std::move(codes), "codes"));
  constant.codes = Codes{.type = type};
  return node.FinishAs(constant);
}

}  // namespace

absl::Status ImportQuantizeLinear(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 3));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  node.attributes().Ignore("saturate");  // says something about 8-bit floats only
  ASSIGN_OR_RETURN(const int64_t precision, node.attributes().Int("precision", 0));
  if (precision != 0) RETURN_IF_ERROR(CheckFloatType(precision));
  ASSIGN_OR_RETURN(const CodeType type, TypeToMake(node));
  ASSIGN_OR_RETURN(const int64_t block_size, node.attributes().Int("block_size", 0));
  if (block_size != 0) {
    return MakeError(label::model_unsupported_attribute,
                     "scales of blocks (block_size) are imported of constants that are codes in the file");
  }
  ASSIGN_OR_RETURN(const CodeGrids parameters, ReadParameters(node, x.shape(), type));
  if (x.is_constant()) {
    ASSIGN_OR_RETURN(const FloatTensor* floats, node.FloatConstant(0));
    if (!std::ranges::all_of(floats->data, [](float v) { return std::isfinite(v); })) {
      return MakeError(label::model_nan_weight, "a constant to quantize holds NaN or an infinity");
    }
    return FinishAsCodes(node, *floats, parameters, type);
  }
  ASSIGN_OR_RETURN(const QuantizedType grid, OneGrid(parameters));
  ASSIGN_OR_RETURN(Operand y, node.Emit(quant::FakeQuantize{GridHeld(grid)}, {x}, "on_grid"));
  y.codes = Codes{.type = type, .grid = grid};
  return node.FinishAs(y);
}

absl::Status ImportDequantizeLinear(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 3));
  ASSIGN_OR_RETURN(const int64_t to, node.attributes().Int("output_dtype", 0));
  if (to != 0) RETURN_IF_ERROR(CheckFloatType(to));
  ASSIGN_OR_RETURN(Operand x, node.CodesInput(0));
  if (!x.codes.has_value() && !(x.is_integer() && x.is_constant())) {
    return MakeError(
        label::model_unsupported_type,
        "'" + PrintableStart(x.name) + "' holds no codes of 4, 8 or 16 bits and is not a constant");
  }
  ASSIGN_OR_RETURN(const int64_t block_size, node.attributes().Int("block_size", 0));
  if (block_size != 0) return FinishBlocks(node, x, block_size);
  ASSIGN_OR_RETURN(const CodeGrids parameters, ReadParameters(node, x.shape(), CodesOf(x)));
  if (x.is_constant()) {
    const auto& integers = std::get<Int64Tensor>(*x.constant);
    const Interval all = parameters.grids[0].interval;
    if (!std::ranges::all_of(integers.data, [&](int64_t code) { return all.Contains(code); })) {
      return MakeError(label::model_unsupported_type, "a constant to dequantize holds more than 32 bits");
    }
    return FinishConstant(node, integers, parameters);
  }
  ASSIGN_OR_RETURN(const QuantizedType grid, OneGrid(parameters));
  if (x.codes->input.has_value()) RETURN_IF_ERROR(node.PinInput(*x.codes->input, grid));
  const std::optional<QuantizedType> written = x.codes->grid;
  x.codes.reset();
  if (written == grid) return node.FinishAs(x);
  if (written.has_value()) return node.FinishAs(OnAnotherGrid(node, x, *written, grid));
  // An input of codes: on its own grid it is served, on that of signed integers it is read.
  ASSIGN_OR_RETURN(const Operand served, node.Emit(quant::FakeQuantize{grid}, {x}, "served"));
  return node.Finish(quant::FakeQuantize{GridHeld(grid)}, {served});
}

absl::Status RefuseDynamicQuantization(NodeContext&) {
  return MakeError(
      label::model_unsupported_operand,
      "integers whose scale is found at run time are imported only as quantize_dynamic writes them: "
      "DynamicQuantizeLinear, ConvInteger or MatMulInteger, Cast, and a Mul by both scales; quantize "
      "statically, or export the float model");
}

}  // namespace tally::onnx
