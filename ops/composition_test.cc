#include "ops/composition.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "ops/layout/attrs.h"
#include "ops/lowerings.h"

namespace tally {
namespace {

TensorType Type(std::initializer_list<int64_t> dims, Interval interval) {
  return {*Shape::Create(dims), interval};
}

TEST(Composition, TypesEveryValueAsItIsWritten) {
  Composition c(Profile::kCore);
  const Value x = c.Input(Type({2, 3}, {-4, 9}));
  const Value three = c.Constant({}, {3});
  const auto d = c.Apply(Opcode::kBroadcastSub, {x, three});
  ASSERT_TRUE(d.ok()) << d.status();
  const auto y = c.Apply(Opcode::kReshape, {*d}, ReshapeAttrs{.shape = {6}});
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(c.type(*d).ToString(), "[2,3] in [-7, 6]");
  EXPECT_EQ(c.type(*y).ToString(), "[6] in [-7, 6]");
  EXPECT_EQ(c.constant(three)->at(0), 3);
  EXPECT_EQ(c.constant(x), nullptr);
  ASSERT_EQ(c.steps().size(), 2u);
  EXPECT_EQ(c.steps()[1].op, Opcode::kReshape);
  EXPECT_EQ(c.steps()[1].first_result, *y);
  EXPECT_EQ(c.inputs().size(), 1u);
}

TEST(Composition, RefusesWhatValidationRefuses) {
  Composition c(Profile::kCore);
  const Value x = c.Input(Type({2, 3}, {-4, 9}));
  EXPECT_EQ(ErrorLabel(c.Apply(Opcode::kBroadcastSub, {x}).status()), "operand_count");
  EXPECT_EQ(ErrorLabel(c.Apply(Opcode::kReshape, {x}).status()), "attribute_count");
  EXPECT_EQ(ErrorLabel(c.Apply(Opcode::kReshape, {x}, ReshapeAttrs{.shape = {7}}).status()), "reshape_c1");
  EXPECT_TRUE(c.steps().empty());
}

TEST(Lowerings, EveryRowIsFoundByItsName) {
  for (const LoweringInfo& lowering : AllLowerings()) EXPECT_EQ(FindLowering(lowering.name), &lowering);
  EXPECT_EQ(FindLowering("no_such"), nullptr);
}

// An operator and the lowering of its name take the same operands and attributes.
TEST(Lowerings, AgreeWithTheOperatorsThatTheyLower) {
  for (const LoweringInfo& lowering : AllLowerings()) {
    const OpInfo* op = FindOp(lowering.name);
    if (op == nullptr) continue;
    EXPECT_EQ(lowering.family, op->family) << lowering.name;
    EXPECT_EQ(lowering.min_operands, op->min_operands) << lowering.name;
    EXPECT_EQ(lowering.max_operands, op->max_operands) << lowering.name;
    ASSERT_EQ(lowering.attributes.size(), op->attributes.size()) << lowering.name;
    EXPECT_EQ(lowering.attributes.data(), op->attributes.data()) << lowering.name << ": another struct";
  }
}

}  // namespace
}  // namespace tally
