// The cuda engine on an emulated device: plans, refusals, and faults of the device.
#include "engines/cuda/cuda_engine.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "engines/scalar/scalar_engine.h"
#include "engines/testing/emulated_device.h"
#include "ops/control/attrs.h"
#include "ops/layout/attrs.h"
#include "ops/linear/attrs.h"
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

// Twice y = f(y) by a loop, whose body runs on the device and which itself runs on the host, between relus.
std::shared_ptr<const ValidModule> ModuleWithAHostStep() {
  ModuleBuilder b(Profile::kCore);
  const TensorType type = {*Shape::Create({2, 3}), {-50, 50}};
  const std::vector<ValueId> p = b.BeginFunction({{Shape(), {0, INT32_MAX}}, type});
  const ValueId negative = b.Op(Opcode::kNegative, {p[1]});
  const LoopAttrs attrs = {.body = b.EndFunction({negative}), .trips = 2, .states = 1};
  const ValueId x = b.Param("x", type);
  const ValueId y = b.Op(Opcode::kLoop, {b.Op(Opcode::kNegative, {x})}, attrs);
  b.Result("y", b.Op(Opcode::kNegative, {y}));
  return Valid(std::move(b));
}

std::vector<uint8_t> BytesOf(const Tensor& tensor) { return {tensor.bytes().begin(), tensor.bytes().end()}; }

TEST(CudaEngine, RunsAModuleOnTheDevice) {
  const auto device = std::make_shared<EmulatedDevice>();
  const auto plan = MakeCudaPlan(SmallModule(), device);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ((*plan)->kernels(), (std::vector<std::string>{"transpose", "broadcast_add", "clip"}));
  for (int run = 1; run <= 2; ++run) {
    const auto outcome = (*plan)->Execute({{kInput.view()}}, {});
    ASSERT_TRUE(outcome.ok()) << outcome.status();
    EXPECT_TRUE(SameValues(outcome->results[0].view(), kExpected.view()));
    EXPECT_EQ(outcome->results[1].shape().rank(), 1);
    EXPECT_EQ(outcome->gas_used, (*plan)->module().gas());
    EXPECT_EQ(device->replays(), run);  // the whole run is one graph
  }
}

TEST(CudaEngine, RunsAGraphOnEachSideOfAHostStep) {
  const auto device = std::make_shared<EmulatedDevice>();
  const auto plan = MakeCudaPlan(ModuleWithAHostStep(), device);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ((*plan)->kernels(),
            (std::vector<std::string>{"broadcast_sub", "loop_reference", "broadcast_sub"}));
  const auto outcome = (*plan)->Execute({{kInput.view()}}, {});
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_TRUE(SameValues(outcome->results[0].view(), kInput.view()));
  EXPECT_EQ(device->replays(), 2);
}

TEST(CudaEngine, TakesABiasThatOnlyTheRunKnows) {
  ModuleBuilder b(Profile::kCore);
  const TensorType image = {*Shape::Create({2, 3, 4, 4}), {-128, 127}};
  const ValueId x = b.Param("x", image), bias = b.Param("bias", {*Shape::Create({5}), {-30000, 30000}});
  std::vector<int64_t> weights(5 * 3 * 9);
  for (size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<int64_t>(i * 29 % 255) - 127;
  const ValueId w = b.Constant(*Tensor::FromValues(*Shape::Create({5, 3, 3, 3}), weights));
  const ConvolutionAttrs attrs = {
      .stride = {1, 1}, .dilation = {1, 1}, .pad_begin = {1, 1}, .pad_end = {1, 1}};
  b.Result("y", b.Op(Opcode::kConvolution, {x, w, bias}, attrs));
  const auto module = Valid(std::move(b));
  Tensor pixels(image.shape, Storage::kI8);
  for (size_t i = 0; i < pixels.mutable_bytes().size(); ++i) {
    pixels.mutable_bytes()[i] = static_cast<uint8_t>(i * 77);
  }
  const Tensor terms = *Tensor::FromValues(*Shape::Create({5}), {-30000, 30000, 1, 0, 77});
  const std::vector<TensorView> inputs = {pixels.view(), terms.view()};
  const auto plan = *MakeCudaPlan(module, std::make_shared<EmulatedDevice>());
  EXPECT_EQ(plan->kernels(), (std::vector<std::string>{"convolution", "transpose"}));
  const auto outcome = plan->Execute(inputs, {});
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  const auto expected = MakeReferencePlan(module)->Execute(inputs, {});
  EXPECT_TRUE(SameValues(outcome->results[0].view(), expected->results[0].view()));
}

TEST(CudaEngine, RefusesAPlanThatTheDeviceCannotHold) {
  for (const EmulatedDeviceOptions& options :
       {EmulatedDeviceOptions{.memory_bytes = 100}, EmulatedDeviceOptions{.allocatable_bytes = 100}}) {
    const auto plan = MakeCudaPlan(SmallModule(), std::make_shared<EmulatedDevice>(options));
    EXPECT_EQ(ErrorLabel(plan.status()), "device_memory") << plan.status();
  }
}

// Whatever operation fails or lacks memory, work inside a graph included: the run says so, the caller's
// memory is as it was, and the next run is right. A device that lacks memory does not start anew.
void ExpectToSurviveFaults(const std::shared_ptr<const ValidModule>& module,
                           const std::vector<uint8_t>& expected, const ExecuteOptions& options) {
  const auto device = std::make_shared<EmulatedDevice>();
  const auto plan = MakeCudaPlan(module, device);
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_TRUE((*plan)->Execute({{kInput.view()}}, options).ok());
  const int64_t before = device->operations();
  ASSERT_TRUE((*plan)->Execute({{kInput.view()}}, options).ok());
  const int64_t operations = device->operations() - before;
  ASSERT_GT(operations, 4);
  const size_t results = module->entry().results.size();
  for (int64_t i = 0; i < 2 * operations; ++i) {
    const int64_t n = i / 2;
    const bool refuses = i % 2 == 0;
    std::vector<std::vector<uint8_t>> memory(results, std::vector<uint8_t>(expected.size(), 77));
    const std::vector<std::span<uint8_t>> spans(memory.begin(), memory.end());
    const int generation = device->generation();
    refuses ? device->RefuseAt(n) : device->FailAt(n);
    const absl::Status failed = (*plan)->ExecuteInto({{kInput.view()}}, spans, options);
    EXPECT_EQ(ErrorLabel(failed), refuses ? "device_memory" : "device_failed")
        << "operation " << n << ": " << failed;
    EXPECT_EQ(device->generation(), generation + (refuses ? 0 : 1));
    for (const auto& bytes : memory) EXPECT_EQ(bytes, std::vector<uint8_t>(expected.size(), 77));
    const absl::Status next = (*plan)->ExecuteInto({{kInput.view()}}, spans, options);
    ASSERT_TRUE(next.ok()) << "after operation " << n << ": " << next;
    for (const auto& bytes : memory) EXPECT_EQ(bytes, expected) << "after operation " << n;
  }
}

TEST(CudaEngine, SurvivesAFaultAtEveryOperationOfARun) {
  ExpectToSurviveFaults(SmallModule(), BytesOf(kExpected), {});
}

TEST(CudaEngine, SurvivesAFaultAroundAHostStep) {
  ExpectToSurviveFaults(ModuleWithAHostStep(), BytesOf(kInput), {});
}

TEST(CudaEngine, SurvivesAFaultInAnObservedRun) {
  const ExecuteOptions options = {.observer = [](auto, ValueId, const TensorView&) {}};
  ExpectToSurviveFaults(SmallModule(), BytesOf(kExpected), options);
  ExpectToSurviveFaults(ModuleWithAHostStep(), BytesOf(kInput), options);
}

// And one at every operation with which a stream context is made after a failure, recording of graphs
// included.
TEST(CudaEngine, SurvivesAFaultWhileItStartsAgain) {
  const auto device = std::make_shared<EmulatedDevice>();
  const auto plan = *MakeCudaPlan(ModuleWithAHostStep(), device);
  for (int64_t n = 1;; ++n) {
    device->FailAt(0);
    EXPECT_EQ(ErrorLabel(plan->Execute({{kInput.view()}}, {}).status()), "device_failed");
    const int64_t before = device->operations();
    device->FailAt(n);
    const auto outcome = plan->Execute({{kInput.view()}}, {});
    if (outcome.ok()) {
      EXPECT_EQ(device->operations() - before, n);
      break;
    }
    EXPECT_EQ(ErrorLabel(outcome.status()), "device_failed") << "operation " << n << ": " << outcome.status();
    ASSERT_TRUE(plan->Execute({{kInput.view()}}, {}).ok()) << "after operation " << n;
  }
}

}  // namespace
}  // namespace tally
