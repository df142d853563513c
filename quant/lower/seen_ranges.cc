#include "quant/lower/seen_ranges.h"

#include "base/status_macros.h"

namespace tally::quant {
namespace {

Bounds AsBounds(const Range& range) { return {range.min, range.max}; }

}  // namespace

absl::StatusOr<SeenRanges> SeenRangesOf(const Calibration& calibration, const Graph& graph,
                                        const Node& node) {
  SeenRanges seen;
  for (const ValueId operand : node.operands) {
    ASSIGN_OR_RETURN(const Range range, RangeOf(calibration, graph, operand));
    seen.operands.push_back(AsBounds(range));
  }
  ASSIGN_OR_RETURN(const Range result, RangeOf(calibration, graph, node.result));
  seen.result = AsBounds(result);
  if (TraitsOf(node.op).inner.empty()) return seen;
  ASSIGN_OR_RETURN(const Range inner, InnerRangeOf(calibration, graph, node.result));
  seen.inner = AsBounds(inner);
  return seen;
}

}  // namespace tally::quant
