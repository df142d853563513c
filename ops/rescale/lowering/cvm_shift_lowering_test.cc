#include <gtest/gtest.h>

#include "ops/rescale/attrs.h"
#include "ops/testing/lowering_tester.h"

namespace tally {
namespace {

const Opcode kOps[] = {Opcode::kCvmRightShift, Opcode::kCvmLeftShift};

// The lowering has the type and the values of the operator, at every precision and shift, around every edge.
TEST(CvmShiftLowering, EqualsTheOperatorEverywhere) {
  const int64_t widest = (int64_t{1} << 31) - 1;
  const TestOperand x = Values({12}, {-widest, -65537, -3, -2, -1, 0, 1, 2, 3, 255, 65536, widest});
  for (const Opcode op : kOps) {
    for (int64_t precision = 1; precision <= 32; ++precision) {
      for (int64_t shift = 1; shift <= 32; ++shift) {
        const Attributes attributes = Pack(CvmShiftAttrs{precision, shift});
        const auto defined = RunOp({.op = op, .operands = {x}, .attributes = attributes});
        const auto lowered =
            RunLowering({.name = InfoOf(op).name, .operands = {x}, .attributes = attributes});
        ASSERT_TRUE(defined.ok() && lowered.ok()) << lowered.status();
        ASSERT_EQ(lowered->values, defined->values) << InfoOf(op).name << ' ' << precision << ' ' << shift;
        ASSERT_EQ(lowered->types, defined->types) << InfoOf(op).name << ' ' << precision << ' ' << shift;
      }
    }
  }
}

TEST(CvmShiftLowering, AClipIsAClip) {
  const auto y = RunLowering({.name = "cvm_clip",
                              .operands = {Values({3}, {-9, 0, 9})},
                              .attributes = Pack(CvmClipAttrs{.precision = 3})});
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->instructions, (std::vector<std::string>{"clip"}));
  EXPECT_EQ(y->values[0], (std::vector<int64_t>{-3, 0, 3}));
}

TEST(CvmShiftLowering, RefusesWhatTheRowsRefuse) {
  EXPECT_EQ(LabelOf(LoweringCase{.name = "cvm_clip"}), "operand_count");
  EXPECT_EQ(LabelOf(LoweringCase{.name = "cvm_clip", .operands = {Values({1}, {0})}}), "attribute_count");
  EXPECT_EQ(LabelOf(LoweringCase{.name = "no_such"}), "lowering_unknown");
}

}  // namespace
}  // namespace tally
