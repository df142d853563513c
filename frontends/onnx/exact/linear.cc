#include "frontends/onnx/exact/linear.h"

#include <algorithm>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/onnx/exact/operators.h"
#include "frontends/onnx/model/labels.h"
#include "frontends/onnx/model/read_node.h"
#include "frontends/onnx/model/read_windows.h"
#include "ops/layout/attrs.h"
#include "ops/linear/attrs.h"
#include "third_party/onnx/onnx.pb.h"

namespace tally::onnx {
namespace {

// x without its zero points, and what the operator itself is to take from each element. `dims` is what the
// zero points of a list broadcast as.
struct Centred {
  Value x;
  int64_t zero = 0;
};

absl::StatusOr<Centred> Centre(ExactNode& node, const ExactValue& x, size_t input,
                               std::vector<int64_t> dims) {
  if (!node.HasInput(input)) return Centred{x.value};
  Composition& c = node.c();
  ASSIGN_OR_RETURN(const ExactValue zeros, node.Input(input));
  const Interval values = c.interval(zeros.value);
  if (c.constant(zeros.value) != nullptr && values.lo == values.hi) return Centred{x.value, values.lo};
  Value offsets = zeros.value;
  if (c.shape(offsets).rank() == 1 && c.shape(offsets).num_elements() > 1) {
    std::ranges::replace(dims, -1, c.shape(offsets)[0]);
    ASSIGN_OR_RETURN(offsets, c.Apply(Opcode::kReshape, {offsets}, ReshapeAttrs{.shape = dims}));
  }
  ASSIGN_OR_RETURN(const Value centred, c.Apply(Opcode::kBroadcastSub, {x.value, offsets}));
  if (c.shape(centred) != c.shape(x.value)) {
    return MakeError(label::model_shape, "the zero points of input " + std::to_string(input) + " do not fit");
  }
  return Centred{centred};
}

// The operands x, w and, brought to the scale of their products, the bias.
absl::StatusOr<std::vector<Value>> WithBias(ExactNode& node, const ExactValue& x, const ExactValue& w,
                                            size_t bias) {
  std::vector<Value> operands = {x.value, w.value};
  if (!node.HasInput(bias)) return operands;
  ASSIGN_OR_RETURN(const ExactValue b, node.Input(bias));
  if (b.fraction_bits > x.fraction_bits + w.fraction_bits) {
    return MakeError(label::model_inexact, "the bias is finer than the products");
  }
  ASSIGN_OR_RETURN(const ExactValue aligned, node.WithFractionBits(b, x.fraction_bits + w.fraction_bits));
  operands.push_back(aligned.value);
  return operands;
}

struct ConvDims {
  std::vector<int64_t> spatial;  // the spatial extents of x
  Extents kernel;
};

absl::StatusOr<ConvDims> DimsOf(ExactNode& node, const ExactValue& x, const ExactValue& w) {
  const auto of_x = node.c().shape(x.value).dims(), of_w = node.c().shape(w.value).dims();
  if (of_x.size() < 3) return MakeError(label::model_shape, "the input has no spatial axes");
  if (of_w.size() != of_x.size()) return MakeError(label::model_shape, "the weights have another rank");
  return ConvDims{{of_x.begin() + 2, of_x.end()}, {of_w.begin() + 2, of_w.end()}};
}

}  // namespace

absl::StatusOr<ExactValue> Convolve(ExactNode& node, const ProductInputs& inputs) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(inputs.a));
  ASSIGN_OR_RETURN(const ExactValue w, node.Input(inputs.b));
  ASSIGN_OR_RETURN(const ConvDims dims, DimsOf(node, x, w));
  ASSIGN_OR_RETURN(const LayerWindows windows, ReadWindows(node.attributes(), dims.spatial, dims.kernel));
  ConvolutionAttrs attrs;
  windows.CopyTo(attrs);
  ASSIGN_OR_RETURN(attrs.groups, node.attributes().Int("group", 1));
  std::vector<int64_t> of_channels(dims.kernel.size() + 2, 1);
  of_channels[0] = -1;
  ASSIGN_OR_RETURN(const Centred a, Centre(node, x, inputs.zero_a, {-1}));
  ASSIGN_OR_RETURN(const Centred b, Centre(node, w, inputs.zero_b, of_channels));
  attrs.zero_x = a.zero;
  attrs.zero_w = b.zero;
  ASSIGN_OR_RETURN(const std::vector<Value> operands, WithBias(node, x.With(a.x), w.With(b.x), inputs.bias));
  ASSIGN_OR_RETURN(const Value y, node.c().Apply(Opcode::kConvolution, operands, attrs));
  return ExactValue{y, x.fraction_bits + w.fraction_bits, x.data_type};
}

absl::StatusOr<ExactValue> MultiplyIntegers(ExactNode& node, const ProductInputs& inputs) {
  ASSIGN_OR_RETURN(const ExactValue a, node.Input(inputs.a));
  ASSIGN_OR_RETURN(const ExactValue b, node.Input(inputs.b));
  ASSIGN_OR_RETURN(const Centred rows, Centre(node, a, inputs.zero_a, {-1, 1}));  // one for each row
  ASSIGN_OR_RETURN(const Centred columns, Centre(node, b, inputs.zero_b, {-1}));  // one for each column
  const MatmulAttrs attrs = {.zero_a = rows.zero, .zero_b = columns.zero};
  ASSIGN_OR_RETURN(const Value y, node.c().Apply(Opcode::kMatmul, {rows.x, columns.x}, attrs));
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

absl::StatusOr<ExactResults> ExactConvTranspose(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  ASSIGN_OR_RETURN(const ExactValue w, node.Input(1));
  ASSIGN_OR_RETURN(const ConvDims dims, DimsOf(node, x, w));
  ASSIGN_OR_RETURN(const LayerWindows windows,
                   ReadTransposedWindows(node.attributes(), dims.spatial, dims.kernel));
  ConvTransposeAttrs attrs;
  windows.CopyTo(attrs);
  attrs.output_padding = windows.output_padding;
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
  ASSIGN_OR_RETURN(const GemmForm read, ReadGemm(node));
  if (read.alpha != 1.0f || read.beta != 1.0f)
    return MakeError(label::model_inexact, "alpha or beta is not 1");
  const MatmulAttrs attrs = {.transpose_a = read.transpose_a, .transpose_b = read.transpose_b};
  ASSIGN_OR_RETURN(const Value product, node.c().Apply(Opcode::kMatmul, {a.value, b.value}, attrs));
  const ExactValue y = {product, a.fraction_bits + b.fraction_bits, a.data_type};
  if (!node.HasInput(2)) return ExactResults{y};
  ASSIGN_OR_RETURN(const std::vector<Value> operands, WithBias(node, a, b, 2));
  ASSIGN_OR_RETURN(const Value sum, node.c().Apply(Opcode::kBroadcastAdd, {product, operands[2]}));
  return ExactResults{y.With(sum)};
}

}  // namespace tally::onnx
