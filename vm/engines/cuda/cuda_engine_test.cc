// The cuda engine on an emulated device: plans, refusals, and faults of the device.
#include "vm/engines/cuda/cuda_engine.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "ops/elementwise/attrs.h"
#include "ops/layout/attrs.h"
#include "vm/engines/cuda/emulated_device.h"
#include "vm/module_builder.h"
#include "vm/validator.h"

namespace tally {
namespace {

using cuda::EmulatedDevice;
using cuda::EmulatedDeviceOptions;

std::shared_ptr<const ValidModule> Valid(ModuleBuilder b) {
  auto valid = Validate(std::move(b).Build());
  EXPECT_TRUE(valid.ok()) << valid.status();
  return std::make_shared<const ValidModule>(*std::move(valid));
}

// y = relu(transpose(x) + [10, -20]), z = y reshaped
std::shared_ptr<const ValidModule> SmallModule() {
  ModuleBuilder b(Profile::kCore);
  const ValueId x = b.Param("x", {*Shape::Create({2, 3}), {-50, 50}});
  const ValueId c = b.Constant(*Tensor::FromValues(*Shape::Create({2}), {10, -20}));
  const ValueId moved = b.Op(Opcode::kTranspose, {x}, TransposeAttrs{});
  const ValueId y = b.Op(Opcode::kRelu, {b.Op(Opcode::kBroadcastAdd, {moved, c})});
  b.Result("y", y);
  b.Result("z", b.Op(Opcode::kReshape, {y}, ReshapeAttrs{{6}}));
  return Valid(std::move(b));
}

const Tensor kInput = *Tensor::FromValues(*Shape::Create({2, 3}), {-50, 0, 50, 1, 20, 50});
const Tensor kExpected = *Tensor::FromValues(*Shape::Create({3, 2}), {0, 0, 10, 0, 60, 30});

TEST(CudaEngine, RunsAModuleOnTheDevice) {
  const auto plan = MakeCudaPlan(SmallModule(), std::make_shared<EmulatedDevice>());
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ((*plan)->kernels(), (std::vector<std::string>{"transpose", "broadcast_add", "clip"}));
  for (int run = 0; run < 2; ++run) {
    const auto outcome = (*plan)->Execute({{kInput.view()}}, {});
    ASSERT_TRUE(outcome.ok()) << outcome.status();
    EXPECT_TRUE(SameValues(outcome->results[0].view(), kExpected.view()));
    EXPECT_EQ(outcome->results[1].shape().rank(), 1);
    EXPECT_EQ(outcome->gas_used, (*plan)->module().gas());
  }
}

TEST(CudaEngine, RefusesAPlanThatTheDeviceCannotHold) {
  for (const EmulatedDeviceOptions& options :
       {EmulatedDeviceOptions{.memory_bytes = 100}, EmulatedDeviceOptions{.allocatable_bytes = 100}}) {
    const auto plan = MakeCudaPlan(SmallModule(), std::make_shared<EmulatedDevice>(options));
    EXPECT_EQ(ErrorLabel(plan.status()), "device_memory") << plan.status();
  }
}

// Whatever operation fails: the run says so, the caller's memory is as it was, and the next run is right.
TEST(CudaEngine, SurvivesAFaultAtEveryOperationOfARun) {
  const auto device = std::make_shared<EmulatedDevice>();
  const auto plan = MakeCudaPlan(SmallModule(), device);
  ASSERT_TRUE(plan.ok()) << plan.status();
  const int64_t before = device->operations();
  ASSERT_TRUE((*plan)->Execute({{kInput.view()}}, {}).ok());
  const int64_t operations = device->operations() - before;
  ASSERT_GT(operations, 4);
  for (int64_t n = 0; n < operations; ++n) {
    device->FailAt(n);
    std::vector<uint8_t> y(6, 77), z(6, 77);
    const std::vector<std::span<uint8_t>> results = {y, z};
    const absl::Status failed = (*plan)->ExecuteInto({{kInput.view()}}, results, {});
    EXPECT_EQ(ErrorLabel(failed), "device_failed") << "operation " << n << ": " << failed;
    EXPECT_EQ(y, std::vector<uint8_t>(6, 77));
    ASSERT_TRUE((*plan)->ExecuteInto({{kInput.view()}}, results, {}).ok());
    EXPECT_TRUE(std::ranges::equal(y, kExpected.bytes()));
    EXPECT_EQ(y, z);
  }
}

TEST(CudaEngine, AnObservedRunShowsTheValuesOfTheReference) {
  const auto plan = MakeCudaPlan(SmallModule(), std::make_shared<EmulatedDevice>());
  ASSERT_TRUE(plan.ok()) << plan.status();
  int values = 0;
  const ExecuteOptions options = {.observer = [&](auto, ValueId, const TensorView&) { ++values; }};
  ASSERT_TRUE((*plan)->Execute({{kInput.view()}}, options).ok());
  EXPECT_EQ(values, 4);
}

}  // namespace
}  // namespace tally
