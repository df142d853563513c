// One element of an operator, by its reference.
#pragma once

#include <span>
#include <vector>

#include "ops/op_table.h"
#include "ops/read_set.h"
#include "ops/references.h"

namespace tally {

// The element that `c` means, of operands from which the reference reads what it needs.
template <typename Int>
Int ComputeElement(Opcode op, const ReadContext& c, std::span<const Operand<Int>> operands) {
  constexpr int64_t kNone = -1;
  Int value(int64_t{0});
  std::vector<Result<Int>> results;
  for (size_t r = 0; r < c.results.size(); ++r) {
    results.emplace_back(c.results[r], static_cast<int>(r) == c.result ? c.element : kNone, &value);
  }
  const WantedElement wanted = {c.result, c.element};
  ReferenceOf<Int>(op)({.attributes = c.attributes,
                        .operands = operands,
                        .results = results,
                        .functions = nullptr,
                        .wanted = &wanted});
  return value;
}

}  // namespace tally
