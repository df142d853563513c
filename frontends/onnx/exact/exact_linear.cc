#include "frontends/onnx/exact/exact_linear.h"

#include <algorithm>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/onnx/exact/exact_window.h"
#include "frontends/onnx/exact/operators.h"
#include "frontends/onnx/labels.h"
#include "ops/linear/attrs.h"
#include "third_party/onnx/onnx.pb.h"

namespace tally::onnx {
namespace {

// A zero point is 0 where it is left out; one for each channel has no place in the operators.
absl::StatusOr<int64_t> ZeroPoint(ExactNode& node, size_t input) {
  if (!node.HasInput(input)) return 0;
  ASSIGN_OR_RETURN(const std::vector<int64_t> values, node.Ints(input));
  for (const int64_t value : values) {
    if (value != values[0])
      return MakeError(label::onnx_unsupported_operand, "zero points of channels differ");
  }
  return values[0];
}

// The operands x, w and, brought to the scale of their products, the bias.
absl::StatusOr<std::vector<Value>> WithBias(ExactNode& node, const ExactValue& x, const ExactValue& w,
                                            size_t bias) {
  std::vector<Value> operands = {x.value, w.value};
  if (!node.HasInput(bias)) return operands;
  ASSIGN_OR_RETURN(const ExactValue b, node.Input(bias));
  if (b.fraction_bits > x.fraction_bits + w.fraction_bits) {
    return MakeError(label::onnx_inexact, "the bias is finer than the products");
  }
  ASSIGN_OR_RETURN(const ExactValue aligned, node.WithFractionBits(b, x.fraction_bits + w.fraction_bits));
  operands.push_back(aligned.value);
  return operands;
}

}  // namespace

absl::StatusOr<ExactValue> Convolve(ExactNode& node, const ProductInputs& inputs) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(inputs.a));
  ASSIGN_OR_RETURN(const ExactValue w, node.Input(inputs.b));
  ASSIGN_OR_RETURN(const ExactWindows windows, ReadExactWindows(node, x, &w));
  ConvolutionAttrs attrs;
  windows.CopyTo(attrs);
  ASSIGN_OR_RETURN(attrs.groups, node.attributes().Int("group", 1));
  ASSIGN_OR_RETURN(attrs.zero_x, ZeroPoint(node, inputs.zero_a));
  ASSIGN_OR_RETURN(attrs.zero_w, ZeroPoint(node, inputs.zero_b));
  ASSIGN_OR_RETURN(const std::vector<Value> operands, WithBias(node, x, w, inputs.bias));
  ASSIGN_OR_RETURN(const Value y, node.c().Apply(Opcode::kConvolution, operands, attrs));
  return ExactValue{y, x.fraction_bits + w.fraction_bits, x.data_type};
}

absl::StatusOr<ExactValue> MultiplyIntegers(ExactNode& node, const ProductInputs& inputs) {
  ASSIGN_OR_RETURN(const ExactValue a, node.Input(inputs.a));
  ASSIGN_OR_RETURN(const ExactValue b, node.Input(inputs.b));
  MatmulAttrs attrs;
  ASSIGN_OR_RETURN(attrs.zero_a, ZeroPoint(node, inputs.zero_a));
  ASSIGN_OR_RETURN(attrs.zero_b, ZeroPoint(node, inputs.zero_b));
  ASSIGN_OR_RETURN(const Value y, node.c().Apply(Opcode::kMatmul, {a.value, b.value}, attrs));
  return ExactValue{y, 0, a.data_type};
}

absl::StatusOr<ExactResults> ExactConv(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue y, Convolve(node, {.bias = 2}));
  return ExactResults{y};
}

absl::StatusOr<ExactResults> ExactConvInteger(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue y, Convolve(node, {.zero_a = 2, .zero_b = 3}));
  return ExactResults{ExactValue{y.value, 0, ::onnx::TensorProto::INT32}};
}

// output_shape and SAME give the size of the result; the pads follow from it, the odd element at the end for SAME_UPPER.
absl::StatusOr<ExactResults> ExactConvTranspose(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  ASSIGN_OR_RETURN(const ExactValue w, node.Input(1));
  ASSIGN_OR_RETURN(const auto output_shape, node.attributes().Ints("output_shape"));
  ASSIGN_OR_RETURN(const auto output_padding, node.attributes().Ints("output_padding"));
  ASSIGN_OR_RETURN(const ExactWindows windows, ReadExactWindows(node, x, &w));
  const auto dims = node.c().shape(x.value).dims().subspan(2);
  ConvTransposeAttrs attrs;
  windows.CopyTo(attrs);
  attrs.output_padding = output_padding.value_or(std::vector<int64_t>(dims.size(), 0));
  const bool same = windows.auto_pad == "SAME_UPPER" || windows.auto_pad == "SAME_LOWER";
  const auto fits = [&](const std::vector<int64_t>& list) {
    return list.size() == dims.size() &&
           std::ranges::all_of(list, [](int64_t size) { return size >= 0 && size <= kMaxDim; });
  };
  if ((output_shape && !fits(*output_shape)) || !fits(attrs.output_padding)) {
    return MakeError(label::onnx_malformed, "a list has another rank, or sizes out of range");
  }
  for (size_t i = 0; i < dims.size() && (output_shape || same); ++i) {
    const int64_t size = output_shape ? (*output_shape)[i] : dims[i] * windows.stride[i];
    const int64_t total = windows.stride[i] * (dims[i] - 1) + attrs.output_padding[i] +
                          (windows.kernel[i] - 1) * windows.dilation[i] + 1 - size;
    if (total < 0) {  // beyond the full result there are only places that no tap reaches
      attrs.pad_begin[i] = attrs.pad_end[i] = 0;
      attrs.output_padding[i] -= total;
      continue;
    }
    const int64_t half = total / 2;
    attrs.pad_begin[i] = windows.auto_pad == "SAME_UPPER" ? half : total - half;
    attrs.pad_end[i] = total - attrs.pad_begin[i];
  }
  ASSIGN_OR_RETURN(attrs.groups, node.attributes().Int("group", 1));
  ASSIGN_OR_RETURN(const std::vector<Value> operands, WithBias(node, x, w, 2));
  ASSIGN_OR_RETURN(const Value y, node.c().Apply(Opcode::kConvTranspose, operands, attrs));
  return ExactResults{ExactValue{y, x.fraction_bits + w.fraction_bits, x.data_type}};
}

absl::StatusOr<ExactResults> ExactMatMul(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue a, node.Input(0));
  ASSIGN_OR_RETURN(const ExactValue b, node.Input(1));
  ASSIGN_OR_RETURN(const Value y, node.Lower("numpy_matmul", {a.value, b.value}, MatmulAttrs{}));
  return ExactResults{ExactValue{y, a.fraction_bits + b.fraction_bits, a.data_type}};
}

absl::StatusOr<ExactResults> ExactMatMulInteger(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue y, MultiplyIntegers(node, {.zero_a = 2, .zero_b = 3}));
  return ExactResults{ExactValue{y.value, 0, ::onnx::TensorProto::INT32}};
}

// alpha and beta other than 1 are factors that quantization folds; here they would only be rounded.
absl::StatusOr<ExactResults> ExactGemm(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue a, node.Input(0));
  ASSIGN_OR_RETURN(const ExactValue b, node.Input(1));
  ASSIGN_OR_RETURN(const float alpha, node.attributes().Float("alpha", 1.0f));
  ASSIGN_OR_RETURN(const float beta, node.attributes().Float("beta", 1.0f));
  if (alpha != 1.0f || beta != 1.0f) return MakeError(label::onnx_inexact, "alpha or beta is not 1");
  MatmulAttrs attrs;
  ASSIGN_OR_RETURN(attrs.transpose_a, node.attributes().Bool("transA", false));
  ASSIGN_OR_RETURN(attrs.transpose_b, node.attributes().Bool("transB", false));
  ASSIGN_OR_RETURN(const Value product, node.c().Apply(Opcode::kMatmul, {a.value, b.value}, attrs));
  const ExactValue y = {product, a.fraction_bits + b.fraction_bits, a.data_type};
  if (!node.HasInput(2)) return ExactResults{y};
  ASSIGN_OR_RETURN(const std::vector<Value> operands, WithBias(node, a, b, 2));
  ASSIGN_OR_RETURN(const Value sum, node.c().Apply(Opcode::kBroadcastAdd, {product, operands[2]}));
  return ExactResults{y.With(sum)};
}

}  // namespace tally::onnx
