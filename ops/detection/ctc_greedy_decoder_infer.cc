#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/detection/attrs.h"
#include "ops/detection/labels.h"
#include "ops/detection/rules.h"
#include "ops/infer.h"

namespace tally {

absl::Status InferCtcGreedyDecoder(const InferContext& c, Inferred* out) {
  const Shape& x = c.shape(0);
  if (x.rank() != 3) {  // ctc_greedy_decoder_c1
    return MakeError(label::ctc_greedy_decoder_c1, absl::StrCat("x ", x.ToString(), " is not [T, N, C]"));
  }
  ASSIGN_OR_RETURN(const Shape steps, Shape::Create({x[0], x[1]}));
  if (c.num_operands() == 2 && c.shape(1) != steps) {  // ctc_greedy_decoder_c2
    return MakeError(label::ctc_greedy_decoder_c2,
                     absl::StrCat("mask ", c.shape(1).ToString(), " is not ", steps.ToString()));
  }
  ASSIGN_OR_RETURN(const Shape symbols, Shape::Create({x[1], x[0]}));
  ASSIGN_OR_RETURN(const Shape lengths, Shape::Create({x[1]}));
  RETURN_IF_ERROR(out->AddResult(c, symbols, Interval{-1, x[2] - 1}));
  return out->AddResult(c, lengths, Interval{0, x[0]});
}

WideGas GasCtcGreedyDecoder(const GasContext& c) {
  const Shape& x = c.operands[0].shape;
  return SatAdd(SatMul(7, c.elements_in(0)), SatMul(72, x[0] * x[1]));
}

}  // namespace tally
