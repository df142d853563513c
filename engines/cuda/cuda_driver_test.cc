// A GPU's driver by a table of functions that answer as told: what a machine without one, with an old one or
// with another GPU says, and what a fault in a run leaves.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "base/error.h"
#include "engines/cuda/driver_device.h"
#include "engines/testing/fake_driver.h"

namespace tally::cuda {
namespace {

constexpr CuResult kInvalidValue = 1, kInvalidImage = 200, kInvalidContext = 201, kLaunchFailed = 719,
                   kNotSupported = 801;

constexpr uint8_t kImageBytes[] = {1};
constexpr KernelImage kImage = {kImageBytes, 13000};

class DriverDeviceTest : public testing::Test {
 protected:
  DriverDeviceTest() : driver(StartFakeDriver()) { FakeContextsOfThread() = {&others_context_}; }

  // Whatever a test does: nothing is left, nothing is asked that a driver may crash at, and the context that
  // the caller has is still its own.
  ~DriverDeviceTest() override {
    EXPECT_EQ(driver.Living(), std::vector<std::string>());
    EXPECT_EQ(driver.faults, std::vector<std::string>());
    EXPECT_EQ(FakeContextsOfThread(), std::vector<CuContext>{&others_context_});
  }

  std::shared_ptr<Device> Open() { return *OpenDriverDevice(FakeApi(), kImage); }

  void ExpectRefusal(std::string_view why, const KernelImage& image = kImage) {
    const auto device = OpenDriverDevice(FakeApi(), image);
    EXPECT_EQ(ErrorLabel(device.status()), "engine_unavailable");
    EXPECT_NE(device.status().ToString().find(why), std::string::npos) << device.status();
  }

  FakeDriver& driver;

 private:
  int others_context_ = 0;
};

TEST_F(DriverDeviceTest, ABuildWithoutDeviceCodeSaysHowToGetIt) {
  ExpectRefusal("build with --config=cuda", {});
  EXPECT_TRUE(driver.calls.empty());
}

TEST_F(DriverDeviceTest, NoGpu) {
  driver.says["Init"] = kCuNoDevice;
  ExpectRefusal("no GPU");
  driver.says["Init"] = kCuSuccess;
  driver.devices = 0;
  ExpectRefusal("no GPU");
}

TEST_F(DriverDeviceTest, ADriverThatIsTooOld) {
  driver.version = 12040;
  ExpectRefusal("it is for CUDA 12.4, this build needs 13.0");
}

TEST_F(DriverDeviceTest, ADriverOfAnEarlierMinorVersionIsAsked) {
  const KernelImage later = {kImageBytes, 13010};
  EXPECT_TRUE(OpenDriverDevice(FakeApi(), later).ok());
  driver.says["ModuleLoadData"] = kInvalidImage;
  ExpectRefusal("cuModuleLoadData says", later);
}

TEST_F(DriverDeviceTest, TheEnvironmentChoosesAmongGpus) {
  driver.devices = 3;
  EXPECT_TRUE(Open());
  EXPECT_EQ(driver.device, 0);
  setenv("TALLY_CUDA_DEVICE", "2", 1);
  EXPECT_TRUE(Open());
  EXPECT_EQ(driver.device, 2);
  for (const char* none : {"3", "-1", "x", "1x"}) {
    setenv("TALLY_CUDA_DEVICE", none, 1);
    ExpectRefusal(std::string("TALLY_CUDA_DEVICE is '") + none + "'; there are GPUs 0 to 2");
  }
  unsetenv("TALLY_CUDA_DEVICE");
}

TEST_F(DriverDeviceTest, AnArchitectureWithoutTheInstructions) {
  driver.major = 7;
  driver.minor = 5;
  ExpectRefusal("sm_75, and sm_80 or later is needed");
}

TEST_F(DriverDeviceTest, OnlyAnArchitectureWithWarpgroupsGetsTheirKernels) {
  const auto arch_of = [&](int major, int minor) {
    driver.major = major;
    driver.minor = minor;
    return Open()->info().arch;
  };
  EXPECT_EQ(arch_of(8, 0), Arch::kSm80);
  EXPECT_EQ(arch_of(9, 0), Arch::kSm90a);
  EXPECT_EQ(arch_of(10, 0), Arch::kSm80);
}

TEST_F(DriverDeviceTest, TheEnvironmentCapsTheArchitecture) {
  setenv("TALLY_CUDA_ARCH", "sm_80", 1);
  EXPECT_EQ(Open()->info().arch, Arch::kSm80);
  setenv("TALLY_CUDA_ARCH", "sm_9", 1);
  ExpectRefusal("TALLY_CUDA_ARCH is 'sm_9'; there are sm_80 and sm_90a");
  unsetenv("TALLY_CUDA_ARCH");
}

TEST_F(DriverDeviceTest, ADriverThatCannotLoadTheDeviceCode) {
  driver.says["ModuleLoadData"] = 209;
  ExpectRefusal("cuModuleLoadData says CUDA_ERROR_OF_THIS_TEST");
}

struct UnfitLibrary {
  const char *name, *file, *why;
};
class DriverLibraryTest : public testing::TestWithParam<UnfitLibrary> {};

TEST_P(DriverLibraryTest, IsRefused) {
  const absl::Status status = LoadDriverApi(GetParam().file).status();
  EXPECT_EQ(ErrorLabel(status), "engine_unavailable") << status;
  EXPECT_NE(status.ToString().find(GetParam().why), std::string::npos) << status;
}

INSTANTIATE_TEST_SUITE_P(Unfit, DriverLibraryTest,
                         testing::Values(UnfitLibrary{"Missing", "libcuda_that_is_not_there.so.1",
                                                      "no driver"},
                                         UnfitLibrary{"LacksAFunction", "libc.so.6", "lacks cuInit"}),
                         [](const auto& info) { return info.param.name; });

TEST_F(DriverDeviceTest, AsksTheDriverForWhatTheEngineAsks) {
  const auto device = Open();
  EXPECT_EQ(device->info().name, "a GPU of this test");
  {
    const auto memory = *device->Allocate(100);
    const auto stream = *device->NewStream();
    uint8_t bytes[4] = {};
    EXPECT_TRUE(stream->CopyIn(memory->bytes(), bytes).ok());
    EXPECT_TRUE(stream->Launch(KernelId::kClip, {{7}, 256}, {}, bytes).ok());
    EXPECT_TRUE(stream->CopyOut(bytes, memory->bytes()).ok());
    EXPECT_TRUE(stream->Wait().ok());
  }
  EXPECT_EQ(driver.last_kernel, "tally_Clip");
  EXPECT_EQ(driver.last_grid_x, 7u);
  EXPECT_EQ(driver.calls["MemFree"], 1);
  EXPECT_EQ(driver.calls["StreamDestroy"], 1);
}

// Once, and not at each launch: that may stand in a graph that is being recorded.
// What it works on is freed next.
TEST_F(DriverDeviceTest, AStreamThatARunLeftWaitsForItsWork) {
  const auto device = Open();
  {
    const auto stream = *device->NewStream();
    EXPECT_TRUE(stream->Launch(KernelId::kClip, {{7}, 256}, {}, {}).ok());
  }
  EXPECT_EQ(driver.calls["StreamSynchronize"], 1);
  EXPECT_EQ(driver.calls["StreamDestroy"], 1);
}

TEST_F(DriverDeviceTest, EveryKernelMayHaveAllSharedMemoryOfABlock) {
  const auto device = Open();
  for (const char* kernel : kKernelNames) {
    EXPECT_EQ(driver.dynamic_shared_bytes[kernel], kFakeSharedBytes - kFakeStaticBytes) << kernel;
  }
  const int asked = driver.calls["FuncSetAttribute"];
  const auto stream = *device->NewStream();
  for (const int shared_bytes : {0, 48 << 10, 200 << 10}) {
    EXPECT_TRUE(stream->Launch(KernelId::kClip, {{7}, 256, shared_bytes}, {}, {}).ok());
  }
  EXPECT_EQ(driver.calls["FuncSetAttribute"], asked);
}

TEST_F(DriverDeviceTest, RecordsWorkOnceAndReplaysIt) {
  const auto device = Open();
  EXPECT_EQ(driver.calls["FuncLoad"], driver.calls["ModuleGetFunction"]);  // none is loaded inside a graph
  {
    const auto pinned = *device->AllocatePinned(100);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(pinned->bytes()) % 256, 0u);
    const auto memory = *device->Allocate(100);
    const auto stream = *device->NewStream();
    EXPECT_TRUE(stream->BeginGraph().ok());
    EXPECT_TRUE(stream->CopyIn(memory->bytes(), {pinned->bytes(), 100}).ok());
    const auto graph = stream->EndGraph();
    ASSERT_TRUE(graph.ok()) << graph.status();
    for (int run = 0; run < 3; ++run) EXPECT_TRUE(stream->Replay(**graph).ok());
  }
  EXPECT_EQ(driver.calls["StreamBeginCapture"], 1);
  EXPECT_EQ(driver.calls["MemcpyHtoDAsync"], 1);
  EXPECT_EQ(driver.calls["GraphInstantiate"], 1);
  EXPECT_EQ(driver.calls["GraphLaunch"], 3);
  EXPECT_EQ(driver.calls["GraphDestroy"], 1);
  EXPECT_EQ(driver.calls["GraphExecDestroy"], 1);
  EXPECT_EQ(driver.calls["MemHostUnregister"], 1);
}

// The calls of a run to a device, seen at the functions of the driver.
absl::Status UseEverything(Device& device) {
  const auto memory = device.Allocate(100);
  if (!memory.ok()) return memory.status();
  const auto pinned = device.AllocatePinned(100);
  if (!pinned.ok()) return pinned.status();
  const auto stream = device.NewStream();
  if (!stream.ok()) return stream.status();
  const auto graph = [&]() -> absl::StatusOr<std::unique_ptr<Graph>> {
    if (absl::Status begun = (*stream)->BeginGraph(); !begun.ok()) return begun;
    for (const absl::Status& status : {(*stream)->CopyIn((*memory)->bytes(), {(*pinned)->bytes(), 100}),
                                       (*stream)->Launch(KernelId::kClip, {{7}, 256}, {}, {}),
                                       (*stream)->CopyOut({(*pinned)->bytes(), 100}, (*memory)->bytes())}) {
      if (!status.ok()) return status;
    }
    return (*stream)->EndGraph();
  }();
  if (!graph.ok()) return graph.status();
  if (absl::Status replayed = (*stream)->Replay(**graph); !replayed.ok()) return replayed;
  return (*stream)->Wait();
}

constexpr const char* kFunctionsOfARun[] = {"MemAlloc",         "StreamCreate",     "StreamBeginCapture",
                                            "MemcpyHtoDAsync",  "LaunchKernel",     "MemcpyDtoHAsync",
                                            "StreamEndCapture", "GraphInstantiate", "GraphUpload",
                                            "GraphLaunch",      "StreamSynchronize"};

// A call that is refused, for lack of memory or for what it asks, leaves the context and all that others have
// in it.
TEST_F(DriverDeviceTest, ARefusedCallLeavesOthersAlone) {
  const auto device = Open();
  const auto others = *device->NewStream();
  for (const auto& [says, label] :
       {std::pair(kCuOutOfMemory, "device_memory"), std::pair(kInvalidValue, "device_failed")}) {
    for (const char* function : kFunctionsOfARun) {
      driver.says = {{function, says}};
      EXPECT_EQ(ErrorLabel(UseEverything(*device)), label) << function;
      driver.says = {};
      EXPECT_TRUE(others->Wait().ok()) << function;
      EXPECT_EQ(driver.Living(), std::vector<std::string>{"stream"}) << function;
    }
  }
  EXPECT_EQ(device->generation(), 1);
  EXPECT_EQ(driver.calls["CtxDestroy"], 0);
}

// And what cannot be told from a refusal by its code shows in the call that follows.
TEST_F(DriverDeviceTest, AContextThatAnswersNothingMoreHasFailed) {
  const auto device = Open();
  const auto stream = *device->NewStream();
  driver.says = {{"StreamSynchronize", kInvalidValue}, {"StreamQuery", kLaunchFailed}};
  EXPECT_EQ(ErrorLabel(stream->Wait()), "device_failed");
  EXPECT_EQ(device->generation(), 2);
}

TEST_F(DriverDeviceTest, AContextThatCannotBeEnteredHasFailed) {
  const auto device = Open();
  driver.says = {{"CtxPushCurrent", kInvalidContext}};
  EXPECT_EQ(ErrorLabel(UseEverything(*device)), "device_failed");
  EXPECT_EQ(device->generation(), 2);
  driver.says = {};
  EXPECT_TRUE(UseEverything(*device).ok());
}

// Whatever call it is that reports of a kernel's failure.
TEST_F(DriverDeviceTest, AFailedKernelEndsTheContext) {
  const auto device = Open();
  int generation = 1;
  for (const char* function : kFunctionsOfARun) {
    driver.during = [&](const std::string& name) {
      if (name == function) driver.sticky = kLaunchFailed;
    };
    EXPECT_EQ(ErrorLabel(UseEverything(*device)), "device_failed") << function;
    driver.during = nullptr;
    EXPECT_EQ(device->generation(), ++generation) << function;
    EXPECT_TRUE(UseEverything(*device).ok()) << function;
  }
}

TEST_F(DriverDeviceTest, AFailedDeviceStartsAnewAndForgetsWhatItHad) {
  const auto device = Open();
  auto memory = *device->Allocate(100);
  auto stream = *device->NewStream();
  auto pinned = *device->AllocatePinned(100);
  driver.sticky = kLaunchFailed;
  EXPECT_EQ(ErrorLabel(stream->Wait()), "device_failed");
  EXPECT_EQ(device->generation(), 2);
  EXPECT_EQ(ErrorLabel(stream->Wait()), "device_failed");  // from an older generation
  std::memset(pinned->bytes(), 1, 100);                    // another run may still read it
  memory.reset();
  stream.reset();
  EXPECT_EQ(driver.calls["MemFree"] + driver.calls["StreamDestroy"] + driver.calls["MemHostUnregister"], 0);

  stream = *device->NewStream();  // although the driver repeats the error when the context is destroyed
  EXPECT_EQ(driver.calls["CtxDestroy"], 1);
  EXPECT_EQ(driver.calls["ModuleLoadData"], 2);
  EXPECT_TRUE(stream->Wait().ok());
  std::memset(pinned->bytes(), 2, 100);
}

TEST_F(DriverDeviceTest, ADeviceThatDoesNotStartAnewSaysSoToEveryRun) {
  const auto device = Open();
  driver.sticky = kLaunchFailed;
  EXPECT_EQ(ErrorLabel(UseEverything(*device)), "device_failed");
  for (const char* function : {"CtxCreate", "ModuleLoadData", "FuncSetAttribute"}) {
    driver.says = {{function, kLaunchFailed}};
    for (int run = 0; run < 3; ++run) EXPECT_EQ(ErrorLabel(UseEverything(*device)), "device_failed");
    EXPECT_EQ(device->generation(), 2);
  }
  driver.says = {};
  EXPECT_TRUE(UseEverything(*device).ok());
  EXPECT_EQ(device->generation(), 2);
  EXPECT_EQ(driver.calls["CtxDestroy"] + 1, driver.calls["CtxCreate"] - 3);
}

// A thread that finds the context failed while others are still inside of calls waits for them before it
// destroys it.
TEST_F(DriverDeviceTest, IsNotStartedAnewUnderACallOfAnotherThread) {
  const auto device = Open();
  const auto waiting = *device->NewStream(), failing = *device->NewStream();
  std::atomic<bool> inside = false, starting = false;
  driver.during = [&](const std::string& name) {
    if (name != "StreamSynchronize" || inside.exchange(true)) return;
    while (!starting) std::this_thread::yield();
    for (int i = 0; i < 10000; ++i) std::this_thread::yield();
  };
  std::thread waits([&] { EXPECT_EQ(ErrorLabel(waiting->Wait()), "device_failed"); });
  while (!inside) std::this_thread::yield();
  driver.sticky = kLaunchFailed;
  EXPECT_EQ(ErrorLabel(failing->Wait()), "device_failed");
  starting = true;
  EXPECT_TRUE(UseEverything(*device).ok());
  waits.join();
  driver.during = nullptr;
}

TEST_F(DriverDeviceTest, APlatformThatRegistersNoPagesCopiesFromThemAllTheSame) {
  const auto device = Open();
  driver.says["MemHostRegister"] = kNotSupported;
  EXPECT_TRUE(UseEverything(*device).ok());
  EXPECT_EQ(driver.calls["MemHostUnregister"], 0);
  EXPECT_EQ(device->generation(), 1);
  driver.says["MemHostRegister"] = kCuOutOfMemory;
  EXPECT_EQ(ErrorLabel(UseEverything(*device)), "device_memory");
  driver.says = {};
  driver.sticky = kLaunchFailed;
  EXPECT_EQ(ErrorLabel(device->AllocatePinned(100).status()), "device_failed");
}

}  // namespace
}  // namespace tally::cuda
