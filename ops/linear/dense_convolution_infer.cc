// Shared by conv2d, dense and convolution: w is [channels, ...] and each result sums the products of one
// w[channel].
#include <algorithm>

#include "base/error.h"
#include "base/strings.h"
#include "ops/linear/linear_bounds.h"
#include "ops/linear/rules.h"

namespace tally {
namespace {

int64_t TermsOf(const Shape& w) { return w.num_elements() / w[0]; }

}  // namespace

LinearTerms WeightedSums(const InferContext& c, const WideInterval& x) {
  const int64_t terms = TermsOf(c.shape(1));
  return {.x = x,
          .channels = c.shape(1)[0],
          .terms = terms,
          .channel_stride = terms,
          .bias = c.num_operands() == 3 ? 2 : -1};
}

absl::Status CheckCvmFactors(const InferContext& c, Label label) {
  if (c.profile == Profile::kCvm && (c.precisions[0] > 8 || c.precisions[1] > 8)) {
    return MakeError(label, absl::StrCat("published precisions ", c.precisions[0], " and ", c.precisions[1],
                                         " of x and w, not at most 8"));
  }
  return absl::OkStatus();
}

WideGas GasWeightedSums(const GasContext& c) {
  const Shape &w = c.operands[1].shape, &y = c.results[0].shape;
  return GasOfGemm(c, {.rows = y.num_elements() / y[1],
                       .lines = y.rank() < 3 ? y[0] : y.num_elements() / y[1] / y[y.rank() - 1],
                       .columns = y[1],
                       .groups = c.operands[0].shape[1] / w[1],
                       .terms = TermsOf(w),
                       .depthwise = w[1] == 1});
}

std::vector<int> PrecisionOfWeightedSums(const PrecisionContext& c) {
  const int terms_bits = BitLength(static_cast<uint64_t>(TermsOf(c.infer->shape(1))));
  const int sum = c.operand(0) + c.operand(1) + terms_bits;
  return {c.infer->num_operands() == 3 ? std::max(sum, c.operand(2)) + 1 : sum};
}

}  // namespace tally
