#include "base/status_macros.h"
#include "quant/ops/random/random_ops.h"

namespace tally::quant {
namespace {

absl::Status CheckStream(const char* op, int64_t seed, int64_t layer) {
  if (seed >= 0 && seed <= kMostSeed && layer >= 0 && layer <= kMostSeed) return absl::OkStatus();
  return BadAttribute(std::string(op) + ": a seed or a layer has more than 32 bits");
}

}  // namespace

TypeResult RandomIntegers::Infer(const OperandTypes&) const {
  RETURN_IF_ERROR(CheckStream("RandomIntegers", seed, layer));
  RETURN_IF_ERROR(CheckShape(shape));
  if (lo > hi || !IntervalWithin(lo, hi).has_value()) {
    return BadAttribute("RandomIntegers: [" + std::to_string(lo) + ", " + std::to_string(hi) +
                        "] is empty or too wide");
  }
  return ValueType{ElementType::kInt64, shape};
}

std::optional<Interval> RandomIntegers::IntervalFrom(OperandIntervals, const OperandTypes&) const {
  return Interval{lo, hi};
}

TypeResult RandomCategorical::Infer(const OperandTypes& operands) const {
  RETURN_IF_ERROR(CheckStream("RandomCategorical", seed, layer));
  Shape shape = operands[0].shape;
  if (shape.empty()) return BadShape("RandomCategorical takes weights [.., K], not a scalar");
  if (!InRange(samples, 1)) return BadAttribute("RandomCategorical: samples out of range");
  shape.back() = samples;
  return ValueType{ElementType::kInt64, std::move(shape)};
}

std::optional<Interval> RandomCategorical::IntervalFrom(OperandIntervals, const OperandTypes& types) const {
  return Interval{0, types[0].shape.back() - 1};
}

}  // namespace tally::quant
