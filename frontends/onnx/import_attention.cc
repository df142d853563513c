// Attention and MultiHeadAttention of domain com.microsoft, as the products, sums and softmax that exporters
// write where ONNX Runtime's optimizer writes one node. Letters: S queries meet T keys of B sequences in N
// heads of H features.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/onnx/labels.h"
#include "frontends/onnx/operators.h"

namespace tally::onnx {
namespace {

using quant::Int64Tensor;
using quant::Shape;
using Kind = quant::IntegerArithmetic::Kind;

// Inputs of what is added to the scores; an Attention has them at other places than a MultiHeadAttention.
struct ScoreInputs {
  size_t mask, bias;
};

struct Form {
  int64_t heads = 0;
  bool is_causal = false;
  float hidden = 0;  // what is added to a score that the mask or the order hides
  float scale = 0;   // for the scores; 0: 1 / sqrt(H)
};

struct Heads {
  Operand q;        // [B, N, S, H]
  Operand columns;  // the keys, [B, N, H, T]
  Operand v;        // [B, N, T, H of the values]
};

absl::Status BadShape(const std::string& what, const Operand& operand) {
  return MakeError(label::onnx_shape, what + " is " + quant::ToString(operand.shape()));
}

absl::StatusOr<Form> ReadForm(NodeContext& node) {
  Form form;
  ASSIGN_OR_RETURN(form.heads, node.attributes().Int("num_heads", 0));
  if (form.heads < 1) return MakeError(label::onnx_malformed, "attribute num_heads is missing, or below 1");
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

absl::StatusOr<Operand> Columns(NodeContext& node, const Operand& x, int64_t begin, int64_t end,
                                std::string_view step) {
  quant::Slice slice = {Shape(x.shape().size(), 0), x.shape(), Shape(x.shape().size(), 1)};
  slice.begin.back() = begin;
  slice.end.back() = end;
  return node.Emit(slice, {x}, step);
}

// [B, S, N * H] with its heads apart, [B, S, N, H], and in `order`.
absl::StatusOr<Operand> SplitHeads(NodeContext& node, const Operand& x, int64_t heads,
                                   const std::vector<int64_t>& order, const std::string& step) {
  if (x.shape().size() != 3 || x.shape()[2] % heads != 0) return BadShape("what becomes heads", x);
  const Shape shape = {x.shape()[0], x.shape()[1], heads, x.shape()[2] / heads};
  ASSIGN_OR_RETURN(const Operand apart, node.Emit(quant::Reshape{shape}, {x}, step + "_apart"));
  return node.Emit(quant::Transpose{order}, {apart}, step);
}

// Keys and values of former steps, [B, N, P, H], and whether the node is asked for those of all.
struct Cache {
  std::vector<Operand> past;  // none, or keys and values
  bool is_read = false;
};

// What the node shows of keys and values of all steps.
using Present = std::vector<Operand>;

// Keys and values after those of the cache; `present` gets them where the node is asked for them.
absl::StatusOr<Heads> SplitAll(NodeContext& node, const std::vector<Operand>& qkv, const Form& form,
                               const Cache& cache, Present& present) {
  Heads heads;
  ASSIGN_OR_RETURN(heads.q, SplitHeads(node, qkv[0], form.heads, {0, 2, 1, 3}, "q"));
  if (cache.past.empty() && !cache.is_read) {
    ASSIGN_OR_RETURN(heads.columns, SplitHeads(node, qkv[1], form.heads, {0, 2, 3, 1}, "k"));
    ASSIGN_OR_RETURN(heads.v, SplitHeads(node, qkv[2], form.heads, {0, 2, 1, 3}, "v"));
    return heads;
  }
  for (const size_t i : {size_t{0}, size_t{1}}) {
    const std::string step = i == 0 ? "k" : "v";
    ASSIGN_OR_RETURN(Operand all, SplitHeads(node, qkv[i + 1], form.heads, {0, 2, 1, 3}, step));
    if (!cache.past.empty()) {
      ASSIGN_OR_RETURN(all, node.Emit(quant::Concat{2}, {cache.past[i], all}, step + "_all"));
    }
    present.push_back(std::move(all));
  }
  ASSIGN_OR_RETURN(heads.columns, node.Emit(quant::Transpose{{0, 1, 3, 2}}, {present[0]}, "columns"));
  heads.v = present[1];
  return heads;
}

// 0, 1, .. as sums, so that a list which is too long is refused before there is one.
absl::StatusOr<Operand> CountUp(NodeContext& node, int64_t count, std::string_view step) {
  ASSIGN_OR_RETURN(const Operand one, node.NewConstant(Int64Tensor{{}, {1}}, "one"));
  ASSIGN_OR_RETURN(const Operand ones, node.Emit(quant::Expand{{count}}, {one}, "ones"));
  return node.Emit(quant::CumulativeSum{.axis = 0, .exclusive = true}, {ones}, step);
}

// What is not hidden, as integers other than 0 that broadcast to scores of shape [B, N, S, T]. A list of B
// says how many of the keys of each sequence.
absl::StatusOr<Operand> Seen(NodeContext& node, const Operand& mask, const Shape& scores) {
  const int64_t batch = scores[0], queries = scores[2], keys = scores[3];
  if (mask.type.element != quant::ElementType::kInt64) {
    return MakeError(label::onnx_unsupported_type, "its mask does not hold integers");
  }
  if (mask.shape() == Shape{batch, keys})
    return node.Emit(quant::Reshape{{batch, 1, 1, keys}}, {mask}, "mask");
  if (mask.shape() == Shape{batch, queries, keys}) {
    return node.Emit(quant::Reshape{{batch, 1, queries, keys}}, {mask}, "mask");
  }
  if (mask.shape() != Shape{batch}) {
    return BadShape("its mask, of which [B], [B, T] and [B, S, T] are imported,", mask);
  }
  ASSIGN_OR_RETURN(const Operand places, CountUp(node, keys, "places"));
  ASSIGN_OR_RETURN(const Operand counts, node.Emit(quant::Reshape{{batch, 1, 1, 1}}, {mask}, "counts"));
  return node.Emit(quant::Compare{Comparison::kGreater}, {counts, places}, "mask");
}

// The same of queries that see the keys up to their own, where the last keys are theirs.
absl::StatusOr<Operand> SeenInOrder(NodeContext& node, const Shape& scores) {
  const int64_t queries = scores[2], keys = scores[3];
  ASSIGN_OR_RETURN(const Operand rows, CountUp(node, queries, "rows"));
  ASSIGN_OR_RETURN(const Operand column, node.Emit(quant::Reshape{{queries, 1}}, {rows}, "column"));
  ASSIGN_OR_RETURN(const Operand first, node.NewConstant(Int64Tensor{{}, {keys - queries}}, "first"));
  ASSIGN_OR_RETURN(const Operand own,
                   node.Emit(quant::IntegerArithmetic{Kind::kAdd}, {column, first}, "own"));
  ASSIGN_OR_RETURN(const Operand places, CountUp(node, keys, "places"));
  return node.Emit(quant::Compare{Comparison::kLessEqual}, {places, own}, "order");
}

// What is not seen is as good as gone after a softmax.
absl::StatusOr<Operand> Hide(NodeContext& node, const Operand& scores, const Operand& seen, float hidden) {
  ASSIGN_OR_RETURN(const Operand zero, node.NewConstant(quant::FloatTensor{{}, {0}}, "zero"));
  ASSIGN_OR_RETURN(const Operand low, node.NewConstant(quant::FloatTensor{{}, {hidden}}, "low"));
  ASSIGN_OR_RETURN(const Operand added, node.Emit(quant::Where{}, {seen, zero, low}, "hides"));
  return node.Emit(quant::Add{}, {scores, added}, "masked");
}

absl::StatusOr<Operand> AddMasks(NodeContext& node, Operand scores, const Form& form,
                                 const ScoreInputs& inputs) {
  const Shape shape = scores.shape();
  if (node.HasInput(inputs.bias)) {
    ASSIGN_OR_RETURN(const Operand bias, node.SaturatedInput(inputs.bias));
    ASSIGN_OR_RETURN(scores, node.Emit(quant::Add{}, {scores, bias}, "biased"));
    if (scores.shape() != shape) return BadShape("what is added to its scores", bias);
  }
  if (node.HasInput(inputs.mask)) {
    ASSIGN_OR_RETURN(const Operand mask, node.Input(inputs.mask));
    ASSIGN_OR_RETURN(const Operand seen, Seen(node, mask, shape));
    ASSIGN_OR_RETURN(scores, Hide(node, scores, seen, form.hidden));
  }
  if (!form.is_causal) return scores;
  ASSIGN_OR_RETURN(const Operand seen, SeenInOrder(node, shape));
  return Hide(node, scores, seen, form.hidden);
}

// softmax(scale q k + masks) v as output 0, [B, S, N * H].
absl::Status FinishHeads(NodeContext& node, const Heads& heads, const Form& form, const ScoreInputs& inputs) {
  const Shape& q = heads.q.shape();
  const float scale = form.scale != 0 ? form.scale : 1 / std::sqrt(static_cast<float>(q[3]));
  ASSIGN_OR_RETURN(Operand scores, node.Emit(quant::MatMul{scale}, {heads.q, heads.columns}, "scores"));
  ASSIGN_OR_RETURN(scores, AddMasks(node, std::move(scores), form, inputs));
  ASSIGN_OR_RETURN(const Operand weights, node.Emit(quant::Softmax{3}, {scores}, "weights"));
  ASSIGN_OR_RETURN(const Operand mixed, node.Emit(quant::MatMul{}, {weights, heads.v}, "mixed"));
  ASSIGN_OR_RETURN(const Operand steps, node.Emit(quant::Transpose{{0, 2, 1, 3}}, {mixed}, "steps"));
  return node.Finish(quant::Reshape{{q[0], q[2], form.heads * heads.v.shape()[3]}}, {steps});
}

// The sizes of the columns of an Attention's weights: those of queries, keys and values.
absl::StatusOr<std::vector<int64_t>> ReadSizes(NodeContext& node, const Operand& weights, const Form& form) {
  const int64_t columns = weights.shape()[1];
  ASSIGN_OR_RETURN(const auto given, node.attributes().Ints("qkv_hidden_sizes"));
  const std::vector<int64_t> sizes = given.value_or(std::vector<int64_t>(3, columns / 3));
  const auto fits = [&](int64_t size) { return size >= 1 && size <= columns && size % form.heads == 0; };
  if (sizes.size() != 3 || !std::ranges::all_of(sizes, fits) || sizes[0] != sizes[1] ||
      sizes[0] + sizes[1] + sizes[2] != columns) {
    return BadShape("its weight, which has to have columns of queries, keys and values of its heads,",
                    weights);
  }
  return sizes;
}

// x W + bias, part by part, each [B, S, N * H]: three layers, as of three products in the file.
absl::StatusOr<std::vector<Operand>> Project(NodeContext& node, const Form& form) {
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const Operand weights, node.Input(1));
  RETURN_IF_ERROR(node.FloatConstant(1).status());
  if (x.shape().size() != 3) return BadShape("its input", x);
  if (weights.shape().size() != 2) return BadShape("its weight", weights);
  ASSIGN_OR_RETURN(const std::vector<int64_t> sizes, ReadSizes(node, weights, form));
  const int64_t batch = x.shape()[0], steps = x.shape()[1];
  ASSIGN_OR_RETURN(const Operand rows, node.Emit(quant::Reshape{{batch * steps, x.shape()[2]}}, {x}, "rows"));
  std::vector<Operand> parts;
  int64_t begin = 0;
  for (const int64_t size : sizes) {
    ASSIGN_OR_RETURN(const Operand part, Columns(node, weights, begin, begin + size, "part"));
    ASSIGN_OR_RETURN(const Operand weight, node.Emit(quant::Transpose{{1, 0}}, {part}, "weight"));
    std::vector<Operand> operands = {rows, weight};
    if (node.HasInput(2)) {
      ASSIGN_OR_RETURN(const Operand all, node.Input(2));
      if (all.shape() != Shape{weights.shape()[1]}) return BadShape("its bias", all);
      ASSIGN_OR_RETURN(Operand bias, Columns(node, all, begin, begin + size, "bias"));
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

}  // namespace

// input [B, S, I], weight [I, 3 N H], bias, mask, past [2, B, N, P, H], what is added to the scores.
absl::Status ImportAttention(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 6));
  ASSIGN_OR_RETURN(const Form form, ReadForm(node));
  for (const char* name : {"do_rotary", "past_present_share_buffer"}) {
    ASSIGN_OR_RETURN(const bool is_set, node.attributes().Bool(name, false));
    if (is_set) return UnsupportedAttribute(std::string(name) + " = 1 is not imported");
  }
  ASSIGN_OR_RETURN(const std::vector<Operand> qkv, Project(node, form));
  Cache cache = {.is_read = node.IsRead(1)};
  if (node.HasInput(4)) {
    ASSIGN_OR_RETURN(const Operand past, node.Input(4));
    const Shape& shape = past.shape();
    if (shape.size() != 5 || shape[0] != 2) return BadShape("its past", past);
    for (const int64_t i : {0, 1}) {
      ASSIGN_OR_RETURN(
          const Operand half,
          node.Emit(
              quant::Slice{{i, 0, 0, 0, 0}, {i + 1, shape[1], shape[2], shape[3], shape[4]}, Shape(5, 1)},
              {past}, "half"));
      ASSIGN_OR_RETURN(Operand part,
                       node.Emit(quant::Reshape{{shape.begin() + 1, shape.end()}}, {half}, "past"));
      cache.past.push_back(std::move(part));
    }
  }
  Present present;
  ASSIGN_OR_RETURN(const Heads heads, SplitAll(node, qkv, form, cache, present));
  RETURN_IF_ERROR(FinishHeads(node, heads, form, {.mask = 3, .bias = 5}));
  if (!cache.is_read) return absl::OkStatus();
  for (Operand& part : present) {
    Shape shape = part.shape();
    shape.insert(shape.begin(), 1);
    ASSIGN_OR_RETURN(part, node.Emit(quant::Reshape{shape}, {part}, "half"));
  }
  return node.FinishOutput(1, quant::Concat{0}, present);
}

// query [B, S, N H], key and value [B, T, N H], bias, mask, what is added to the scores, keys and values of
// the past [B, N, P, H].
absl::Status ImportMultiHeadAttention(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(1, 8));
  if (!node.HasInput(1) || !node.HasInput(2)) {
    return MakeError(label::onnx_unsupported_operand, "packed queries, keys and values are not imported");
  }
  ASSIGN_OR_RETURN(const Form form, ReadForm(node));
  std::vector<Operand> qkv;
  int64_t begin = 0;
  for (const size_t i : {size_t{0}, size_t{1}, size_t{2}}) {
    ASSIGN_OR_RETURN(Operand part, node.Input(i));
    if (part.shape().size() != 3) return BadShape("its query, key or value", part);
    if (node.HasInput(3)) {
      ASSIGN_OR_RETURN(const Operand all, node.Input(3));
      const int64_t size = part.shape()[2];
      if (all.shape().size() != 1 || begin + size > all.shape()[0]) return BadShape("its bias", all);
      ASSIGN_OR_RETURN(const Operand bias, Columns(node, all, begin, begin + size, "bias"));
      ASSIGN_OR_RETURN(part, node.Emit(quant::Add{}, {part, bias}, "biased"));
      begin += size;
    }
    qkv.push_back(std::move(part));
  }
  Cache cache = {.is_read = node.IsRead(1) || node.IsRead(2)};
  if (node.HasInput(6) != node.HasInput(7))
    return MakeError(label::onnx_malformed, "half of its past is left out");
  for (const size_t i : {size_t{6}, size_t{7}}) {
    if (!node.HasInput(i)) continue;
    ASSIGN_OR_RETURN(Operand part, node.Input(i));
    cache.past.push_back(std::move(part));
  }
  Present present;
  ASSIGN_OR_RETURN(const Heads heads, SplitAll(node, qkv, form, cache, present));
  RETURN_IF_ERROR(FinishHeads(node, heads, form, {.mask = 4, .bias = 5}));
  for (const size_t i : {size_t{1}, size_t{2}}) {
    if (node.IsRead(i)) RETURN_IF_ERROR(node.FinishOutputAs(i, present[i - 1]));
  }
  return absl::OkStatus();
}

}  // namespace tally::onnx
