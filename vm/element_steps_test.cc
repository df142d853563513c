#include "vm/element_steps.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "base/error.h"
#include "vm/judgement.h"
#include "vm/text/assembler.h"
#include "vm/validator.h"

namespace tally {
namespace {

// An input 0, 1, 2 ..
class Numbers final : public KnownElements {
 public:
  absl::StatusOr<int64_t> Read(const ValuePlace&, int64_t element) override { return element; }
};

class Claimed final : public KnownColumns {
 public:
  explicit Claimed(Columns columns) : columns_(std::move(columns)) {}
  absl::StatusOr<int64_t> Read(int column, int64_t i) override {
    return columns_.at(static_cast<size_t>(column)).at(static_cast<size_t>(i));
  }

 private:
  Columns columns_;
};

std::string Said(const absl::StatusOr<FormalInt>& judged) {
  return judged.ok() ? judged->str() : ErrorLabel(judged.status());
}

class ElementStepsTest : public ::testing::Test {
 protected:
  ElementStepsTest()
      : module_(*Validate(*Assemble(R"(tally 1
profile core
param %0 "x" [3000] in [0, 2999]
%1 = sort %0 {axis = 0, descending = true}
%2 = reduce %0 {kind = sum, axes = [], keepdims = false}
%3, %4 = top_k %0 {k = 5, axis = 0, largest = false, order = value}
result %1 "a"
result %2 "b"
result %3 "c"
)"))),
        committed_(module_),
        referee_(module_, committed_, numbers_) {}

  ValidModule module_;
  CommittedValues committed_;
  Numbers numbers_;
  Referee<FormalInt> referee_;
};

TEST_F(ElementStepsTest, GathersOrGoesByTheRow) {
  const ElementSteps<FormalInt> gathered(referee_, {{}, 1}, 7);
  EXPECT_EQ(gathered.columns().size(), 2);
  EXPECT_EQ(gathered.Run()->back(), std::vector<int64_t>{2992});
  const ElementSteps<FormalInt> by_row(referee_, {{}, 1}, 7, 5999);
  EXPECT_GT(by_row.columns().size(), 2);
  EXPECT_EQ(by_row.Run()->back(), std::vector<int64_t>{2992});
}

TEST_F(ElementStepsTest, JudgesOneIntegerOfThoseBeforeIt) {
  const ElementSteps<FormalInt> steps(referee_, {{}, 2}, 0, 0);
  Columns columns = *steps.Run();
  ASSERT_EQ(columns.size(), 3);  // the elements, the sums of chunks, the sum
  EXPECT_EQ(columns[1].size(), 3);
  columns[1][1] += 5;
  Claimed claimed(columns);
  EXPECT_EQ(Said(steps.Judge(0, 2999, claimed)), "2999");
  EXPECT_EQ(Said(steps.Judge(1, 1, claimed)), std::to_string(columns[1][1] - 5));
  EXPECT_EQ(Said(steps.Judge(2, 0, claimed)), std::to_string(columns[2][0] + 5));
}

TEST_F(ElementStepsTest, RefusesIntegersThatNoRunHas) {
  const ElementSteps<FormalInt> gathered(referee_, {{}, 2}, 0);
  Columns columns = *gathered.Run();
  for (const int64_t outside : {int64_t{-1}, int64_t{3000}}) {
    columns[0][17] = outside;
    Claimed claimed(columns);
    EXPECT_EQ(Said(gathered.Judge(1, 0, claimed)), "step_order");
  }
  const ElementSteps<FormalInt> by_row(referee_, {{}, 3}, 0, 0);
  columns = *by_row.Run();
  columns[columns.size() - 2][0] = 3000;  // the position of the element
  Claimed claimed(columns);
  EXPECT_EQ(Said(by_row.Judge(static_cast<int>(columns.size()) - 1, 0, claimed)), "step_order");
}

// So many boxes, each of which may be kept: as many rounds over all of them.
TEST(ElementSteps, HasNoExpansionOfManyColumns) {
  const ValidModule module = *Validate(*Assemble(R"(tally 1
profile core
param %0 "boxes" [1, 200000, 4] in [0, 100]
param %1 "scores" [1, 1, 200000] in [0, 100]
%2, %3 = nms %0, %1 {encoding = corners, side_offset = 0, iou_numerator = 1, iou_denominator = 2,
  suppress_equal = false, min_score = 0, at_least_one = false, classes = each, top_k = 2147483647,
  max_per_class = 2147483647, max_per_batch = 2147483647, order = score, batches = packed}
result %3 "count"
)"));
  const CommittedValues committed(module);
  Numbers numbers;
  Referee<TrappingInt> referee(module, committed, numbers);
  const auto columns = EndOf([&] {
    return ElementSteps<TrappingInt>(referee, {{}, 3}, 0, 0, -1).columns().size();
  });
  EXPECT_EQ(ErrorLabel(columns.status()), "expansion_size");
}

TEST(Judgement, CutsNoInteger) {
  using Limits = std::numeric_limits<int64_t>;
  EXPECT_EQ(As64Bits(FormalInt(Limits::min())), Limits::min());
  EXPECT_EQ(As64Bits(FormalInt(Limits::max())), Limits::max());
  EXPECT_THROW(As64Bits(FormalInt(FormalInt(Limits::min()) - 1)), std::overflow_error);
  EXPECT_THROW(As64Bits(FormalInt(FormalInt(Limits::max()) + 1)), std::overflow_error);
}

}  // namespace
}  // namespace tally
