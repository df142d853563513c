// The effect of faults on a GPU and on those who use it at the same time: kernels that fail, launches that
// are refused, memory that is full. The same on an emulated device, so that these tests are themselves tested
// where there is no GPU.
//
// Whether a process may go on after a kernel failed is for the driver to say. These tests print which it was,
// and hold both to it that no run ever gives wrong bytes, and that each that fails says device_failed.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <iostream>

#include "base/error.h"
#include "engines/cuda/cuda_engine.h"
#include "engines/testing/test_callers.h"
#include "engines/testing/test_devices.h"
#include "ops/cuda/peak/peak_device.h"

namespace tally {
namespace {

using cuda::Device;

constexpr int kOthers = 7, kRunsOfOthers = 5;

// The GPU first, unless the tests leave it out. Null: there is none.
std::shared_ptr<Device> Gpu() {
  const auto& first = cuda::TestDevices()[0];
  const bool is_gpu = cuda::DriverDevice().ok() && first == *cuda::DriverDevice();
  return is_gpu ? first : nullptr;
}

#define SKIP_WITHOUT_GPU() \
  if (Gpu() == nullptr) GTEST_SKIP() << "no GPU, or TALLY_TEST_DEVICES leaves it out"

absl::Status LaunchCopy(Device& device, const cuda::Memory& memory, int block) {
  const auto stream = device.NewStream();
  if (!stream.ok()) return stream.status();
  const cuda::CopyLoopParams params = {.count = 1};
  uint8_t bytes[sizeof params];
  std::memcpy(bytes, &params, sizeof params);
  const absl::Status launched = (*stream)->Launch(cuda::KernelId::kCopyLoop, {{1}, block}, memory, bytes);
  return launched.ok() ? (*stream)->Wait() : launched;
}

// CUDA_ERROR_ILLEGAL_ADDRESS
absl::Status CopyFromNowhere(Device& device) { return LaunchCopy(device, {}, 32); }

// CUDA_ERROR_MISALIGNED_ADDRESS
absl::Status CopyFromBetween(Device& device) {
  const auto memory = device.Allocate(64);
  if (!memory.ok()) return memory.status();
  return LaunchCopy(device, {{(*memory)->bytes() + 1, (*memory)->bytes() + 17}}, 32);
}

// CUDA_ERROR_INVALID_VALUE: no block has as many threads.
absl::Status LaunchTooManyThreads(Device& device) { return LaunchCopy(device, {}, 1 << 12); }

// Other threads run the plan ahead of `act`, meanwhile, and some times after. How many of their runs failed,
// each with `label`.
int FailedAround(const Plan& plan, const std::vector<Caller>& callers, const std::string& label,
                 const std::function<void()>& act) {
  std::atomic<int> runs = 0, failed = 0;
  std::atomic<bool> acted = false;
  std::vector<std::thread> threads;
  for (int t = 0; t < kOthers; ++t) {
    threads.emplace_back([&, t] {
      for (int behind = 0; behind < kRunsOfOthers; behind += acted ? 1 : 0) {
        const absl::Status status = RunOnce(plan, callers[t]);
        ++runs;
        if (status.ok()) continue;
        EXPECT_EQ(ErrorLabel(status), label) << status;
        ++failed;
      }
    });
  }
  while (runs < kOthers) std::this_thread::yield();
  act();
  acted = true;
  for (std::thread& thread : threads) thread.join();
  return failed;
}

struct Rounds {
  int faults, runs_behind;
};

void ExpectToSurvive(const std::shared_ptr<Device>& device, const Rounds& rounds,
                     const std::function<absl::Status(Device&)>& fault) {
  const auto module = CallersModule();
  const std::vector<Caller> callers = CallersOf(module);
  const auto plan = MakeCudaPlan(module, device);
  if (!plan.ok()) {  // after faults of another test
    EXPECT_EQ(ErrorLabel(plan.status()), "device_failed") << plan.status();
    std::cout << "cuda: " << plan.status() << "\n";
    return;
  }
  bool recovers = true;
  int failed = 0;
  for (int round = 0; round < rounds.faults; ++round) {
    failed += FailedAround(**plan, callers, "device_failed", [&] {
      const absl::Status status = fault(*device);
      EXPECT_EQ(ErrorLabel(status), "device_failed") << status;
      if (round == 0) std::cout << "cuda: " << status << "\n";
    });
    // Others have been told of the fault by now.
    for (int run = 0; run < rounds.runs_behind; ++run) {
      const absl::Status status = RunOnce(**plan, callers[run % kCallers]);
      if (round == 0 && run == 0) {
        recovers = status.ok();
        std::cout << "cuda: " << (recovers ? "it starts anew" : "it has to be left to a new process: ")
                  << (recovers ? "" : status.ToString()) << "\n";
      }
      ASSERT_EQ(ErrorLabel(status), recovers ? "" : "device_failed") << "round " << round << ": " << status;
    }
  }
  std::cout << "cuda: " << failed << " runs of others failed in " << rounds.faults << " rounds\n";
}

TEST(Faults, OfAnEmulatedDeviceAreSurvived) {
  const auto device = std::make_shared<cuda::EmulatedDevice>();
  ExpectToSurvive(device, {.faults = 2, .runs_behind = 12}, [&](Device&) {
    absl::Status status;
    while (status.ok()) {  // another run may meet it
      const auto stream = *device->NewStream();
      device->FailAt(0);
      status = stream->Wait();
    }
    return status;
  });
}

TEST(GpuFaults, ALaunchThatIsRefusedFailsNobodyElse) {
  SKIP_WITHOUT_GPU();
  const auto module = CallersModule();
  const auto plan = *MakeCudaPlan(module, Gpu());
  const int generation = Gpu()->generation();
  const int failed = FailedAround(*plan, CallersOf(module), "", [&] {
    for (int i = 0; i < 100; ++i) {
      EXPECT_EQ(ErrorLabel(LaunchTooManyThreads(*Gpu())), "device_failed");
    }
  });
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(Gpu()->generation(), generation);
}

// Memory of the device in pieces that get smaller, until there is none left.
std::vector<std::unique_ptr<cuda::DeviceMemory>> Fill(Device& device) {
  constexpr int64_t kSmallest = 1 << 10;
  std::vector<std::unique_ptr<cuda::DeviceMemory>> pieces;
  for (int64_t size = device.info().memory_bytes; size >= kSmallest;) {
    auto piece = device.Allocate(size);
    if (piece.ok()) {
      pieces.push_back(*std::move(piece));
      continue;
    }
    EXPECT_EQ(ErrorLabel(piece.status()), "device_memory") << piece.status();
    size /= 2;
  }
  return pieces;
}

// Streams, until there is no memory for another.
std::vector<std::unique_ptr<cuda::Stream>> FillWithStreams(Device& device) {
  constexpr size_t kMost = 2000;
  std::vector<std::unique_ptr<cuda::Stream>> streams;
  while (streams.size() < kMost) {
    auto stream = device.NewStream();
    if (!stream.ok()) {
      EXPECT_EQ(ErrorLabel(stream.status()), "device_memory") << stream.status();
      break;
    }
    streams.push_back(*std::move(stream));
  }
  return streams;
}

// Callers share the stream contexts that there are.
void ExpectToServeWhileFull(const std::shared_ptr<Device>& device) {
  const auto module = CallersModule();
  const std::vector<Caller> callers = CallersOf(module);
  const auto plan = *MakeCudaPlan(module, device);
  const int generation = device->generation();
  {
    const auto pieces = Fill(*device);
    const auto streams = FillWithStreams(*device);
    AtOnce([&](int c) {
      for (int run = 0; run < kRunsOfOthers; ++run) ExpectRight(*plan, callers[c]);
    });
    const auto other = MakeCudaPlan(module, device);
    std::cout << device->info().name << ": full with " << pieces.size() << " pieces and " << streams.size()
              << " streams; another plan: " << (other.ok() ? "fits" : other.status().ToString()) << "\n";
    EXPECT_TRUE(other.ok() || ErrorLabel(other.status()) == "device_memory") << other.status();
  }
  AtOnce([&](int c) { ExpectRight(*plan, callers[c]); });
  EXPECT_TRUE(MakeCudaPlan(module, device).ok());
  EXPECT_EQ(device->generation(), generation);
}

TEST(Faults, AnEmulatedDeviceThatIsFullServes) {
  ExpectToServeWhileFull(std::make_shared<cuda::EmulatedDevice>(
      cuda::EmulatedDeviceOptions{.memory_bytes = 1 << 24, .allocatable_bytes = 1 << 20, .streams = 20}));
}

TEST(GpuFaults, AGpuThatIsFullServes) {
  SKIP_WITHOUT_GPU();
  ExpectToServeWhileFull(Gpu());
}

// A function of the driver that the engine does not need.
template <typename... Arguments>
cuda::CuResult AskDriver(const char* name, Arguments... arguments) {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<cuda::CuResult (*)(Arguments...)>(dlsym(library, name))(arguments...);
}

// The context that a framework in the same process has: the primary one of GPU 0.
class Neighbour {
 public:
  Neighbour() {
    EXPECT_EQ(AskDriver("cuDevicePrimaryCtxRetain", &context_, cuda::CuDevice{0}), 0);
    EXPECT_EQ(AskDriver("cuCtxSetCurrent", context_), 0);
    EXPECT_EQ(AskDriver("cuMemAlloc_v2", &memory_, sizeof bytes_), 0);
    EXPECT_EQ(AskDriver("cuMemsetD8_v2", memory_, static_cast<unsigned char>(kByte), sizeof bytes_), 0);
  }
  ~Neighbour() { AskDriver("cuCtxSetCurrent", cuda::CuContext{nullptr}); }

  bool IsCurrent() const {
    cuda::CuContext current = nullptr;
    return AskDriver("cuCtxGetCurrent", &current) == 0 && current == context_;
  }
  bool HasItsBytes() {
    std::memset(bytes_, 0, sizeof bytes_);
    return AskDriver("cuMemcpyDtoH_v2", static_cast<void*>(bytes_), memory_, sizeof bytes_) == 0 &&
           std::ranges::all_of(bytes_, [](uint8_t byte) { return byte == kByte; });
  }

 private:
  static constexpr uint8_t kByte = 0x5a;
  cuda::CuContext context_ = nullptr;
  cuda::CuPointer memory_ = 0;
  uint8_t bytes_[1 << 12];
};

TEST(GpuFaults, RunsLeaveTheContextOfTheCallerAlone) {
  SKIP_WITHOUT_GPU();
  const auto module = CallersModule();
  const std::vector<Caller> callers = CallersOf(module);
  Neighbour neighbour;
  {
    const auto plan = *MakeCudaPlan(module, Gpu());
    ExpectRight(*plan, callers[0]);
    EXPECT_TRUE(neighbour.IsCurrent());
  }
  EXPECT_TRUE(neighbour.IsCurrent());
  EXPECT_TRUE(neighbour.HasItsBytes());
}

// After the others: a process may not get a GPU back. Whether the memory of others in the process outlives a
// failure of ours is for the driver to say; their context stays theirs.
TEST(GpuFaults, KernelsThatFailAreSurvivedByOthers) {
  SKIP_WITHOUT_GPU();
  Neighbour neighbour;
  for (const auto fault : {CopyFromNowhere, CopyFromBetween}) {
    ExpectToSurvive(Gpu(), {.faults = 20, .runs_behind = 100}, [&](Device& device) {
      const absl::Status status = fault(device);
      EXPECT_TRUE(neighbour.IsCurrent());
      return status;
    });
  }
  std::cout << "cuda: memory of another context is " << (neighbour.HasItsBytes() ? "intact" : "lost") << "\n";
}

}  // namespace
}  // namespace tally
