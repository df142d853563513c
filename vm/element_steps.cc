#include "vm/element_steps.h"

#include "base/wide.h"
#include "vm/judgement.h"

namespace tally {
namespace {

// Columns up to the integer that is computed next.
template <typename Int>
class ColumnsBefore final : public ColumnSource<Int> {
 public:
  ColumnsBefore(const Expansion<Int>& expansion, KnownColumns& known, int column, int64_t i)
      : expansion_(expansion), known_(known), column_(column), i_(i) {}

  Int Read(int column, int64_t i) const override {
    const int64_t end = column == column_ ? i_ : expansion_.columns()[static_cast<size_t>(column)].length;
    if (column > column_ || i < 0 || i >= end) {
      throw Refusal{
          MakeError(label::step_order, absl::StrCat("integer ", i, " of column ", column,
                                                    " is not before integer ", i_, " of column ", column_))};
    }
    return Int(OrRefuse(known_.Read(column, i)));
  }

 private:
  const Expansion<Int>& expansion_;
  KnownColumns& known_;
  const int column_;
  const int64_t i_;
};

class ComputedColumns final : public KnownColumns {
 public:
  explicit ComputedColumns(Columns& columns) : columns_(columns) {}
  absl::StatusOr<int64_t> Read(int column, int64_t i) override {
    return columns_[static_cast<size_t>(column)][static_cast<size_t>(i)];
  }

 private:
  Columns& columns_;
};

}  // namespace

// The gas bounds the time of a run, so it bounds that of whoever answers for it.
template <typename Int>
ElementSteps<Int>::ElementSteps(Referee<Int>& referee, const ValuePlace& place, int64_t element, int64_t most,
                                std::optional<int> only)
    : instruction_(referee.InstructionOf(place)),
      expansion_(ExpansionOf<Int>(instruction_.op, instruction_.Context(element), most, only)) {
  Int128 integers = 0;
  for (const auto& steps : expansion_.columns()) integers += steps.length;
  if (integers > instruction_.run_gas) {
    throw Refusal{MakeError(label::expansion_size, absl::StrCat(ToString(integers), " integers, in a run of ",
                                                                instruction_.run_gas, " gas"))};
  }
}

template <typename Int>
absl::StatusOr<Columns> ElementSteps<Int>::Run() const {
  return EndOf([&] {
    Columns columns;
    ComputedColumns computed(columns);
    for (const auto& steps : expansion_.columns()) {
      const auto column = static_cast<int>(columns.size());
      columns.emplace_back();
      for (int64_t i = 0; i < steps.length; ++i) {
        const ColumnsBefore<Int> before(expansion_, computed, column, i);
        columns.back().push_back(As64Bits(steps.at(StepReads<Int>(instruction_.operands, before), i)));
      }
    }
    return columns;
  });
}

template <typename Int>
absl::StatusOr<Int> ElementSteps<Int>::Judge(int column, int64_t i, KnownColumns& known) const {
  return EndOf([&] {
    const ColumnsBefore<Int> before(expansion_, known, column, i);
    return expansion_.columns()[static_cast<size_t>(column)].at(StepReads<Int>(instruction_.operands, before),
                                                                i);
  });
}

template class ElementSteps<TrappingInt>;
template class ElementSteps<FormalInt>;

}  // namespace tally
