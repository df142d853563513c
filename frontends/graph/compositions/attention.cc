#include "frontends/graph/compositions/attention.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/graph/compositions/arithmetic.h"
#include "frontends/graph/compositions/selection.h"
#include "frontends/graph/labels.h"

namespace tally::frontend {

using quant::Shape;
using Kind = quant::IntegerArithmetic::Kind;

absl::Status BadShape(const std::string& what, const Operand& operand) {
  return MakeError(label::model_shape, what + " is " + quant::ToString(operand.shape()));
}

namespace {

struct Heads {
  Operand q;        // [B, N, S, H]
  Operand columns;  // the keys, [B, N, H, T]
  Operand v;        // [B, N, T, H of the values]
};

// [B, S, N * H] with its heads apart, [B, S, N, H], and in `order`.
absl::StatusOr<Operand> SplitHeads(Emitter& emitter, const Operand& x, int64_t heads,
                                   const std::vector<int64_t>& order, const std::string& step) {
  if (x.shape().size() != 3 || x.shape()[2] % heads != 0) return BadShape("what becomes heads", x);
  const Shape shape = {x.shape()[0], x.shape()[1], heads, x.shape()[2] / heads};
  ASSIGN_OR_RETURN(const Operand apart, emitter.Emit(quant::Reshape{shape}, {x}, step + "_apart"));
  return emitter.Emit(quant::Transpose{order}, {apart}, step);
}

// x [B, K, T, H], each of its heads `times` in turn.
absl::StatusOr<Operand> Repeated(Emitter& emitter, const Operand& x, int64_t times, const std::string& step) {
  if (times == 1) return x;
  const Shape& shape = x.shape();
  ASSIGN_OR_RETURN(
      const Operand apart,
      emitter.Emit(quant::Reshape{{shape[0], shape[1], 1, shape[2], shape[3]}}, {x}, step + "_group"));
  ASSIGN_OR_RETURN(
      const Operand all,
      emitter.Emit(quant::Expand{{shape[0], shape[1], times, shape[2], shape[3]}}, {apart}, step + "_times"));
  return emitter.Emit(quant::Reshape{{shape[0], shape[1] * times, shape[2], shape[3]}}, {all},
                      step + "_repeated");
}

// Keys and values after those of the past; `present` gets them where they are wanted.
absl::StatusOr<Heads> SplitAll(Emitter& emitter, const AttentionInputs& inputs, const AttentionForm& form,
                               std::vector<Operand>& present) {
  const int64_t num_heads = form.key_heads == 0 ? form.heads : form.key_heads;
  if (num_heads < 1 || form.heads % num_heads != 0) {
    return MakeError(label::model_shape,
                     absl::StrCat("the heads of its queries, ", form.heads,
                                  ", are not a multiple of those of its keys, ", num_heads));
  }
  Heads heads;
  ASSIGN_OR_RETURN(heads.q, SplitHeads(emitter, inputs.q, form.heads, {0, 2, 1, 3}, "q"));
  if (inputs.past.empty() && !inputs.wants_present && num_heads == form.heads) {
    ASSIGN_OR_RETURN(heads.columns, SplitHeads(emitter, inputs.k, num_heads, {0, 2, 3, 1}, "k"));
    ASSIGN_OR_RETURN(heads.v, SplitHeads(emitter, inputs.v, num_heads, {0, 2, 1, 3}, "v"));
    return heads;
  }
  for (const size_t i : {size_t{0}, size_t{1}}) {
    const std::string step = i == 0 ? "k" : "v";
    ASSIGN_OR_RETURN(Operand all,
                     SplitHeads(emitter, i == 0 ? inputs.k : inputs.v, num_heads, {0, 2, 1, 3}, step));
    if (!inputs.past.empty()) {
      ASSIGN_OR_RETURN(all, emitter.Emit(quant::Concat{2}, {inputs.past[i], all}, step + "_all"));
    }
    present.push_back(std::move(all));
  }
  const int64_t times = form.heads / num_heads;
  ASSIGN_OR_RETURN(const Operand keys, Repeated(emitter, present[0], times, "k"));
  ASSIGN_OR_RETURN(heads.columns, emitter.Emit(quant::Transpose{{0, 1, 3, 2}}, {keys}, "columns"));
  ASSIGN_OR_RETURN(heads.v, Repeated(emitter, present[1], times, "v"));
  return heads;
}

// The mask of elements that are seen, as integers other than 0 that broadcast to scores of shape [B, N, S,
// T].
absl::StatusOr<Operand> Seen(Emitter& emitter, const Operand& mask, const Shape& scores) {
  const int64_t batch = scores[0], queries = scores[2], keys = scores[3];
  if (!mask.is_integer()) {
    return MakeError(label::model_unsupported_type, "its mask does not hold integers");
  }
  if (mask.shape() == Shape{batch, keys})
    return emitter.Emit(quant::Reshape{{batch, 1, 1, keys}}, {mask}, "mask");
  if (mask.shape() == Shape{batch, queries, keys}) {
    return emitter.Emit(quant::Reshape{{batch, 1, queries, keys}}, {mask}, "mask");
  }
  if (mask.shape() != Shape{batch}) {
    return BadShape("its mask, of which [B], [B, T] and [B, S, T] are imported,", mask);
  }
  ASSIGN_OR_RETURN(const Operand places, CountUp(emitter, {keys}, 0, "places"));
  ASSIGN_OR_RETURN(const Operand counts, emitter.Emit(quant::Reshape{{batch, 1, 1, 1}}, {mask}, "counts"));
  return emitter.Emit(quant::Compare{Comparison::kGreater}, {counts, places}, "mask");
}

// The same of queries that see the keys up to their own, or the last of these.
absl::StatusOr<Operand> SeenInOrder(Emitter& emitter, const Shape& scores, const AttentionForm& form) {
  const int64_t queries = scores[2], keys = scores[3];
  ASSIGN_OR_RETURN(const Operand rows, CountUp(emitter, {queries}, 0, "rows"));
  ASSIGN_OR_RETURN(const Operand column, emitter.Emit(quant::Reshape{{queries, 1}}, {rows}, "column"));
  ASSIGN_OR_RETURN(const Operand first,
                   emitter.NewConstant(form.first_key.value_or(keys - queries), "first"));
  ASSIGN_OR_RETURN(const Operand own,
                   emitter.Emit(quant::IntegerArithmetic{Kind::kAdd}, {column, first}, "own"));
  ASSIGN_OR_RETURN(const Operand places, CountUp(emitter, {keys}, 0, "places"));
  ASSIGN_OR_RETURN(const Operand order,
                   emitter.Emit(quant::Compare{Comparison::kLessEqual}, {places, own}, "order"));
  if (form.window == 0) return order;
  ASSIGN_OR_RETURN(const Operand window, emitter.NewConstant(form.window, "window"));
  ASSIGN_OR_RETURN(const Operand last,
                   emitter.Emit(quant::IntegerArithmetic{Kind::kAdd}, {places, window}, "window_end"));
  ASSIGN_OR_RETURN(const Operand near,
                   emitter.Emit(quant::Compare{Comparison::kGreater}, {last, own}, "near"));
  return emitter.Emit(quant::IntegerArithmetic{Kind::kMin}, {order, near}, "order_and_near");
}

// Elements that are not seen are as good as gone after a softmax.
absl::StatusOr<Operand> Hide(Emitter& emitter, const Operand& scores, const Operand& seen, float hidden) {
  ASSIGN_OR_RETURN(const Operand zero, emitter.NewConstant(0.0f, "zero"));
  ASSIGN_OR_RETURN(const Operand low, emitter.NewConstant(hidden, "low"));
  ASSIGN_OR_RETURN(const Operand added, emitter.Emit(quant::Where{}, {seen, zero, low}, "hides"));
  return emitter.Emit(quant::Add{}, {scores, added}, "masked");
}

absl::StatusOr<Operand> AddMasks(Emitter& emitter, Operand scores, const AttentionInputs& inputs,
                                 const AttentionForm& form) {
  const Shape shape = scores.shape();
  if (inputs.bias.has_value()) {
    ASSIGN_OR_RETURN(scores, emitter.Emit(quant::Add{}, {scores, *inputs.bias}, "biased"));
    if (scores.shape() != shape) return BadShape("what is added to its scores", *inputs.bias);
  }
  if (inputs.mask.has_value()) {
    ASSIGN_OR_RETURN(const Operand seen, Seen(emitter, *inputs.mask, shape));
    ASSIGN_OR_RETURN(scores, Hide(emitter, scores, seen, form.hidden));
  }
  if (inputs.seen.has_value()) {
    ASSIGN_OR_RETURN(scores, Hide(emitter, scores, *inputs.seen, form.hidden));
    if (scores.shape() != shape) return BadShape("its mask", *inputs.seen);
  }
  if (!form.is_causal) return scores;
  ASSIGN_OR_RETURN(const Operand seen, SeenInOrder(emitter, shape, form));
  return Hide(emitter, scores, seen, form.hidden);
}

}  // namespace

absl::StatusOr<Attended> Attention(Emitter& emitter, const AttentionInputs& inputs,
                                   const AttentionForm& form) {
  Attended attended;
  ASSIGN_OR_RETURN(const Heads heads, SplitAll(emitter, inputs, form, attended.present));
  const Shape& q = heads.q.shape();
  const float scale = form.scale != 0 ? form.scale : 1 / std::sqrt(static_cast<float>(q[3]));
  ASSIGN_OR_RETURN(Operand scores, emitter.Emit(quant::MatMul{scale}, {heads.q, heads.columns}, "scores"));
  if (form.softcap > 0) {
    ASSIGN_OR_RETURN(const Operand flat, Affine(emitter, scores, 1 / form.softcap, 0));
    ASSIGN_OR_RETURN(const Operand bent, emitter.Emit(quant::Unary{RecipeFunction::kTanh}, {flat}, "bent"));
    ASSIGN_OR_RETURN(scores, Affine(emitter, bent, form.softcap, 0));
  }
  ASSIGN_OR_RETURN(scores, AddMasks(emitter, std::move(scores), inputs, form));
  ASSIGN_OR_RETURN(const Operand weights, emitter.Emit(quant::Softmax{3}, {scores}, "weights"));
  ASSIGN_OR_RETURN(const Operand mixed, emitter.Emit(quant::MatMul{}, {weights, heads.v}, "mixed"));
  ASSIGN_OR_RETURN(const Operand steps, emitter.Emit(quant::Transpose{{0, 2, 1, 3}}, {mixed}, "steps"));
  const Shape shape = {q[0], q[2], form.heads * heads.v.shape()[3]};
  ASSIGN_OR_RETURN(attended.y, emitter.Emit(quant::Reshape{shape}, {steps}, "joined"));
  return attended;
}

}  // namespace tally::frontend
