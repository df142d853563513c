// The expansion of one element of a run (ops/expansions.h): who claims it computes its columns, and a referee
// judges one integer of them.
//
//   ElementSteps<FormalInt> steps(referee, {path, id}, element);
//   ASSIGN_OR_RETURN(const Columns columns, steps.Run());
//   ASSIGN_OR_RETURN(const FormalInt v, steps.Judge(columns.size() - 1, 0, known));
//
// The value has an instruction that runs no function. Operands are read as the referee reads them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "ops/expansions.h"
#include "vm/referee.h"

namespace tally {

using Columns = std::vector<std::vector<int64_t>>;

// The facts about the integers of columns.
class KnownColumns {
 public:
  // Errors, such as leaf_missing, end the judgement.
  virtual absl::StatusOr<int64_t> Read(int column, int64_t i) = 0;

 protected:
  ~KnownColumns() = default;
};

template <typename Int>
class ElementSteps {
 public:
  // `referee` outlives this. Elements are gathered where that reads at most `most` bytes. With `only` the
  // steps of that column alone can be judged. Throws what EndOf makes expansion_size, where the element has
  // no expansion: it had more integers than a run of the module has gas, or more columns than kMostColumns.
  ElementSteps(Referee<Int>& referee, const ValuePlace& place, int64_t element, int64_t most = kMostLeafBytes,
               std::optional<int> only = std::nullopt);
  ElementSteps(const ElementSteps&) = delete;  // the expansion refers to the instruction

  const std::vector<typename Expansion<Int>::Steps>& columns() const { return expansion_.columns(); }

  // All columns; the last has the element. Errors: those of Referee::Judge.
  absl::StatusOr<Columns> Run() const;

  // Integer i of a column, from those before it. Errors: those of Referee::Judge and of `known`; step_order,
  // where integers that are read say to read one that is none or not before it.
  absl::StatusOr<Int> Judge(int column, int64_t i, KnownColumns& known) const;

 private:
  JudgedInstruction<Int> instruction_;
  Expansion<Int> expansion_;
};

}  // namespace tally
