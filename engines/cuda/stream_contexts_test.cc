// A plan of the cuda engine in a server: many threads run it at once, each on a stream context of the device.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "base/error.h"
#include "engines/cuda/cuda_engine.h"
#include "engines/testing/emulated_device.h"
#include "engines/testing/test_callers.h"
#include "engines/testing/test_devices.h"

namespace tally {
namespace {

constexpr int kRuns = 4;

TEST(StreamContexts, ServeManyCallersAtOnce) {
  const auto module = CallersModule();
  const std::vector<Caller> callers = CallersOf(module);
  for (const auto& device : cuda::TestDevices()) {
    const auto plan = *MakeCudaPlan(module, device);
    AtOnce([&](int c) {
      for (int run = 0; run < kRuns; ++run) ExpectRight(*plan, callers[c]);
    });
  }
}

// The first value that a run shows waits until as many runs as the limit allows show theirs, which so must
// all be there.
TEST(StreamContexts, AreAsManyAsTheLimit) {
  const auto module = CallersModule();
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

// Who finds no memory for a stream context of its own waits for another's: no memory for an arena, a stream
// or a graph.
TEST(StreamContexts, AreAsManyAsTheDeviceHolds) {
  const auto module = CallersModule();
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

// One run inside another takes a stream context of its own. More runs than the limit, one after the other,
// leave room for it; and when the device fails under one context, the other is not used again, nor are
// constants that lay in memory now gone.
TEST(StreamContexts, AreMadeAnewOnADeviceThatFailed) {
  const auto module = CallersModule();
  const std::vector<Caller> callers = CallersOf(module);
  const auto device = std::make_shared<cuda::EmulatedDevice>();
  const auto plan = *MakeCudaPlan(module, device);
  const std::function<void(int)> run = [&](int more) {  // inside of one another
    ExecuteOptions options;
    options.observer = [&](auto, ValueId id, const TensorView&) {
      if (more > 0 && id == module->entry().results[0]) run(more - 1);
    };
    const auto outcome = plan->Execute({{callers[more].input.view()}}, options);
    ASSERT_TRUE(outcome.ok()) << outcome.status();
    EXPECT_TRUE(SameValues(outcome->results[0].view(), callers[more].expected.view()));
  };
  for (int i = 0; i <= kMaxCudaRuns; ++i) run(0);
  run(1);
  device->FailAt(0);
  EXPECT_EQ(ErrorLabel(RunOnce(*plan, callers[0])), "device_failed");
  run(1);
}

// Each of the runs in flight when the device fails is right or says so, and all that follow are right.
TEST(StreamContexts, SurviveADeviceThatFailsUnderAllOfThem) {
  const auto module = CallersModule();
  const std::vector<Caller> callers = CallersOf(module);
  const auto device = std::make_shared<cuda::EmulatedDevice>();
  const auto plan = *MakeCudaPlan(module, device);
  std::atomic<int> failed = 0;
  AtOnce([&](int c) {
    for (int run = 0; run < kRuns; ++run) {
      if (c == 0) device->FailAt(3);
      const absl::Status status = RunOnce(*plan, callers[c]);
      if (status.ok()) continue;
      EXPECT_EQ(ErrorLabel(status), "device_failed") << status;
      ++failed;
    }
  });
  EXPECT_GT(failed, 0);
  device->FailAt(-1);
  for (const Caller& caller : callers) ExpectRight(*plan, caller);
}

}  // namespace
}  // namespace tally
