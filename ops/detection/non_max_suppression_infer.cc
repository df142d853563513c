#include <algorithm>

#include "base/error.h"
#include "base/int_math.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/detection/attrs.h"
#include "ops/detection/labels.h"
#include "ops/detection/rules.h"
#include "ops/infer.h"

namespace tally {
namespace {

// Coordinates below 2^29 keep sides below 2^30, areas below 2^60 and thrice a union below 2^63.
constexpr Interval kCoordinates = {-((int64_t{1} << 29) - 1), (int64_t{1} << 29) - 1};

// For each row: its place in the order of scores and its place among the kept ones, eight bytes each.
constexpr int64_t kScratchBytesPerRow = 16;

// One class comparison, eight to intersect, three to unite, four to compare the ratio.
constexpr int64_t kGasPerCandidatePair = 48;

}  // namespace

absl::Status InferNonMaxSuppression(const InferContext& c, Inferred* out) {
  const Shape &x = c.shape(0), &valid_count = c.shape(1);
  if (x.rank() != 3 || x[2] != 6) {  // non_max_suppression_c1
    return MakeError(label::non_max_suppression_c1, absl::StrCat("x ", x.ToString(), " is not [B, N, 6]"));
  }
  if (valid_count.rank() != 1 || valid_count[0] != x[0]) {  // non_max_suppression_c2
    return MakeError(label::non_max_suppression_c2,
                     absl::StrCat("valid_count ", valid_count.ToString(), " is not [", x[0], "]"));
  }
  if (!kCoordinates.Contains(c.interval(0))) {  // non_max_suppression_c3
    return MakeError(label::non_max_suppression_c3,
                     absl::StrCat("x in ", c.interval(0).ToString(), " leaves ", kCoordinates.ToString()));
  }
  out->scratch_bytes = x[1] * kScratchBytesPerRow;
  return out->AddResult(c, x, c.interval(0).Hull({-1, -1}));
}

WideGas GasNonMaxSuppression(const GasContext& c) {
  const auto attrs = c.attrs<NonMaxSuppressionAttrs>();
  const int64_t B = c.operands[0].shape[0], N = c.operands[0].shape[1];
  const int64_t candidates = attrs.top_k < 0 ? N : std::min(N, attrs.top_k);
  const int64_t kept = attrs.max_output_size < 0 ? candidates : std::min(candidates, attrs.max_output_size);
  const WideGas sort = SatMul(N, 18 * BitLength(static_cast<uint64_t>(N)));
  const WideGas pairs = SatMul(SatMul(candidates, kept), kGasPerCandidatePair);
  return SatAdd(512, SatMul(B, SatAdd(512, SatAdd(sort, pairs))));
}

std::vector<int> PrecisionOfNonMaxSuppression(const PrecisionContext& c) {
  return {std::max(c.operand(0), 2)};
}

}  // namespace tally
