#include "base/error.h"
#include "base/strings.h"
#include "ops/elementwise/labels.h"
#include "ops/elementwise/rules.h"
#include "ops/infer.h"

namespace tally {
namespace {

std::string TwoShapes(const InferContext& c) {
  return absl::StrCat("shapes ", c.shape(0).ToString(), " and ", c.shape(1).ToString(), " differ");
}

}  // namespace

absl::Status InferElemwiseAdd(const InferContext& c, Inferred* out) {
  if (c.shape(0) != c.shape(1)) return MakeError(label::elemwise_add_c1, TwoShapes(c));
  return out->AddResult(c, c.shape(0), WideInterval(c.interval(0)) + c.interval(1));
}

absl::Status InferElemwiseSub(const InferContext& c, Inferred* out) {
  if (c.shape(0) != c.shape(1)) return MakeError(label::elemwise_sub_c1, TwoShapes(c));
  return out->AddResult(c, c.shape(0), WideInterval(c.interval(0)) - c.interval(1));
}

}  // namespace tally
