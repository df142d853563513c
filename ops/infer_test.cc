#include "ops/infer.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/error.h"

namespace tally {
namespace {

constexpr int64_t kI64Min = std::numeric_limits<int64_t>::min(),
                  kI64Max = std::numeric_limits<int64_t>::max();
constexpr Label kSomeLabel("some_label", ErrorStage::invalid, absl::StatusCode::kInvalidArgument);
constexpr InferContext kCore = {.profile = Profile::kCore};
constexpr InferContext kCvm = {.profile = Profile::kCvm};

std::string LabelOfResult(const InferContext& c, const WideInterval& bounds) {
  Inferred out;
  return ErrorLabel(out.AddResult(c, Shape(), bounds));
}

std::string LabelOfAccumulator(const InferContext& c, const WideInterval& bounds) {
  Inferred out;
  return ErrorLabel(out.SetAccumulator(c, bounds));
}

Shape MakeShape(std::initializer_list<int64_t> dims) { return *Shape::Create(dims); }

TEST(TensorLimit, IsThatOfTheProfile) {
  EXPECT_EQ(TensorLimit(Profile::kCore), (Interval{-140737488355328, 140737488355327}));
  EXPECT_EQ(TensorLimit(Profile::kCvm), (Interval{-2147483647, 2147483647}));
}

TEST(AddResult, KeepsShapeAndInterval) {
  Inferred out;
  ASSERT_TRUE(out.AddResult(kCore, MakeShape({2, 3}), {-4, 5}).ok());
  ASSERT_TRUE(out.AddResult(kCore, MakeShape({1}), {0, 0}).ok());
  ASSERT_EQ(out.results.size(), 2);
  EXPECT_EQ(out.results[0].ToString(), "[2,3] in [-4, 5]");
}

TEST(AddResult, RefusesWhatLeavesTheTensorLimit) {
  for (const InferContext& c : {kCore, kCvm}) {
    const Interval limit = TensorLimit(c.profile);
    EXPECT_EQ(LabelOfResult(c, limit), "");
    EXPECT_EQ(LabelOfResult(c, {Int128{limit.lo} - 1, 0}), "value_range");
    EXPECT_EQ(LabelOfResult(c, {0, Int128{limit.hi} + 1}), "value_range");
    EXPECT_EQ(LabelOfResult(c, {-kWideMax, kWideMax}), "value_range");
  }
}

TEST(SetAccumulator, AllowsInt64InProfileCore) {
  Inferred out;
  ASSERT_TRUE(out.SetAccumulator(kCore, {kI64Min, kI64Max}).ok());
  EXPECT_EQ(out.accumulator, (Interval{kI64Min, kI64Max}));
  EXPECT_EQ(LabelOfAccumulator(kCore, {Int128{kI64Min} - 1, 0}), "accumulator_range");
  EXPECT_EQ(LabelOfAccumulator(kCore, {0, Int128{kI64Max} + 1}), "accumulator_range");
}

TEST(SetAccumulator, AllowsTheTensorLimitInProfileCvm) {
  const Interval limit = TensorLimit(Profile::kCvm);
  EXPECT_EQ(LabelOfAccumulator(kCvm, limit), "");
  EXPECT_EQ(LabelOfAccumulator(kCvm, {Int128{limit.lo} - 1, 0}), "accumulator_range");
  EXPECT_EQ(LabelOfAccumulator(kCvm, {0, Int128{limit.hi} + 1}), "accumulator_range");
}

TEST(CheckOperandLimit, NamesTheOperandThatIsTooWide) {
  const TensorType types[] = {{Shape(), TensorLimit(Profile::kCore)}, {Shape(), {0, kI64Max}}};
  InferContext c = kCore;
  c.operands = types;
  EXPECT_TRUE(CheckOperandLimit(c, 0, kSomeLabel).ok());
  EXPECT_EQ(ErrorLabel(CheckOperandLimit(c, 1, kSomeLabel)), "some_label");
  c.profile = Profile::kCvm;
  EXPECT_EQ(ErrorLabel(CheckOperandLimit(c, 0, kSomeLabel)), "some_label");
}

TEST(BroadcastShape, AlignsAtTheRight) {
  const auto broadcast = [](const Shape& a, const Shape& b) {
    return BroadcastShape(a, b, kSomeLabel)->ToString();
  };
  EXPECT_EQ(broadcast(MakeShape({2, 3}), MakeShape({3})), "[2,3]");
  EXPECT_EQ(broadcast(MakeShape({3}), MakeShape({2, 3})), "[2,3]");
  EXPECT_EQ(broadcast(MakeShape({2, 1}), MakeShape({1, 3})), "[2,3]");
  EXPECT_EQ(broadcast(MakeShape({4, 1, 5}), MakeShape({3, 1})), "[4,3,5]");
  EXPECT_EQ(broadcast(Shape(), MakeShape({2})), "[2]");
  EXPECT_EQ(broadcast(Shape(), Shape()), "[]");
  EXPECT_EQ(broadcast(MakeShape({1, 1}), MakeShape({1})), "[1,1]");
}

TEST(BroadcastShape, RefusesDifferentDims) {
  EXPECT_EQ(ErrorLabel(BroadcastShape(MakeShape({2}), MakeShape({3}), kSomeLabel).status()), "some_label");
  EXPECT_EQ(ErrorLabel(BroadcastShape(MakeShape({2, 3}), MakeShape({2}), kSomeLabel).status()), "some_label");
}

TEST(BroadcastShape, RefusesTooManyElements) {
  const int64_t half = int64_t{1} << 18;
  EXPECT_EQ(BroadcastShape(MakeShape({half, 1}), MakeShape({half}), kSomeLabel)->num_elements(),
            kMaxElements);
  EXPECT_EQ(ErrorLabel(BroadcastShape(MakeShape({2, half, 1}), MakeShape({half}), kSomeLabel).status()),
            "shape_elements");
}

TEST(NormalizeAxis, CountsNegativeAxesFromTheEnd) {
  EXPECT_EQ(*NormalizeAxis(0, 3, kSomeLabel), 0);
  EXPECT_EQ(*NormalizeAxis(2, 3, kSomeLabel), 2);
  EXPECT_EQ(*NormalizeAxis(-1, 3, kSomeLabel), 2);
  EXPECT_EQ(*NormalizeAxis(-3, 3, kSomeLabel), 0);
}

TEST(NormalizeAxis, RefusesAxesThatTheShapeLacks) {
  EXPECT_EQ(ErrorLabel(NormalizeAxis(3, 3, kSomeLabel).status()), "some_label");
  EXPECT_EQ(ErrorLabel(NormalizeAxis(-4, 3, kSomeLabel).status()), "some_label");
  EXPECT_EQ(ErrorLabel(NormalizeAxis(0, 0, kSomeLabel).status()), "some_label");
  EXPECT_EQ(ErrorLabel(NormalizeAxis(kI64Min, 8, kSomeLabel).status()), "some_label");
}

}  // namespace
}  // namespace tally
