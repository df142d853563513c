#include "frontends/onnx/exact/probabilities.h"

#include <cmath>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "frontends/onnx/model/labels.h"
#include "ops/elementwise/attrs.h"
#include "ops/gather/attrs.h"
#include "ops/layout/attrs.h"
#include "ops/normalization/attrs.h"
#include "ops/table/recipe/recipe.h"

namespace tally::onnx {
namespace {

constexpr int kScoreBits = 11, kProbabilityBits = 15, kExponentialBits = 30;

// exp(-d 2^-11) in units of 2^-30, up to where that is 0.
Recipe Exponentials() {
  const auto last = static_cast<int64_t>((kExponentialBits + 1) * std::log(2.0) * (1 << kScoreBits));
  return {.function = RecipeFunction::kExpNegative,
          .in = {1, kScoreBits},
          .out = {1, kExponentialBits},
          .count = last + 1,
          .hi = int64_t{1} << kExponentialBits};
}

absl::StatusOr<ExactValue> AtScoreBits(ExactNode& node, const ExactValue& x) {
  if (x.fraction_bits <= kScoreBits) return node.WithFractionBits(x, kScoreBits);
  const Value shift = node.c().Constant({}, {x.fraction_bits - kScoreBits});
  ASSIGN_OR_RETURN(const Value y, node.c().Apply(Opcode::kShiftRight, {x.value, shift},
                                                 ShiftRightAttrs{Rounding::kHalfEven}));
  return ExactValue{y, kScoreBits, x.data_type};
}

absl::StatusOr<ExactValue> Softmax(ExactNode& node, const ExactValue& x) {
  ASSIGN_OR_RETURN(const ExactValue scores, AtScoreBits(node, x));
  ASSIGN_OR_RETURN(const Value table, node.c().Constant(Exponentials()));
  const SoftmaxAttrs attrs = {.axis = -1, .bits = kProbabilityBits, .hi = int64_t{1} << kProbabilityBits};
  ASSIGN_OR_RETURN(const Value y, node.c().Apply(Opcode::kSoftmax, {scores.value, table}, attrs));
  return ExactValue{y, kProbabilityBits, x.data_type};
}

// The logistic function of a score is its share beside 0.
absl::StatusOr<ExactValue> Logistic(ExactNode& node, const ExactValue& scores) {
  Composition& c = node.c();
  const Shape shape = c.shape(scores.value);
  ASSIGN_OR_RETURN(const Value column,
                   c.Apply(Opcode::kReshape, {scores.value}, ReshapeAttrs{{shape.num_elements(), 1}}));
  ASSIGN_OR_RETURN(const Value zeros, c.Apply(Opcode::kBroadcastSub, {column, column}));
  ASSIGN_OR_RETURN(const Value pairs, c.Apply(Opcode::kConcatenate, {zeros, column}, ConcatenateAttrs{1}));
  ASSIGN_OR_RETURN(const ExactValue shares, Softmax(node, scores.With(pairs)));
  ASSIGN_OR_RETURN(const Value chosen,
                   c.Apply(Opcode::kGather, {shares.value, c.Constant({1}, {1})}, GatherAttrs{1}));
  ASSIGN_OR_RETURN(const Value y, c.Apply(Opcode::kReshape, {chosen}, ReshapeAttrs{{shape[0], shape[1]}}));
  return shares.With(y);
}

}  // namespace

absl::StatusOr<ExactValue> Probabilities(ExactNode& node, const ExactValue& scores,
                                         std::string_view transform) {
  if (transform == "NONE") return scores;
  if (transform == "SOFTMAX") return Softmax(node, scores);
  if (transform == "LOGISTIC") return Logistic(node, scores);
  return MakeError(label::model_inexact, "post_transform is " + PrintableStart(transform) +
                                             "; NONE, LOGISTIC and SOFTMAX are imported");
}

absl::StatusOr<ExactValue> ProbabilitiesOfTwo(ExactNode& node, const ExactValue& score, bool is_share,
                                              std::string_view transform) {
  Composition& c = node.c();
  const int64_t one = is_share ? int64_t{1} << score.fraction_bits : 0;
  ASSIGN_OR_RETURN(const Value first, c.Apply(Opcode::kBroadcastSub, {c.Constant({}, {one}), score.value}));
  ASSIGN_OR_RETURN(const Value both,
                   c.Apply(Opcode::kConcatenate, {first, score.value}, ConcatenateAttrs{1}));
  if (is_share || transform == "SOFTMAX") return score.With(both);
  return Probabilities(node, score.With(both), transform);
}

}  // namespace tally::onnx
