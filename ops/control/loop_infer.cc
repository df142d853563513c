#include <vector>

#include "base/error.h"
#include "base/int_math.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/control/argument_bounds.h"
#include "ops/control/attrs.h"
#include "ops/control/labels.h"
#include "ops/control/loop_shape.h"
#include "ops/control/rules.h"

namespace tally {
namespace {

constexpr int64_t kAlignment = 64;  // for each part of working memory

// [dims of `shape`] after `trips`.
absl::StatusOr<Shape> Stacked(int64_t trips, const Shape& shape) {
  std::vector<int64_t> dims = {trips};
  dims.insert(dims.end(), shape.dims().begin(), shape.dims().end());
  return Shape::Create(dims);
}

absl::Status CheckCounts(const InferContext& c, const LoopAttrs& attrs, const FunctionSignature& body) {
  const size_t flags = attrs.condition ? 1 : 0;
  const auto states = static_cast<size_t>(attrs.states), scanned = static_cast<size_t>(attrs.scanned);
  if (c.operands.size() < flags + states + scanned) {  // loop_c1
    return MakeError(label::loop_c1, absl::StrCat(c.operands.size(), " operands for ", flags, " conditions, ",
                                                  states, " states and ", scanned, " scanned operands"));
  }
  if (body.params.size() != 1 + c.operands.size() - flags) {  // loop_c2
    return MakeError(label::loop_c2,
                     absl::StrCat("a body of ", body.params.size(), " parameters for an index and ",
                                  c.operands.size() - flags, " arguments"));
  }
  if (body.results.size() < flags + states) {  // loop_c3
    return MakeError(label::loop_c3, absl::StrCat("a body of ", body.results.size(), " results for ", flags,
                                                  " conditions and ", states, " states"));
  }
  return absl::OkStatus();
}

absl::Status CheckLoopArguments(const InferContext& c, const LoopAttrs& attrs, const FunctionSignature& body,
                                const LoopShape& loop) {
  RETURN_IF_ERROR(CheckArgument({Shape(), {0, attrs.trips - 1}}, body.params[0], label::loop_c4));  // loop_c4
  if (loop.flags == 1 && c.shape(0).num_elements() != 1) {                                          // loop_c5
    return MakeError(label::loop_c5, absl::StrCat("a condition of shape ", c.shape(0).ToString()));
  }
  for (size_t a = 0; a < loop.states + loop.fixed; ++a) {  // loop_c6
    RETURN_IF_ERROR(CheckArgument(c.operands[loop.flags + a], body.params[loop.param(a)], label::loop_c6));
  }
  for (size_t a = loop.states + loop.fixed; a < loop.arguments(); ++a) {  // loop_c7
    const TensorType& operand = c.operands[loop.flags + a];
    const TensorType& param = body.params[loop.param(a)];
    const auto expected = Stacked(attrs.trips, param.shape);
    if (!expected.ok() || operand.shape != *expected || !param.interval.Contains(operand.interval)) {
      return MakeError(label::loop_c7,
                       absl::StrCat(operand.ToString(), " for ", attrs.trips, " slices ", param.ToString()));
    }
  }
  return absl::OkStatus();
}

// Each state of the body is in what its parameter declares: with loop_c6 the invariant of the loop.
absl::Status CheckInvariant(const FunctionSignature& body, const LoopShape& loop) {
  if (loop.flags == 1 && body.results[0].shape.num_elements() != 1) {  // loop_c8
    return MakeError(label::loop_c8, absl::StrCat("a condition of shape ", body.results[0].shape.ToString()));
  }
  for (size_t s = 0; s < loop.states; ++s) {  // loop_c9
    RETURN_IF_ERROR(CheckArgument(body.results[loop.flags + s], body.params[loop.param(s)], label::loop_c9));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status InferLoop(const InferContext& c, Inferred* out) {
  const auto attrs = c.attrs<LoopAttrs>();
  const FunctionSignature& body = c.functions[attrs.body];
  RETURN_IF_ERROR(CheckCounts(c, attrs, body));
  const LoopShape loop(attrs, c.operands.size(), body.results.size());
  RETURN_IF_ERROR(CheckLoopArguments(c, attrs, body, loop));
  RETURN_IF_ERROR(CheckInvariant(body, loop));

  std::vector<Shape> stacked;
  for (size_t o = 0; o < loop.outputs; ++o) {
    const Shape& slice = body.results[loop.flags + loop.states + o].shape;
    ASSIGN_OR_RETURN(stacked.emplace_back(), Stacked(attrs.trips, slice));
  }
  const auto footprint = [](const TensorType& type) { return RoundUp(type.size_bytes(), kAlignment); };
  out->scratch_bytes = body.memory_bytes + footprint(body.params[0]);
  if (attrs.condition) out->scratch_bytes += footprint(body.results[0]);
  for (size_t s = 0; s < loop.states; ++s) {
    const TensorType& last = body.results[loop.flags + s];
    // Without an iteration the initial state is the result.
    const Interval bounds =
        attrs.condition ? last.interval.Hull(c.interval(static_cast<int>(loop.flags + s))) : last.interval;
    RETURN_IF_ERROR(out->AddResult(c, last.shape, bounds));
    out->scratch_bytes += 2 * footprint(body.params[loop.param(s)]);
  }
  for (size_t o = 0; o < loop.outputs; ++o) {
    const TensorType& output = body.results[loop.flags + loop.states + o];
    // Behind an early end the elements are 0.
    const Interval bounds = attrs.condition ? output.interval.Hull({0, 0}) : output.interval;
    RETURN_IF_ERROR(out->AddResult(c, stacked[o], bounds));
  }
  if (!attrs.condition) return absl::OkStatus();
  return out->AddResult(c, Shape(), Interval{0, attrs.trips});
}

WideGas GasLoop(const GasContext& c) {
  const auto attrs = c.attrs<LoopAttrs>();
  return SatAdd(SatMul(attrs.trips, c.functions[attrs.body].gas), SatAdd(1024, GasOfMovedValues(c)));
}

}  // namespace tally
