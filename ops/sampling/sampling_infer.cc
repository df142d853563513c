#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/infer.h"
#include "ops/sampling/attrs.h"
#include "ops/sampling/labels.h"
#include "ops/sampling/rules.h"

namespace tally {
namespace {

// Ten rounds of eight operations, and the product that scales the bits.
constexpr int64_t kGasPerDraw = 144, kGasPerChoice = 172;

// A loop distinguishes its iterations by an operand; without one they are all the first.
absl::Status CheckIteration(const InferContext& c, int i, Label label) {
  if (c.num_operands() <= i) return absl::OkStatus();
  if (c.shape(i).rank() != 0) {
    return MakeError(label, absl::StrCat("iteration ", c.shape(i).ToString(), " is not a scalar"));
  }
  if (!Interval{0, kMaxWord}.Contains(c.interval(i))) {
    return MakeError(label, absl::StrCat("iteration in ", c.interval(i).ToString(), " leaves 32 bits"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status InferRandomUniform(const InferContext& c, Inferred* out) {
  const auto attrs = c.attrs<RandomUniformAttrs>();
  if (attrs.lo > attrs.hi) {  // random_uniform_c1
    return MakeError(label::random_uniform_c1,
                     absl::StrCat("no integer in [", attrs.lo, ", ", attrs.hi, "]"));
  }
  RETURN_IF_ERROR(CheckIteration(c, 0, label::random_uniform_c2));
  ASSIGN_OR_RETURN(const Shape shape, Shape::Create(attrs.shape));
  return out->AddResult(c, shape, Interval{attrs.lo, attrs.hi});
}

absl::Status InferRandomCategorical(const InferContext& c, Inferred* out) {
  const Shape& weights = c.shape(0);
  if (weights.rank() == 0) {  // random_categorical_c1
    return MakeError(label::random_categorical_c1, "a scalar is not a row of weights");
  }
  if (c.interval(0).lo < 0) {  // random_categorical_c2
    return MakeError(label::random_categorical_c2, absl::StrCat("weights in ", c.interval(0).ToString()));
  }
  RETURN_IF_ERROR(CheckIteration(c, 1, label::random_categorical_c3));
  std::vector<int64_t> dims(weights.dims().begin(), weights.dims().end());
  const int64_t choices = dims.back();
  dims.back() = c.attrs<RandomCategoricalAttrs>().samples;
  ASSIGN_OR_RETURN(const Shape shape, Shape::Create(dims));
  RETURN_IF_ERROR(out->SetAccumulator(c, {0, SatMul(choices, c.interval(0).hi)}));
  return out->AddResult(c, shape, Interval{0, choices - 1});
}

WideGas GasRandomUniform(const GasContext& c) { return SatMul(kGasPerDraw, c.elements_out(0)); }

WideGas GasRandomCategorical(const GasContext& c) {
  const Shape& weights = c.operands[0].shape;
  const int64_t choices = weights[weights.rank() - 1];
  return SatAdd(SatMul(15, c.elements_in(0)), SatMul(kGasPerChoice + 3 * choices, c.elements_out(0)));
}

}  // namespace tally
