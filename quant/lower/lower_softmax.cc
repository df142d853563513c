// Softmax and ArgMax, in integers that a table and one division give.
#include <algorithm>
#include <cmath>

#include "base/status_macros.h"
#include "ops/elementwise/attrs.h"
#include "ops/reduction/attrs.h"
#include "ops/table/attrs.h"
#include "quant/lower/lowering.h"

namespace tally::quant {
namespace {

constexpr int kExpBits = 15;  // e = round(2^15 exp(d * scale)) for d = x - max <= 0
constexpr int64_t kMaxTable = 65536;

// e for d = -(n-1) .. 0, stopping where every smaller d gives 0 or a 16-bit difference ends.
std::vector<int64_t> ExpTable(double scale, int64_t largest_difference) {
  const double first_zero = (kExpBits + 1) * std::log(2.0) / scale;  // 2^15 exp(-d scale) < 1/2 from here
  const double wanted = std::min(first_zero + 1, static_cast<double>(largest_difference));
  const int64_t size = std::min<int64_t>(static_cast<int64_t>(wanted) + 1, kMaxTable);
  std::vector<int64_t> table;
  for (int64_t i = 0; i < size; ++i) {
    table.push_back(
        std::llround(std::ldexp(std::exp(static_cast<double>(i - (size - 1)) * scale), kExpBits)));
  }
  return table;
}

}  // namespace

// y = floor(2^15 e / S + 1/2) = floor((2^16 e + S) / 2S), S = sum of e over the axis.
absl::StatusOr<tally::ValueId> Lowering::Lower(const Softmax& op, const Node& node, const QuantizedType& to) {
  ASSIGN_OR_RETURN(const Lowered x, Operand(node, 0));
  const auto over_axis = [&](ReduceKind kind, tally::ValueId value) {
    return builder_.Op(Opcode::kReduce, {value},
                       ReduceAttrs{.kind = kind, .axes = {op.axis}, .keepdims = true});
  };
  const auto times = [&](tally::ValueId value, int64_t factor, int64_t largest) {
    return Rescale(value, {.gains = {{.multiplier = factor}}}, {1, 0, {0, largest}});
  };
  const tally::ValueId difference =
      builder_.Op(Opcode::kBroadcastSub, {x.id, over_axis(ReduceKind::kMax, x.id)});

  const std::vector<int64_t> table = ExpTable(x.type.scale, x.type.interval.hi - x.type.interval.lo);
  ASSIGN_OR_RETURN(const tally::ValueId entries, VectorConstant(table));
  const tally::ValueId e = builder_.Op(Opcode::kTable, {difference, entries},
                                       TableAttrs{.offset = 1 - static_cast<int64_t>(table.size())});
  const tally::ValueId sum = over_axis(ReduceKind::kSum, e);

  const int64_t count = ShapeOfOperand(node, 0)[op.axis];
  const int64_t one = int64_t{1} << kExpBits;
  ASSIGN_OR_RETURN(const tally::ValueId scaled, times(e, 2 * one, 2 * one * one));
  ASSIGN_OR_RETURN(const tally::ValueId divisor, times(sum, 2, 2 * one * count));
  const tally::ValueId quotient =
      builder_.Op(Opcode::kBroadcastDiv, {builder_.Op(Opcode::kBroadcastAdd, {scaled, sum}), divisor});
  return builder_.Op(Opcode::kClip, {quotient}, ClipAttrs{.a_min = to.interval.lo, .a_max = to.interval.hi});
}

absl::StatusOr<tally::ValueId> Lowering::Lower(const ArgMax& op, const Node& node, const QuantizedType&) {
  ASSIGN_OR_RETURN(const Lowered x, Operand(node, 0));
  return builder_.Op(Opcode::kArgExtreme, {x.id},
                     ArgExtremeAttrs{.axis = op.axis, .keepdims = op.keep_dimension});
}

}  // namespace tally::quant
