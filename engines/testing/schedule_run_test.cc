// A schedule that a pass left wrong is found, and the operation named: these are made so on purpose.
#include "engines/testing/schedule_run.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "engines/compile/passes.h"
#include "vm/module_builder.h"
#include "vm/validator.h"

namespace tally {
namespace {

class OneStep final : public ScheduledStep {
 public:
  OneStep(std::vector<BufferId> reads, std::vector<BufferId> writes)
      : ScheduledStep("step", 1, std::move(reads), std::move(writes)) {}
};

// Each instruction by itself, row-major.
struct PlainTarget final : CompileTarget {
  std::optional<GemmForm> GemmAt(size_t) override { return std::nullopt; }
  bool Fuses() const override { return false; }
  Layout LayoutOfX(const FusionGroup&, bool, bool) const override { return Layout::kRowMajor; }
  bool RunsChannelsLast(const Schedule&, const ScheduledOp&) override { return false; }
  bool MayKeep(int64_t) override { return true; }
  void Select(Schedule&, ScheduledOp& op) override {
    std::vector<BufferId> reads, writes;
    for (const ValueRef& x : op.operands) reads.push_back(x.buffer);
    for (const ValueRef& y : op.results) writes.push_back(y.buffer);
    op.steps.push_back(std::make_unique<OneStep>(reads, writes));
  }
};

class ScheduleRunTest : public testing::Test {
 protected:
  // %1 = -%0, %2 = |%0|, %3 = %1 + %2, all of whose elements are `x`, by the passes up to `last`, after which
  // `change` changes what they left. Returns what the run reports.
  template <typename Change>
  static std::string Told(int64_t x, Pass last, Change change) {
    ModuleBuilder b(Profile::kCore);
    const Shape shape = *Shape::Create({2, 3});
    const ValueId param = b.Param("x", {shape, {-1000, 1000}});
    const ValueId y = b.Op(Opcode::kNegative, {param}), z = b.Op(Opcode::kAbs, {param});
    b.Result("sum", b.Op(Opcode::kBroadcastAdd, {y, z}));
    const ValidModule module = *Validate(std::move(b).Build());

    const FunctionView function(module, 0);
    PlainTarget target;
    const PassOptions options;
    Schedule schedule;
    Fuse(function, target, options, schedule);
    if (last >= Pass::kAssignLayouts) AssignLayouts(function, target, options, schedule);
    if (last >= Pass::kSelect) SelectSteps(function, target, schedule);
    if (last >= Pass::kAlias) AliasBuffers(options, schedule);
    if (last >= Pass::kPlace) PlaceBuffers(schedule);
    change(schedule);

    const Tensor input = *Tensor::FromValues(shape, std::vector<int64_t>(shape.num_elements(), x));
    const TensorView inputs[] = {input.view()};
    RunCheck check(module);
    check.EnterEntry(inputs);
    ScheduleRun(function, schedule, "pass", check).Run(inputs);
    return std::string(check.status().message());
  }
  static BufferId Written(const Schedule& schedule, size_t op) { return schedule.ops[op].results[0].buffer; }
  static void ExpectHas(const std::string& told, std::string_view part) {
    EXPECT_NE(told.find(part), std::string::npos) << told;
  }
};

TEST_F(ScheduleRunTest, TellsNothingOfWhatIsRight) {
  for (const PassRow& row : kPasses) EXPECT_EQ(Told(300, row.pass, [](Schedule&) {}), "") << row.name;
}

TEST_F(ScheduleRunTest, TellsWhatAnOperationIsToRead) {
  const std::string told =
      Told(300, Pass::kAssignLayouts, [](Schedule& s) { s.ops[2].operands[0].buffer = Written(s, 1); });
  ExpectHas(told, "step 2 (pass) of function 0 is to read 300 at [0,0] of %1 (negative");
}

TEST_F(ScheduleRunTest, TellsWhatAnOperationWrote) {
  const std::string told = Told(300, Pass::kFuse, [](Schedule& s) { s.ops[0].instruction = 1; });
  ExpectHas(told, "step 0 (pass) of function 0 wrote 300 at [0,0] of %1 (negative");
}

TEST_F(ScheduleRunTest, TellsWhatIsStoredRatherThanWhatIsComputed) {
  const std::string told =
      Told(300, Pass::kAssignLayouts, [](Schedule& s) { s.ops[0].results[0].storage = Storage::kI8; });
  ExpectHas(told, "step 0 (pass) of function 0 wrote -44 at [0,0] of %1 (negative");
}

TEST_F(ScheduleRunTest, TellsAResultThatLiesElsewhere) {
  const std::string told =
      Told(300, Pass::kAssignLayouts, [](Schedule& s) { s.results[0].buffer = Written(s, 1); });
  ExpectHas(told, "leaves as a result 300 at [0,0] of %3 (broadcast_add");
}

TEST_F(ScheduleRunTest, TellsWhatNothingHasWritten) {
  const std::string told = Told(0, Pass::kAssignLayouts, [](Schedule& s) { s.ops.erase(s.ops.begin()); });
  ExpectHas(told, "step 1 (pass) of function 0 is to read -23131 at [0,0] of %1 (negative");
}

TEST_F(ScheduleRunTest, TellsBuffersThatShareBytes) {
  const std::string told =
      Told(300, Pass::kAlias, [](Schedule& s) { s.buffers[Written(s, 1)].alias_of = Written(s, 0); });
  ExpectHas(told, "step 2 (pass) of function 0 is to read 300 at [0,0] of %1 (negative");
}

TEST_F(ScheduleRunTest, TellsBuffersThatOverlapInTheArena) {
  const std::string told = Told(300, Pass::kPlace, [](Schedule& s) {
    s.buffers[Written(s, 1)].offset = s.buffers[Written(s, 0)].offset;
  });
  ExpectHas(told, "step 2 (pass) of function 0 is to read 300 at [0,0] of %1 (negative");
}

}  // namespace
}  // namespace tally
