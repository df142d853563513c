// A checked run names the step at which an engine went wrong: these steps do so on purpose.
#include "engines/cpu/checked_run.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "base/error.h"
#include "engines/cpu/compile_module.h"
#include "engines/cpu/program/operator_step.h"
#include "engines/cpu/program/program.h"
#include "engines/testing/engine_case.h"
#include "ops/elementwise/attrs.h"

namespace tally::cpu {
namespace {

// Runs another step, and then changes the first byte of a buffer.
class FaultyStep final : public Step {
 public:
  FaultyStep(std::unique_ptr<ScheduledStep> step, BufferId buffer)
      : Step(step->name(), 1, step->reads(), step->writes()), step_(std::move(step)), buffer_(buffer) {}

  void Run(const Frame& frame, int) const noexcept override {
    for (int part = 0; part < step_->parts(); ++part) static_cast<const Step&>(*step_).Run(frame, part);
    frame.At(buffer_)[0] ^= 1;
  }

 private:
  std::unique_ptr<ScheduledStep> step_;
  BufferId buffer_;
};

class CheckedRunTest : public EngineCase {
 protected:
  // y = -x, z = |x| and y + z, three steps; `change` makes them wrong.
  template <typename Change>
  absl::Status RunChanged(Change change) {
    const ValueId x = Param({2, 3}, {-100, 100});
    const ValueId y = b_.Op(Opcode::kNegative, {x}), z = b_.Op(Opcode::kAbs, {x});
    Result(Add(y, z));
    const auto module = Module();
    std::vector<Program> programs;
    Compile(*module, {.published = *module, .flags = {}, .threads = 1}, programs);
    EXPECT_EQ(programs[0].steps.size(), 3u);
    change(programs[0]);
    Tensor input(module->types()[0].shape, Storage::kI8);
    const TensorView inputs[] = {input.view()};
    AlignedVector<uint8_t> arena(programs[0].arena_bytes);
    CheckedRun check(*module, inputs);
    const Frame frame = {.program = &programs[0], .arena = arena.data(), .hook = &check};
    RunSerially(frame);
    return check.status();
  }
};

TEST_F(CheckedRunTest, IsOkWhereNothingIsWrong) {
  EXPECT_TRUE(RunChanged([](Program&) {}).ok());
}

TEST_F(CheckedRunTest, NamesTheStepThatWritesAWrongValue) {
  const absl::Status status = RunChanged([](Program& program) {
    const BufferId written = program.steps[1]->writes()[0];
    program.steps[1] = std::make_unique<FaultyStep>(std::move(program.steps[1]), written);
  });
  EXPECT_EQ(ErrorLabel(status), "check_failed");
  EXPECT_NE(status.message().find("step 1 (abs"), std::string::npos) << status;
  EXPECT_NE(status.message().find("wrote 1 at [0,0] of %2 (abs of the lowered module), which is 0"),
            std::string::npos)
      << status;
}

TEST_F(CheckedRunTest, NamesTheStepThatIsToReadWhatAnotherHasChanged) {
  const absl::Status status = RunChanged([](Program& program) {
    const BufferId of_another = program.steps[0]->writes()[0];
    program.steps[1] = std::make_unique<FaultyStep>(std::move(program.steps[1]), of_another);
  });
  EXPECT_EQ(ErrorLabel(status), "check_failed");
  EXPECT_NE(status.message().find("step 2 (broadcast_add"), std::string::npos) << status;
  EXPECT_NE(status.message().find("is to read 1 at [0,0] of %1 (negative"), std::string::npos) << status;
}

TEST_F(CheckedRunTest, ComparesResultsThatNoStepWroteLast) {
  const absl::Status status = RunChanged([](Program& program) {
    const BufferId of_another = program.steps[1]->writes()[0];
    program.steps[2] = std::make_unique<FaultyStep>(std::move(program.steps[2]), of_another);
    program.results[0].buffer = of_another;
  });
  EXPECT_EQ(ErrorLabel(status), "check_failed");
  EXPECT_NE(status.message().find("leaves as a result 1 at [0,0] of %3 (broadcast_add"), std::string::npos)
      << status;
}

}  // namespace
}  // namespace tally::cpu
