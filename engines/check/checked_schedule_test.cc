#include "engines/check/checked_schedule.h"

#include <gtest/gtest.h>

#include <vector>

#include "vm/module_builder.h"
#include "vm/validator.h"

namespace tally {
namespace {

struct StepOn : ScheduledStep {
  StepOn(std::vector<BufferId> reads, std::vector<BufferId> writes)
      : ScheduledStep("negative", 1, std::move(reads), std::move(writes)) {}
};

// y = -x, and v: the bytes of x again, which nothing reads.
TEST(CheckedSchedule, LeavesOutAViewOfBytesThatTheStepHasNotTouched) {
  ModuleBuilder b(Profile::kCore);
  const TensorType type = {*Shape::Create({2}), {1, 100}};
  const ValueId x = b.Param("x", type), y = b.Op(Opcode::kNegative, {x}), v = b.Op(Opcode::kAbs, {x});
  b.Result("y", y);
  b.Result("v", v);
  const ValidModule module = *Validate(std::move(b).Build());

  Schedule schedule;
  const ValueRef of_x = schedule.NewValue(type, Layout::kRowMajor);
  const ValueRef of_y = schedule.NewValue({type.shape, {-100, -1}}, Layout::kRowMajor);
  const ValueRef of_v = schedule.View(of_x, type), elsewhere = schedule.NewValue(type, Layout::kRowMajor);
  const auto asked_with = [&](const ValueRef& view) {
    const Tensor input = *Tensor::FromValues(type.shape, {3, 5});
    const TensorView inputs[] = {input.view()};
    CheckedSchedule check(module, inputs);
    schedule.held = {{1, y, of_y}, {1, v, view}};
    std::vector<BufferId> asked;
    EXPECT_TRUE(check
                    .After(schedule, 1,
                           [&](const ValueRef& value) {
                             asked.push_back(value.buffer);
                             return std::optional<HeldValue>();
                           })
                    .ok());
    return asked;
  };
  schedule.steps.push_back(std::make_unique<StepOn>(std::vector{of_x.buffer}, std::vector{of_y.buffer}));
  EXPECT_EQ(asked_with(of_v), (std::vector{of_y.buffer, of_v.buffer}));
  EXPECT_EQ(asked_with(elsewhere), std::vector{of_y.buffer});
}

}  // namespace
}  // namespace tally
