// Control flow whose course is known is followed, so that shapes may depend on it. Where it is not, both
// branches are computed, and every iteration that may happen: nothing in a module can trap, so what is not
// wanted does no harm.
#include <limits>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/onnx/exact/operators.h"
#include "frontends/onnx/exact/rows.h"
#include "frontends/onnx/model/labels.h"
#include "ops/comparison/attrs.h"
#include "ops/layout/attrs.h"
#include "third_party/onnx/onnx.pb.h"

namespace tally::onnx {
namespace {

using ::onnx::TensorProto;

struct Condition {
  std::optional<bool> known;
  Value truth;  // a scalar 0 or 1, where it is not known
};

absl::StatusOr<Condition> ReadCondition(ExactNode& node, const MaybeExactValue& x) {
  if (!x || x->count || node.c().shape(x->value).num_elements() != 1) {
    return MakeError(label::model_shape, "a condition is not one element");
  }
  const Interval interval = node.c().interval(x->value);
  if (!interval.Contains(0)) return Condition{.known = true};
  if (interval.lo == interval.hi) return Condition{.known = false};
  const Value zero = node.c().Constant({}, {0});
  ASSIGN_OR_RETURN(const Value scalar, node.c().Apply(Opcode::kReshape, {x->value}, ReshapeAttrs{}));
  ASSIGN_OR_RETURN(const Value truth,
                   node.c().Apply(Opcode::kCompare, {scalar, zero}, CompareAttrs{Comparison::kNotEqual}));
  return Condition{.truth = truth};
}

// x where the condition holds, else y: two values that a program may leave in one place.
absl::StatusOr<ExactValue> Either(ExactNode& node, Value condition, const MaybeExactValue& x,
                                  const MaybeExactValue& y) {
  if (!x || !y || node.c().shape(x->value) != node.c().shape(y->value)) {
    return MakeError(label::model_shape, "a shape depends on a condition");
  }
  if (x->data_type != y->data_type) return MakeError(label::model_malformed, "a type depends on a condition");
  if (x->is_saturated || y->is_saturated) {
    return MakeError(label::model_inexact, "an element of a choice is outside 48 bits");
  }
  if (x->count || y->count) return MakeError(label::model_unsupported_operand, "a choice of sizes");
  return node.Select(condition, *x, *y);
}

// The state of a Loop.
struct Progress {
  std::optional<Value> active;  // 1 where the iteration happens; nothing where it surely does
  int64_t sure = 0;             // iterations that happen
  std::optional<Value> number;  // for those that may happen

  absl::Status Restrict(Composition& c, Value truth) {
    if (!active) {
      active = truth;
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(active, c.Apply(Opcode::kBroadcastMin, {*active, truth}));
    return absl::OkStatus();
  }

  absl::Status Count(Composition& c) {
    if (!active) {
      ++sure;
    } else if (!number) {
      number = active;
    } else {
      ASSIGN_OR_RETURN(number, c.Apply(Opcode::kBroadcastAdd, {*number, *active}));
    }
    return absl::OkStatus();
  }

  // How many iterations happen, where that is not known.
  absl::StatusOr<std::optional<ExactCount>> Iterations(Composition& c) const {
    if (!number) return std::optional<ExactCount>();
    ASSIGN_OR_RETURN(const Value all, c.Apply(Opcode::kBroadcastAdd, {*number, c.Constant({}, {sure})}));
    return std::optional(ExactCount{.axis = 0, .number = all});
  }
};

// The largest trip count, and the count itself where it is not known.
struct Trips {
  int64_t most = std::numeric_limits<int64_t>::max();
  std::optional<Value> number;
};

absl::StatusOr<Trips> ReadTrips(ExactNode& node) {
  if (!node.HasInput(0)) return Trips{};
  // Exporters write "no limit" as the largest number, which is beyond 48 bits.
  ExactValue x = *node.inputs()[0];
  if (!x.is_saturated) {
    ASSIGN_OR_RETURN(x, node.Input(0));
  }
  if (node.c().shape(x.value).num_elements() != 1 || x.fraction_bits != 0) {
    return MakeError(label::model_shape, "a trip count is not one integer");
  }
  const Interval interval = node.c().interval(x.value);
  if (interval.lo == interval.hi) return Trips{interval.hi, {}};
  ASSIGN_OR_RETURN(const Value scalar, node.c().Apply(Opcode::kReshape, {x.value}, ReshapeAttrs{}));
  return Trips{interval.hi, scalar};
}

// The constant 1 in the shape of the condition.
ExactValue True(ExactNode& node, const MaybeExactValue& condition) {
  Tensor one(condition ? node.c().shape(condition->value) : Shape(), Storage::kI8);
  one.mutable_bytes()[0] = 1;
  return {node.c().Constant(one), 0, TensorProto::BOOL};
}

}  // namespace

absl::StatusOr<ExactResults> ExactIf(ExactNode& node) {
  if (!node.HasInput(0)) return MakeError(label::model_malformed, "no condition");
  ASSIGN_OR_RETURN(const Condition condition, ReadCondition(node, node.inputs()[0]));
  ASSIGN_OR_RETURN(const auto* then_branch, ReadBody(node, "then_branch"));
  ASSIGN_OR_RETURN(const auto* else_branch, ReadBody(node, "else_branch"));
  if (condition.known) return node.host().ImportBody(*condition.known ? *then_branch : *else_branch, {});
  ASSIGN_OR_RETURN(const ExactResults x, node.host().ImportBody(*then_branch, {}));
  ASSIGN_OR_RETURN(const ExactResults y, node.host().ImportBody(*else_branch, {}));
  if (x.size() != y.size()) return MakeError(label::model_malformed, "the branches have other results");
  ExactResults results;
  for (size_t i = 0; i < x.size(); ++i) {
    ASSIGN_OR_RETURN(results.emplace_back(), Either(node, condition.truth, x[i], y[i]));
  }
  return results;
}

// Inputs: a trip count and a condition, either may be left out, and the states. The body takes the index, the
// condition and the states, and gives the condition, the states and a row of each stacked result. A loop that
// does not end is stopped by what an import may cost.
absl::StatusOr<ExactResults> ExactLoop(ExactNode& node) {
  ASSIGN_OR_RETURN(const auto* body, ReadBody(node, "body"));
  ASSIGN_OR_RETURN(const Trips trips, ReadTrips(node));
  MaybeExactValue condition = node.HasInput(1) ? node.inputs()[1] : MaybeExactValue();
  ExactResults states;
  for (size_t i = 2; i < node.num_inputs(); ++i) states.push_back(node.inputs()[i]);
  const size_t outputs = static_cast<size_t>(body->output_size());
  if (outputs < 1 + states.size()) return MakeError(label::model_malformed, "the body gives too few values");
  std::vector<ExactResults> rows(outputs - 1 - states.size());
  Composition& c = node.c();
  Progress progress;
  for (int64_t i = 0; i < trips.most; ++i) {
    if (condition) {
      ASSIGN_OR_RETURN(const Condition go_on, ReadCondition(node, condition));
      if (go_on.known == false) break;
      if (!go_on.known) RETURN_IF_ERROR(progress.Restrict(c, go_on.truth));
    }
    const Value index = c.Constant({}, {i});
    if (trips.number) {
      ASSIGN_OR_RETURN(const Value before,
                       c.Apply(Opcode::kCompare, {index, *trips.number}, CompareAttrs{Comparison::kLess}));
      RETURN_IF_ERROR(progress.Restrict(c, before));
    }
    ExactResults inputs = {ExactValue{index, 0, TensorProto::INT64}, True(node, condition)};
    inputs.insert(inputs.end(), states.begin(), states.end());
    ASSIGN_OR_RETURN(const ExactResults results, node.host().ImportBody(*body, std::move(inputs)));
    condition = results[0];
    for (size_t k = 0; k < states.size(); ++k) {
      if (!progress.active) {
        states[k] = results[1 + k];
        continue;
      }
      ASSIGN_OR_RETURN(states[k], Either(node, *progress.active, results[1 + k], states[k]));
    }
    for (size_t k = 0; k < rows.size(); ++k) rows[k].push_back(results[1 + states.size() + k]);
    RETURN_IF_ERROR(progress.Count(c));
  }
  ASSIGN_OR_RETURN(const std::optional<ExactCount> iterations, progress.Iterations(c));
  for (const ExactResults& row : rows) {
    ASSIGN_OR_RETURN(MaybeExactValue stacked, Stack(node, row, 0, false));
    if (stacked) stacked->count = iterations;
    states.push_back(stacked);
  }
  return states;
}

}  // namespace tally::onnx
