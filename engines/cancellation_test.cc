// Runs that somebody ends, on every engine: long ones end soon, and nobody is shown what a step left out.
#include "vm/cancellation.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "base/error.h"
#include "engines/cuda/cuda_engine.h"
#include "engines/engine.h"
#include "engines/testing/emulated_device.h"
#include "ops/control/attrs.h"
#include "vm/module_builder.h"
#include "vm/validator.h"

namespace tally {
namespace {

const TensorType kByte = {Shape(), {-100, 100}};

// Loops of 2^31 - 1 and of `inner` trips, of which an iteration negates the state once; and a negative after
// them. It takes minutes.
std::shared_ptr<const ValidModule> Long(int64_t inner) {
  ModuleBuilder b(Profile::kCore);
  const auto loop = [&](ValueId result, int64_t trips) {
    return LoopAttrs{.body = b.EndFunction({result}), .trips = trips, .states = 1};
  };
  auto p = b.BeginFunction({{Shape(), {0, inner - 1}}, kByte});
  LoopAttrs attrs = loop(b.Op(Opcode::kNegative, {p[1]}), inner);
  p = b.BeginFunction({{Shape(), {0, INT32_MAX}}, kByte});
  attrs = loop(b.Op(Opcode::kLoop, {p[1]}, attrs), INT32_MAX);
  b.Result("y", b.Op(Opcode::kNegative, {b.Op(Opcode::kLoop, {b.Param("x", kByte)}, attrs)}));
  return std::make_shared<const ValidModule>(*Validate(std::move(b).Build()));
}

class CancellationTest : public testing::TestWithParam<const char*> {
 protected:
  static std::unique_ptr<const Plan> Make(std::shared_ptr<const ValidModule> module) {
    if (std::string(GetParam()) == "emulated")
      return *MakeCudaPlan(std::move(module), std::make_shared<cuda::EmulatedDevice>());
    return *MakePlan(GetParam(), std::move(module), {.threads = 2});
  }
  static std::string LabelOf(const Plan& plan, const ExecuteOptions& options) {
    const Tensor x(Shape(), Storage::kI8);
    const TensorView inputs[] = {x.view()};
    return ErrorLabel(plan.Execute(inputs, options).status());
  }
};

TEST_P(CancellationTest, EndsARunFromAnotherThread) {
  const auto plan = Make(Long(3));
  Cancellation cancellation;
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    cancellation.Cancel();
  });
  EXPECT_EQ(LabelOf(*plan, {.cancellation = &cancellation}), "cancelled");
  other.join();
  EXPECT_EQ(LabelOf(*plan, {.cancellation = &cancellation}), "cancelled");  // and those that begin later
}

TEST_P(CancellationTest, ShowsNoValueAfterIt) {
  const auto plan = Make(Long(4));
  Cancellation cancellation;
  int shown = 0;
  const Observer observer = [&](std::span<const CallSite>, ValueId, const TensorView&) {
    // In the middle of the second time that the inner loop runs.
    if (++shown == 7) cancellation.Cancel();
  };
  EXPECT_EQ(LabelOf(*plan, {.observer = observer, .cancellation = &cancellation}), "cancelled");
  EXPECT_EQ(shown, 7);
}

TEST_P(CancellationTest, EndsARunThatHashes) {
  const auto plan = Make(Long(4));
  Cancellation cancellation;
  int shown = 0;
  const RootObserver observer = [&](std::span<const CallSite>, ValueId, Storage, const Shape&,
                                    const Digest&) {
    if (++shown == 7) cancellation.Cancel();
  };
  EXPECT_EQ(LabelOf(*plan, {.root_observer = observer, .cancellation = &cancellation}), "cancelled");
  EXPECT_EQ(shown, 7);
}

TEST_P(CancellationTest, ARunThatNobodyCancelsHasItsResult) {
  ModuleBuilder b(Profile::kCore);
  b.Result("y", b.Op(Opcode::kNegative, {b.Param("x", kByte)}));
  const auto plan = Make(std::make_shared<const ValidModule>(*Validate(std::move(b).Build())));
  Cancellation cancellation;
  EXPECT_EQ(LabelOf(*plan, {.cancellation = &cancellation}), "");
  cancellation.Cancel();  // one step, which no function runs
  EXPECT_EQ(LabelOf(*plan, {.cancellation = &cancellation}), "cancelled");
}

INSTANTIATE_TEST_SUITE_P(Engines, CancellationTest, testing::Values("formal", "reference", "cpu", "emulated"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace tally
