// Attention of language models: ONNX's own, GroupQueryAttention of com.microsoft, and rotary positions of
// both.
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/graph/compositions/attention.h"
#include "frontends/graph/compositions/layout.h"
#include "frontends/graph/compositions/rotary.h"
#include "frontends/graph/compositions/selection.h"
#include "frontends/onnx/float/operators.h"
#include "frontends/onnx/model/labels.h"

namespace tally::onnx {
namespace {

using quant::Shape;

constexpr float kHidden = std::numeric_limits<float>::lowest();

// [B, N, S, H] as [B, S, N * H]; [B, S, N * H] stays.
absl::StatusOr<Operand> Joined(NodeContext& node, const Operand& x, const char* step) {
  if (x.shape().size() == 3) return x;
  if (x.shape().size() != 4) return BadShape("its query, key or value", x);
  const Shape& shape = x.shape();
  ASSIGN_OR_RETURN(const Operand steps, node.Emit(quant::Transpose{{0, 2, 1, 3}}, {x}, step));
  return node.Emit(quant::Reshape{{shape[0], shape[2], shape[1] * shape[3]}}, {steps}, step);
}

// And back.
absl::StatusOr<Operand> Apart(NodeContext& node, const Operand& x, int64_t heads, const char* step) {
  const Shape& shape = x.shape();
  ASSIGN_OR_RETURN(const Operand steps,
                   node.Emit(quant::Reshape{{shape[0], shape[1], heads, shape[2] / heads}}, {x}, step));
  return node.Emit(quant::Transpose{{0, 2, 1, 3}}, {steps}, step);
}

absl::Status ReadScores(NodeContext& node, AttentionForm& form) {
  ASSIGN_OR_RETURN(form.scale, node.attributes().Float("scale", 0.0f));
  ASSIGN_OR_RETURN(form.softcap, node.attributes().Float("softcap", 0.0f));
  const bool is_known =
      form.scale >= 0 && std::isfinite(form.scale) && form.softcap >= 0 && std::isfinite(form.softcap);
  return is_known ? absl::OkStatus() : UnsupportedAttribute("scale or softcap is not imported");
}

// Keys and values of former steps, unless there are none yet.
absl::Status ReadPast(NodeContext& node, size_t first, AttentionInputs& inputs) {
  if (node.HasInput(first) != node.HasInput(first + 1))
    return MakeError(label::model_malformed, "half of its past is left out");
  for (const size_t i : {first, first + 1}) {
    if (!node.HasInput(i)) continue;
    ASSIGN_OR_RETURN(Operand past, node.InputOrEmpty(i));
    if (past.shape().size() != 4) return BadShape("its past", past);
    if (quant::NumElements(past.shape()) > 0) inputs.past.push_back(std::move(past));
  }
  return absl::OkStatus();
}

int64_t PastSteps(const AttentionInputs& inputs) {
  return inputs.past.empty() ? 0 : inputs.past[0].shape()[2];
}

absl::Status FinishPresent(NodeContext& node, const Attended& attended) {
  for (const size_t i : {size_t{1}, size_t{2}}) {
    if (node.IsRead(i)) RETURN_IF_ERROR(node.FinishOutputAs(i, attended.present[i - 1]));
  }
  return absl::OkStatus();
}

// Tables [places, R / 2] at `places` [B, S].
struct Angles {
  Operand cos, sin;
};
absl::StatusOr<Angles> AnglesAt(NodeContext& node, size_t cos, size_t sin, const Operand& places) {
  Angles angles;
  ASSIGN_OR_RETURN(angles.cos, node.Input(cos));
  ASSIGN_OR_RETURN(angles.sin, node.Input(sin));
  for (Operand* table : {&angles.cos, &angles.sin}) {
    if (table->shape().size() != 2) return BadShape("its table of angles", *table);
    ASSIGN_OR_RETURN(*table,
                     node.Emit(quant::Gather{0}, {*table, places}, table == &angles.cos ? "cos" : "sin"));
  }
  return angles;
}

// first, first + 1, .. [1, steps]
absl::StatusOr<Operand> PlacesFrom(NodeContext& node, const Operand& first, int64_t steps) {
  ASSIGN_OR_RETURN(const Operand count, CountUp(node, {1, steps}, 1, "steps"));
  return node.Emit(quant::IntegerArithmetic{quant::IntegerArithmetic::Kind::kAdd}, {count, first}, "places");
}

}  // namespace

// Q [B, S, N H] or [B, N, S, H], K and V likewise, what is added to or hides scores, keys and values of the
// past [B, N, P, H], how many keys of each sequence are.
absl::Status ImportOnnxAttention(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(3, 7));
  AttentionForm form = {.hidden = kHidden};
  RETURN_IF_ERROR(ReadScores(node, form));
  ASSIGN_OR_RETURN(const Operand q, node.Input(0));
  ASSIGN_OR_RETURN(const Operand k, node.Input(1));
  ASSIGN_OR_RETURN(const Operand v, node.Input(2));
  const bool are_apart = q.shape().size() == 4;
  ASSIGN_OR_RETURN(form.heads, node.attributes().Int("q_num_heads", are_apart ? q.shape()[1] : 0));
  ASSIGN_OR_RETURN(form.key_heads,
                   node.attributes().Int("kv_num_heads", k.shape().size() == 4 ? k.shape()[1] : form.heads));
  if (form.heads < 1 || form.key_heads < 1)
    return MakeError(label::model_malformed, "q_num_heads or kv_num_heads is missing, or below 1");
  ASSIGN_OR_RETURN(form.is_causal, node.attributes().Bool("is_causal", false));
  node.attributes().Ignore("softmax_precision");
  node.attributes().Ignore("qk_matmul_output_mode");  // says what output 3 is, which is not imported
  AttentionInputs inputs = {.q = q, .k = k, .v = v, .wants_present = node.IsRead(1) || node.IsRead(2)};
  ASSIGN_OR_RETURN(inputs.q, Joined(node, q, "q_joined"));
  ASSIGN_OR_RETURN(inputs.k, Joined(node, k, "k_joined"));
  ASSIGN_OR_RETURN(inputs.v, Joined(node, v, "v_joined"));
  RETURN_IF_ERROR(ReadPast(node, 4, inputs));
  form.first_key = PastSteps(inputs);
  if (node.HasInput(3)) {
    ASSIGN_OR_RETURN(Operand mask, node.SaturatedInput(3));
    (mask.is_integer() ? inputs.seen : inputs.bias) = std::move(mask);
  }
  if (node.HasInput(6)) {
    ASSIGN_OR_RETURN(inputs.mask, node.Input(6));
  }
  ASSIGN_OR_RETURN(Attended attended, Attention(node, inputs, form));
  if (are_apart) {
    ASSIGN_OR_RETURN(attended.y, Apart(node, attended.y, form.heads, "apart"));
  }
  RETURN_IF_ERROR(node.FinishAs(attended.y));
  return FinishPresent(node, attended);
}

// query [B, S, N H], or with keys and values after it; key and value [B, S, K H]; keys and values of the past
// [B, K, P, H]; the place of the last key of each sequence; how many there are; tables of angles; places;
// what is added to scores. The past is full: what is new comes after all of it.
absl::Status ImportGroupQueryAttention(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(7, 11));
  AttentionForm form = {.is_causal = true, .hidden = kHidden};
  RETURN_IF_ERROR(ReadScores(node, form));
  ASSIGN_OR_RETURN(form.heads, node.attributes().Int("num_heads", 0));
  ASSIGN_OR_RETURN(form.key_heads, node.attributes().Int("kv_num_heads", 0));
  if (form.heads < 1 || form.key_heads < 1)
    return MakeError(label::model_malformed, "num_heads or kv_num_heads is missing, or below 1");
  ASSIGN_OR_RETURN(const int64_t window, node.attributes().Int("local_window_size", -1));
  form.window = std::max<int64_t>(window, 0);
  ASSIGN_OR_RETURN(const bool smooth, node.attributes().Bool("smooth_softmax", false));
  if (smooth) return UnsupportedAttribute("smooth_softmax = 1 is not imported");
  ASSIGN_OR_RETURN(const int64_t qk_output, node.attributes().Int("qk_output", 0));
  if (qk_output != 0) return UnsupportedAttribute("qk_output is not imported");
  ASSIGN_OR_RETURN(const Operand query, node.Input(0));
  if (query.shape().size() != 3) return BadShape("its query", query);
  const int64_t steps = query.shape()[1];
  AttentionInputs inputs = {
      .q = query, .k = query, .v = query, .wants_present = node.IsRead(1) || node.IsRead(2)};
  if (node.HasInput(1)) {
    ASSIGN_OR_RETURN(inputs.k, node.Input(1));
    ASSIGN_OR_RETURN(inputs.v, node.Input(2));
  } else {
    const int64_t parts = form.heads + 2 * form.key_heads;
    if (query.shape()[2] % parts != 0) return BadShape("its packed queries, keys and values", query);
    const int64_t width = query.shape()[2] / parts, keys = form.heads * width,
                  values = keys + form.key_heads * width;
    ASSIGN_OR_RETURN(inputs.q, Part(node, query, 2, 0, keys, "q_packed"));
    ASSIGN_OR_RETURN(inputs.k, Part(node, query, 2, keys, values, "k_packed"));
    ASSIGN_OR_RETURN(inputs.v, Part(node, query, 2, values, query.shape()[2], "v_packed"));
  }
  RETURN_IF_ERROR(ReadPast(node, 3, inputs));
  const int64_t past = PastSteps(inputs);
  form.first_key = past;

  // A constant says that the past is full; of what is computed it is assumed.
  ASSIGN_OR_RETURN(const Operand last_places, node.Input(5));
  if (last_places.is_constant()) {
    ASSIGN_OR_RETURN(const quant::Int64Tensor* places, node.IntConstant(5));
    for (const int64_t place : places->data) {
      if (place + 1 != past + steps)
        return MakeError(label::model_unsupported_operand,
                         "a cache of keys that is not full is not imported");
    }
  } else {
    node.Note("its cache of keys is taken to be full: what is new comes after all of it");
    ASSIGN_OR_RETURN(const Operand one, node.NewConstant(int64_t{1}, "one"));
    ASSIGN_OR_RETURN(inputs.mask, node.Emit(quant::IntegerArithmetic{quant::IntegerArithmetic::Kind::kAdd},
                                            {last_places, one}, "counts"));
    const Shape counts = {query.shape()[0]};
    ASSIGN_OR_RETURN(inputs.mask, node.Emit(quant::Reshape{counts}, {*inputs.mask}, "counts"));
  }
  RETURN_IF_ERROR(node.Input(6).status());

  ASSIGN_OR_RETURN(const bool rotates, node.attributes().Bool("do_rotary", false));
  ASSIGN_OR_RETURN(const bool interleaved, node.attributes().Bool("rotary_interleaved", false));
  if (rotates) {
    Operand places;
    if (node.HasInput(9)) {
      ASSIGN_OR_RETURN(places, node.Input(9));
    } else {
      ASSIGN_OR_RETURN(const Operand first, node.NewConstant(past, "first_place"));
      ASSIGN_OR_RETURN(places, PlacesFrom(node, first, steps));
    }
    ASSIGN_OR_RETURN(const Angles angles, AnglesAt(node, 7, 8, places));
    const int64_t width = 2 * angles.cos.shape().back();
    ASSIGN_OR_RETURN(inputs.q,
                     Rotated(node, inputs.q, angles.cos, angles.sin, {form.heads, width, interleaved}));
    ASSIGN_OR_RETURN(inputs.k,
                     Rotated(node, inputs.k, angles.cos, angles.sin, {form.key_heads, width, interleaved}));
  }
  if (node.HasInput(10)) {
    ASSIGN_OR_RETURN(inputs.bias, node.SaturatedInput(10));
  }
  ASSIGN_OR_RETURN(const Attended attended, Attention(node, inputs, form));
  RETURN_IF_ERROR(node.FinishAs(attended.y));
  return FinishPresent(node, attended);
}

namespace {

// x [B, S, N H] or [B, N, S, H] turned by tables at inputs `cos` and after it, at `places`, where there are
// some; else the tables are those of each step, [B, S, R / 2].
absl::Status FinishRotary(NodeContext& node, size_t cos, const std::optional<Operand>& places) {
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  const bool are_apart = x.shape().size() == 4;
  RotaryForm form;
  ASSIGN_OR_RETURN(form.interleaved, node.attributes().Bool("interleaved", false));
  ASSIGN_OR_RETURN(form.width, node.attributes().Int("rotary_embedding_dim", 0));
  ASSIGN_OR_RETURN(const int64_t heads, node.attributes().Int("num_heads", 0));
  Angles angles;
  if (places.has_value()) {
    ASSIGN_OR_RETURN(angles, AnglesAt(node, cos, cos + 1, *places));
  } else {
    ASSIGN_OR_RETURN(angles.cos, node.Input(cos));
    ASSIGN_OR_RETURN(angles.sin, node.Input(cos + 1));
  }
  ASSIGN_OR_RETURN(const Operand joined, Joined(node, x, "joined"));
  // Without a number of heads the table says how wide one is.
  const int64_t width = 2 * angles.cos.shape().back();
  form.heads = are_apart ? x.shape()[1] : heads > 0 ? heads : std::max<int64_t>(1, joined.shape()[2] / width);
  ASSIGN_OR_RETURN(Operand turned, Rotated(node, joined, angles.cos, angles.sin, form));
  if (are_apart) {
    ASSIGN_OR_RETURN(turned, Apart(node, turned, form.heads, "apart"));
  }
  return node.FinishAs(turned);
}

}  // namespace

// X, tables of cosines and sines, places [B, S].
absl::Status ImportRotaryEmbedding(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(3, 4));
  std::optional<Operand> places;
  if (node.HasInput(3)) {
    ASSIGN_OR_RETURN(places, node.Input(3));
  }
  return FinishRotary(node, 1, places);
}

// X, places [B, S] or the first of all, tables of cosines and sines.
absl::Status ImportContribRotaryEmbedding(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(4, 4));
  ASSIGN_OR_RETURN(const bool is_packed, node.attributes().Bool("is_packed_batching", false));
  if (is_packed) return UnsupportedAttribute("is_packed_batching = 1 is not imported");
  node.attributes().Ignore("scale");  // the tables have it already
  ASSIGN_OR_RETURN(Operand places, node.Input(1));
  if (places.shape().size() == 1) {
    ASSIGN_OR_RETURN(const Operand x, node.Input(0));
    const size_t axis = x.shape().size() == 4 ? 2 : 1;
    if (x.shape().size() < 3) return BadShape("what is turned", x);
    ASSIGN_OR_RETURN(places, PlacesFrom(node, places, x.shape()[axis]));
  }
  return FinishRotary(node, 2, places);
}

}  // namespace tally::onnx
