// A GPU's driver by a table of functions that answer as told: what a machine without one, with an old one or with
// another GPU says, and what a fault in a run leaves.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "base/error.h"
#include "vm/engines/cuda/driver_device.h"

namespace tally::cuda {
namespace {

constexpr CuResult kLaunchFailed = 719;

// What the driver says, and what it was asked.
struct Driver {
  int version = 13000, devices = 1, major = 9, minor = 0;
  CuResult init = kCuSuccess, load = kCuSuccess, alloc = kCuSuccess, synchronize = kCuSuccess,
           pin = kCuSuccess, instantiate = kCuSuccess;
  std::map<std::string, int> calls;
  std::string last_kernel;
  unsigned last_grid_x = 0;
};
Driver driver;

CuResult Called(const char* name, CuResult result = kCuSuccess) {
  ++driver.calls[name];
  return result;
}

template <typename T>
CuResult Give(const char* name, T* to, T value) {
  *to = value;
  return Called(name);
}

DriverApi FakeApi() {
  DriverApi api;
  api.Init = [](unsigned) { return Called("Init", driver.init); };
  api.DriverGetVersion = [](int* version) { return Give("DriverGetVersion", version, driver.version); };
  api.DeviceGetCount = [](int* count) { return Give("DeviceGetCount", count, driver.devices); };
  api.DeviceGet = [](CuDevice* device, int) { return Give("DeviceGet", device, 0); };
  api.DeviceGetName = [](char* name, int length, CuDevice) {
    std::strncpy(name, "a GPU of this test", static_cast<size_t>(length));
    return Called("DeviceGetName");
  };
  api.DeviceGetAttribute = [](int* value, int attribute, CuDevice) {
    return Give("DeviceGetAttribute", value,
                attribute == kCuComputeCapabilityMajor ? driver.major : driver.minor);
  };
  api.DeviceTotalMem = [](size_t* bytes, CuDevice) { return Give<size_t>("DeviceTotalMem", bytes, 1 << 30); };
  api.PrimaryCtxRetain = [](CuContext* context, CuDevice) {
    return Give<CuContext>("PrimaryCtxRetain", context, &driver);
  };
  api.PrimaryCtxReset = [](CuDevice) { return Called("PrimaryCtxReset"); };
  api.CtxSetCurrent = [](CuContext) { return Called("CtxSetCurrent"); };
  api.ModuleLoadData = [](CuModule* module, const void*) {
    *module = &driver;
    return Called("ModuleLoadData", driver.load);
  };
  api.ModuleGetFunction = [](CuFunction* function, CuModule, const char* name) {
    return Give<CuFunction>("ModuleGetFunction", function, const_cast<char*>(name));
  };
  api.FuncLoad = [](CuFunction) { return Called("FuncLoad"); };
  api.FuncSetAttribute = [](CuFunction, int, int) { return Called("FuncSetAttribute"); };
  api.MemAlloc = [](CuPointer* pointer, size_t) {
    *pointer = 4096;
    return Called("MemAlloc", driver.alloc);
  };
  api.MemFree = [](CuPointer) { return Called("MemFree"); };
  api.MemHostRegister = [](void*, size_t, unsigned) { return Called("MemHostRegister", driver.pin); };
  api.MemHostUnregister = [](void*) { return Called("MemHostUnregister"); };
  api.StreamCreate = [](CuStream* stream, unsigned) {
    return Give<CuStream>("StreamCreate", stream, &driver);
  };
  api.StreamDestroy = [](CuStream) { return Called("StreamDestroy"); };
  api.StreamSynchronize = [](CuStream) { return Called("StreamSynchronize", driver.synchronize); };
  api.MemcpyHtoDAsync = [](CuPointer, const void*, size_t, CuStream) { return Called("MemcpyHtoDAsync"); };
  api.MemcpyDtoHAsync = [](void*, CuPointer, size_t, CuStream) { return Called("MemcpyDtoHAsync"); };
  api.LaunchKernel = [](CuFunction function, unsigned grid_x, unsigned, unsigned, unsigned, unsigned,
                        unsigned, unsigned, CuStream, void**, void**) {
    driver.last_kernel = static_cast<const char*>(function);
    driver.last_grid_x = grid_x;
    return Called("LaunchKernel");
  };
  api.StreamBeginCapture = [](CuStream, int) { return Called("StreamBeginCapture"); };
  api.StreamEndCapture = [](CuStream, CuGraph* graph) {
    return Give<CuGraph>("StreamEndCapture", graph, &driver);
  };
  api.GraphInstantiate = [](CuGraphExec* exec, CuGraph graph, unsigned long long) {
    *exec = graph;
    return Called("GraphInstantiate", driver.instantiate);
  };
  api.GraphLaunch = [](CuGraphExec, CuStream) { return Called("GraphLaunch"); };
  api.GraphExecDestroy = [](CuGraphExec) { return Called("GraphExecDestroy"); };
  api.GraphDestroy = [](CuGraph) { return Called("GraphDestroy"); };
  api.GetErrorName = [](CuResult, const char** name) {
    *name = "CUDA_ERROR_OF_THIS_TEST";
    return kCuSuccess;
  };
  return api;
}

constexpr uint8_t kImageBytes[] = {1};
constexpr KernelImage kImage = {kImageBytes, 13000};

class DriverDeviceTest : public testing::Test {
 protected:
  DriverDeviceTest() { driver = {}; }

  void ExpectRefusal(std::string_view why, const KernelImage& image = kImage) {
    const auto device = OpenDriverDevice(FakeApi(), image);
    EXPECT_EQ(ErrorLabel(device.status()), "engine_unavailable");
    EXPECT_NE(device.status().ToString().find(why), std::string::npos) << device.status();
  }
};

TEST_F(DriverDeviceTest, ABuildWithoutDeviceCodeSaysHowToGetIt) {
  ExpectRefusal("build with --config=cuda", {});
  EXPECT_TRUE(driver.calls.empty());
}

TEST_F(DriverDeviceTest, NoGpu) {
  driver.init = kCuNoDevice;
  ExpectRefusal("no GPU");
  driver.init = kCuSuccess;
  driver.devices = 0;
  ExpectRefusal("no GPU");
}

TEST_F(DriverDeviceTest, ADriverThatIsTooOld) {
  driver.version = 12040;
  ExpectRefusal("it is for CUDA 12.4, this build needs 13.0");
}

TEST_F(DriverDeviceTest, AnArchitectureWithoutTheInstructions) {
  driver.major = 7;
  driver.minor = 5;
  ExpectRefusal("sm_75, and sm_80 or later is needed");
}

TEST_F(DriverDeviceTest, OnlyAnArchitectureWithWarpgroupsGetsTheirKernels) {
  const auto arch_of = [](int major, int minor) {
    driver.major = major;
    driver.minor = minor;
    return (*OpenDriverDevice(FakeApi(), kImage))->info().arch;
  };
  EXPECT_EQ(arch_of(8, 0), Arch::kSm80);
  EXPECT_EQ(arch_of(9, 0), Arch::kSm90a);
  EXPECT_EQ(arch_of(10, 0), Arch::kSm80);
}

TEST_F(DriverDeviceTest, TheEnvironmentCapsTheArchitecture) {
  setenv("TALLY_CUDA_ARCH", "sm_80", 1);
  EXPECT_EQ((*OpenDriverDevice(FakeApi(), kImage))->info().arch, Arch::kSm80);
  setenv("TALLY_CUDA_ARCH", "sm_9", 1);
  ExpectRefusal("TALLY_CUDA_ARCH is 'sm_9'; there are sm_80 and sm_90a");
  unsetenv("TALLY_CUDA_ARCH");
}

TEST_F(DriverDeviceTest, ADriverThatCannotLoadTheDeviceCode) {
  driver.load = 209;
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
  const auto device = OpenDriverDevice(FakeApi(), kImage);
  ASSERT_TRUE(device.ok()) << device.status();
  EXPECT_EQ((*device)->info().name, "a GPU of this test");
  {
    const auto memory = *(*device)->Allocate(100);
    const auto stream = *(*device)->NewStream();
    uint8_t bytes[4] = {};
    EXPECT_TRUE(stream->CopyIn(memory->bytes(), bytes).ok());
    EXPECT_TRUE(stream->Launch(KernelId::kClip, {{7}, 256}, {}, bytes).ok());
    EXPECT_EQ(driver.calls["FuncSetAttribute"], 0);
    EXPECT_TRUE(stream->Launch(KernelId::kClip, {{7}, 256, 100 << 10}, {}, bytes).ok());
    EXPECT_EQ(driver.calls["FuncSetAttribute"], 1);
    EXPECT_TRUE(stream->CopyOut(bytes, memory->bytes()).ok());
    EXPECT_TRUE(stream->Wait().ok());
  }
  EXPECT_EQ(driver.last_kernel, "tally_Clip");
  EXPECT_EQ(driver.last_grid_x, 7u);
  EXPECT_EQ(driver.calls["MemFree"], 1);
  EXPECT_EQ(driver.calls["StreamDestroy"], 1);
}

TEST_F(DriverDeviceTest, RecordsWorkOnceAndReplaysIt) {
  const auto device = *OpenDriverDevice(FakeApi(), kImage);
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

TEST_F(DriverDeviceTest, AGraphThatTheDriverRefusesIsAFailure) {
  const auto device = *OpenDriverDevice(FakeApi(), kImage);
  const auto stream = *device->NewStream();
  EXPECT_TRUE(stream->BeginGraph().ok());
  driver.instantiate = kLaunchFailed;
  EXPECT_EQ(ErrorLabel(stream->EndGraph().status()), "device_failed");
  EXPECT_EQ(device->generation(), 2);
}

TEST_F(DriverDeviceTest, ADeviceThatIsFullHasNotFailed) {
  const auto device = *OpenDriverDevice(FakeApi(), kImage);
  driver.alloc = driver.pin = kCuOutOfMemory;
  EXPECT_EQ(ErrorLabel(device->Allocate(100).status()), "device_memory");
  EXPECT_EQ(ErrorLabel(device->AllocatePinned(100).status()), "device_memory");
  EXPECT_EQ(device->generation(), 1);
}

TEST_F(DriverDeviceTest, AFailedDeviceStartsAnewAndForgetsWhatItHad) {
  const auto device = *OpenDriverDevice(FakeApi(), kImage);
  auto memory = *device->Allocate(100);
  auto stream = *device->NewStream();
  auto pinned = *device->AllocatePinned(100);
  driver.synchronize = kLaunchFailed;
  EXPECT_EQ(ErrorLabel(stream->Wait()), "device_failed");
  driver.synchronize = kCuSuccess;
  EXPECT_EQ(device->generation(), 2);
  EXPECT_EQ(ErrorLabel(stream->Wait()), "device_failed");  // of an older generation
  memory.reset();
  stream.reset();
  pinned.reset();
  EXPECT_EQ(driver.calls["MemFree"] + driver.calls["StreamDestroy"] + driver.calls["MemHostUnregister"], 0);

  stream = *device->NewStream();
  EXPECT_EQ(driver.calls["PrimaryCtxReset"], 1);
  EXPECT_EQ(driver.calls["ModuleLoadData"], 2);
  EXPECT_TRUE(stream->Wait().ok());
}

}  // namespace
}  // namespace tally::cuda
