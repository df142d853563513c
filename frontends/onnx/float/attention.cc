// Attention and MultiHeadAttention of domain com.microsoft, which ONNX Runtime's optimizer writes where
// exporters write the products, sums and softmax.
#include "frontends/graph/compositions/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/graph/compositions/layout.h"
#include "frontends/onnx/float/operators.h"
#include "frontends/onnx/model/labels.h"

namespace tally::onnx {
namespace {

using quant::Shape;

absl::StatusOr<AttentionForm> ReadForm(NodeContext& node) {
  AttentionForm form;
  ASSIGN_OR_RETURN(form.heads, node.attributes().Int("num_heads", 0));
  if (form.heads < 1) return MakeError(label::model_malformed, "attribute num_heads is missing, or below 1");
  ASSIGN_OR_RETURN(form.is_causal, node.attributes().Bool("unidirectional", false));
  ASSIGN_OR_RETURN(form.hidden, node.attributes().Float("mask_filter_value", -10000.0f));
  ASSIGN_OR_RETURN(form.scale, node.attributes().Float("scale", 0.0f));
  if (std::isnan(form.hidden) || !(form.scale >= 0) || std::isinf(form.scale)) {
    return UnsupportedAttribute("mask_filter_value or scale is not imported");
  }
  // Negative infinity and the least float mean the same in a mask.
  form.hidden = std::max(form.hidden, std::numeric_limits<float>::lowest());
  return form;
}

// The sizes of the columns of an Attention's weights: those of queries, keys and values.
absl::StatusOr<std::vector<int64_t>> ReadSizes(NodeContext& node, const Operand& weights, int64_t heads) {
  const int64_t columns = weights.shape()[1];
  ASSIGN_OR_RETURN(const auto given, node.attributes().Ints("qkv_hidden_sizes"));
  const std::vector<int64_t> sizes = given.value_or(std::vector<int64_t>(3, columns / 3));
  const auto fits = [&](int64_t size) { return size >= 1 && size <= columns && size % heads == 0; };
  if (sizes.size() != 3 || !std::ranges::all_of(sizes, fits) || sizes[0] != sizes[1] ||
      sizes[0] + sizes[1] + sizes[2] != columns) {
    return BadShape("its weight, which has to have columns of queries, keys and values of its heads,",
                    weights);
  }
  return sizes;
}

// x W + bias, part by part, each [B, S, N * H]: three layers, as of three products in the file.
absl::StatusOr<std::vector<Operand>> Project(NodeContext& node, int64_t heads) {
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const Operand weights, node.Input(1));
  RETURN_IF_ERROR(node.FloatConstant(1).status());
  if (x.shape().size() != 3) return BadShape("its input", x);
  if (weights.shape().size() != 2) return BadShape("its weight", weights);
  ASSIGN_OR_RETURN(const std::vector<int64_t> sizes, ReadSizes(node, weights, heads));
  const int64_t batch = x.shape()[0], steps = x.shape()[1];
  ASSIGN_OR_RETURN(const Operand rows, node.Emit(quant::Reshape{{batch * steps, x.shape()[2]}}, {x}, "rows"));
  std::vector<Operand> parts;
  int64_t begin = 0;
  for (const int64_t size : sizes) {
    ASSIGN_OR_RETURN(const Operand part, Part(node, weights, 1, begin, begin + size, "part"));
    ASSIGN_OR_RETURN(const Operand weight, node.Emit(quant::Transpose{{1, 0}}, {part}, "weight"));
    std::vector<Operand> operands = {rows, weight};
    if (node.HasInput(2)) {
      ASSIGN_OR_RETURN(const Operand all, node.Input(2));
      if (all.shape() != Shape{weights.shape()[1]}) return BadShape("its bias", all);
      ASSIGN_OR_RETURN(Operand bias, Part(node, all, 0, begin, begin + size, "bias"));
      operands.push_back(std::move(bias));
    }
    ASSIGN_OR_RETURN(const Operand product, node.Emit(quant::Dense{}, operands, "product"));
    ASSIGN_OR_RETURN(Operand projected,
                     node.Emit(quant::Reshape{{batch, steps, size}}, {product}, "projected"));
    parts.push_back(std::move(projected));
    begin += size;
  }
  return parts;
}

absl::Status ReadMasks(NodeContext& node, size_t mask, size_t bias, AttentionInputs& inputs) {
  if (node.HasInput(mask)) {
    ASSIGN_OR_RETURN(inputs.mask, node.Input(mask));
  }
  if (node.HasInput(bias)) {
    ASSIGN_OR_RETURN(inputs.bias, node.SaturatedInput(bias));
  }
  return absl::OkStatus();
}

}  // namespace

// input [B, S, I], weight [I, 3 N H], bias, mask, past [2, B, N, P, H], what is added to the scores.
absl::Status ImportAttention(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 6));
  ASSIGN_OR_RETURN(const AttentionForm form, ReadForm(node));
  for (const char* name : {"do_rotary", "past_present_share_buffer"}) {
    ASSIGN_OR_RETURN(const bool is_set, node.attributes().Bool(name, false));
    if (is_set) return UnsupportedAttribute(std::string(name) + " = 1 is not imported");
  }
  ASSIGN_OR_RETURN(const std::vector<Operand> qkv, Project(node, form.heads));
  AttentionInputs inputs = {.q = qkv[0], .k = qkv[1], .v = qkv[2], .wants_present = node.IsRead(1)};
  if (node.HasInput(4)) {
    ASSIGN_OR_RETURN(const Operand past, node.Input(4));
    const Shape& shape = past.shape();
    if (shape.size() != 5 || shape[0] != 2) return BadShape("its past", past);
    for (const int64_t i : {0, 1}) {
      ASSIGN_OR_RETURN(const Operand half, Part(node, past, 0, i, i + 1, "half"));
      ASSIGN_OR_RETURN(Operand part,
                       node.Emit(quant::Reshape{{shape.begin() + 1, shape.end()}}, {half}, "past"));
      inputs.past.push_back(std::move(part));
    }
  }
  RETURN_IF_ERROR(ReadMasks(node, 3, 5, inputs));
  ASSIGN_OR_RETURN(Attended attended, Attention(node, inputs, form));
  RETURN_IF_ERROR(node.FinishAs(attended.y));
  if (!inputs.wants_present) return absl::OkStatus();
  for (Operand& part : attended.present) {
    Shape shape = part.shape();
    shape.insert(shape.begin(), 1);
    ASSIGN_OR_RETURN(part, node.Emit(quant::Reshape{shape}, {part}, "half"));
  }
  return node.FinishOutput(1, quant::Concat{0}, attended.present);
}

// query [B, S, N H], key and value [B, T, N H], bias, mask, what is added to the scores, keys and values of
// the past [B, N, P, H].
absl::Status ImportMultiHeadAttention(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(1, 8));
  if (!node.HasInput(1) || !node.HasInput(2)) {
    return MakeError(label::model_unsupported_operand, "packed queries, keys and values are not imported");
  }
  ASSIGN_OR_RETURN(const AttentionForm form, ReadForm(node));
  std::vector<Operand> qkv;
  int64_t begin = 0;
  for (const size_t i : {size_t{0}, size_t{1}, size_t{2}}) {
    ASSIGN_OR_RETURN(Operand part, node.Input(i));
    if (part.shape().size() != 3) return BadShape("its query, key or value", part);
    if (node.HasInput(3)) {
      ASSIGN_OR_RETURN(const Operand all, node.Input(3));
      const int64_t size = part.shape()[2];
      if (all.shape().size() != 1 || begin + size > all.shape()[0]) return BadShape("its bias", all);
      ASSIGN_OR_RETURN(const Operand bias, Part(node, all, 0, begin, begin + size, "bias"));
      ASSIGN_OR_RETURN(part, node.Emit(quant::Add{}, {part, bias}, "biased"));
      begin += size;
    }
    qkv.push_back(std::move(part));
  }
  AttentionInputs inputs = {
      .q = qkv[0], .k = qkv[1], .v = qkv[2], .wants_present = node.IsRead(1) || node.IsRead(2)};
  if (node.HasInput(6) != node.HasInput(7))
    return MakeError(label::model_malformed, "half of its past is left out");
  for (const size_t i : {size_t{6}, size_t{7}}) {
    if (!node.HasInput(i)) continue;
    ASSIGN_OR_RETURN(Operand part, node.Input(i));
    inputs.past.push_back(std::move(part));
  }
  RETURN_IF_ERROR(ReadMasks(node, 4, 5, inputs));
  ASSIGN_OR_RETURN(const Attended attended, Attention(node, inputs, form));
  RETURN_IF_ERROR(node.FinishAs(attended.y));
  for (const size_t i : {size_t{1}, size_t{2}}) {
    if (node.IsRead(i)) RETURN_IF_ERROR(node.FinishOutputAs(i, attended.present[i - 1]));
  }
  return absl::OkStatus();
}

}  // namespace tally::onnx
