// A plan of the cuda engine in a server: many threads run it at once, each on a lane of the device.
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <memory>
#include <thread>
#include <vector>

#include "base/error.h"
#include "ops/layout/attrs.h"
#include "ops/linear/attrs.h"
#include "vm/engines/cuda/cuda_engine.h"
#include "vm/engines/cuda/emulated_device.h"
#include "vm/engines/cuda/test_devices.h"
#include "vm/engines/scalar_engine.h"
#include "vm/module_builder.h"
#include "vm/validator.h"

namespace tally {
namespace {

constexpr int kCallers = 12, kRuns = 4;  // more callers than lanes

Tensor Noise(const Shape& shape, int seed) {
  std::vector<int64_t> values(static_cast<size_t>(shape.num_elements()));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<int64_t>((i * 37 + static_cast<size_t>(seed) * 101) % 255) - 127;
  }
  return *Tensor::FromValues(shape, Storage::kI8, values);
}

// A product of matrices, which shares memory between the threads of a block, and what goes by elements.
std::shared_ptr<const ValidModule> Network() {
  ModuleBuilder b(Profile::kCore);
  const ValueId x = b.Param("x", {*Shape::Create({16, 32}), {-127, 127}});
  const ValueId y = b.Op(Opcode::kMatmul, {x, b.Constant(Noise(*Shape::Create({32, 8}), 7))}, MatmulAttrs{});
  b.Result("y", b.Op(Opcode::kRelu, {b.Op(Opcode::kTranspose, {y}, TransposeAttrs{})}));
  return std::make_shared<const ValidModule>(*Validate(std::move(b).Build()));
}

struct Caller {
  Tensor input;
  Tensor expected;
};

std::vector<Caller> CallersOf(const std::shared_ptr<const ValidModule>& module) {
  const auto reference = MakeReferencePlan(module);
  std::vector<Caller> callers;
  for (int c = 0; c < kCallers; ++c) {
    Tensor input = Noise(module->entry().params[0].shape, c);
    Tensor expected = reference->Execute({{input.view()}}, {})->results[0];
    callers.push_back({std::move(input), std::move(expected)});
  }
  return callers;
}

// body(caller) on kCallers threads that begin together.
template <typename Body>
void AtOnce(Body body) {
  std::barrier start(kCallers);
  std::vector<std::thread> threads;
  for (int c = 0; c < kCallers; ++c) {
    threads.emplace_back([&, c] {
      start.arrive_and_wait();
      body(c);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

void ExpectRight(const Plan& plan, const Caller& caller) {
  const auto outcome = plan.Execute({{caller.input.view()}}, {});
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_TRUE(SameValues(outcome->results[0].view(), caller.expected.view()));
}

TEST(Lanes, ServeManyCallersAtOnce) {
  const auto module = Network();
  const std::vector<Caller> callers = CallersOf(module);
  for (const auto& device : cuda::TestDevices()) {
    const auto plan = *MakeCudaPlan(module, device);
    AtOnce([&](int c) {
      for (int run = 0; run < kRuns; ++run) ExpectRight(*plan, callers[c]);
    });
  }
}

// The first value that a run shows waits until as many runs as the limit allows show theirs, which so must all be there.
TEST(Lanes, AreAsManyAsTheLimit) {
  const auto module = Network();
  const std::vector<Caller> callers = CallersOf(module);
  const auto plan = *MakeCudaPlan(module, std::make_shared<cuda::EmulatedDevice>());
  const ValueId first = 1 + static_cast<ValueId>(module->entry().params.size());
  const ValueId last = module->entry().results[0];
  std::atomic<int> inside = 0, most = 0;
  ExecuteOptions options;
  options.observer = [&](auto, ValueId id, const TensorView&) {
    if (id == first) {
      const int now = ++inside;
      for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) continue;
      while (most < kMaxCudaRuns) std::this_thread::yield();
    }
    if (id == last) --inside;
  };
  AtOnce([&](int c) {
    const auto outcome = plan->Execute({{callers[c].input.view()}}, options);
    ASSERT_TRUE(outcome.ok()) << outcome.status();
    EXPECT_TRUE(SameValues(outcome->results[0].view(), callers[c].expected.view()));
  });
  EXPECT_EQ(most, kMaxCudaRuns);
}

// Who finds no memory for a lane of its own waits for another's: no memory for an arena, a stream or a graph.
TEST(Lanes, AreAsManyAsTheDeviceHolds) {
  const auto module = Network();
  const std::vector<Caller> callers = CallersOf(module);
  int64_t with_one_lane;
  {
    const auto roomy = std::make_shared<cuda::EmulatedDevice>();
    const auto plan = *MakeCudaPlan(module, roomy);
    with_one_lane = roomy->allocated_bytes();
  }
  for (const auto& options :
       {cuda::EmulatedDeviceOptions{.allocatable_bytes = with_one_lane * 3 / 2},
        cuda::EmulatedDeviceOptions{.streams = 2}, cuda::EmulatedDeviceOptions{.graphs = 2}}) {
    const auto device = std::make_shared<cuda::EmulatedDevice>(options);
    const auto plan = *MakeCudaPlan(module, device);
    AtOnce([&](int c) {
      for (int run = 0; run < kRuns; ++run) ExpectRight(*plan, callers[c]);
    });
    EXPECT_EQ(device->generation(), 1);
  }
}

// Of the runs in flight when the device fails each is right or says so, and all that follow are right.
TEST(Lanes, SurviveADeviceThatFailsUnderAllOfThem) {
  const auto module = Network();
  const std::vector<Caller> callers = CallersOf(module);
  const auto device = std::make_shared<cuda::EmulatedDevice>();
  const auto plan = *MakeCudaPlan(module, device);
  std::atomic<int> failed = 0;
  AtOnce([&](int c) {
    for (int run = 0; run < kRuns; ++run) {
      if (c == 0) device->FailAt(3);
      const auto outcome = plan->Execute({{callers[c].input.view()}}, {});
      if (!outcome.ok()) {
        EXPECT_EQ(ErrorLabel(outcome.status()), "device_failed") << outcome.status();
        ++failed;
      } else {
        EXPECT_TRUE(SameValues(outcome->results[0].view(), callers[c].expected.view()));
      }
    }
  });
  EXPECT_GT(failed, 0);
  device->FailAt(-1);
  for (const Caller& caller : callers) ExpectRight(*plan, caller);
}

}  // namespace
}  // namespace tally
