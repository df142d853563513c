#include "vm/engines/cuda/driver_device.h"

#include <array>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/int_math.h"
#include "base/status_macros.h"

namespace tally::cuda {
namespace {

constexpr int kLeastArch = 80;  // cp.async, and mma of 32 bytes at once

// wgmma is of compute capability 9.0; what came later has other instructions in its place.
Arch ArchOf(int major, int minor) { return major == 9 && minor == 0 ? Arch::kSm90a : Arch::kSm80; }

uint8_t* ToBytes(CuPointer pointer) { return reinterpret_cast<uint8_t*>(static_cast<uintptr_t>(pointer)); }
CuPointer ToPointer(const uint8_t* bytes) { return reinterpret_cast<uintptr_t>(bytes); }

absl::Status Unavailable(absl::string_view why) {
  return MakeError("engine_unavailable", absl::StrCat("engine cuda: ", why));
}

std::string ErrorName(const DriverApi& api, CuResult result) {
  const char* name = nullptr;
  if (api.GetErrorName(result, &name) != kCuSuccess || name == nullptr) return absl::StrCat("error ", result);
  return name;
}

// Pages of the host.
struct FreePages {
  static constexpr std::align_val_t kPage{4096};
  void operator()(uint8_t* pages) const { ::operator delete(pages, kPage); }
};
using Pages = std::unique_ptr<uint8_t, FreePages>;

Pages NewPages(size_t size) { return Pages(static_cast<uint8_t*>(::operator new(size, FreePages::kPage))); }

std::string VersionText(int version) { return absl::StrCat(version / 1000, ".", version % 1000 / 10); }

class DriverDeviceImpl final : public Device, public std::enable_shared_from_this<DriverDeviceImpl> {
 public:
  DriverDeviceImpl(const DriverApi& api, const KernelImage& image) : api_(api), image_(image) {}

  absl::Status Open() {
    if (image_.bytes.empty()) {
      return Unavailable("this build has no code for GPUs; build with --config=cuda, which needs nvcc");
    }
    int version = 0, count = 0, major = 0, minor = 0;
    const CuResult started = api_.Init(0);
    if (api_.DriverGetVersion(&version) == kCuSuccess && version < image_.driver_version) {
      return Unavailable(absl::StrCat("the driver is too old: it is for CUDA ", VersionText(version),
                                      ", this build needs ", VersionText(image_.driver_version)));
    }
    if (started == kCuNoDevice) return Unavailable("this machine has no GPU that the driver knows");
    if (started != kCuSuccess) return Unavailable(absl::StrCat("cuInit says ", ErrorName(api_, started)));
    if (api_.DeviceGetCount(&count) != kCuSuccess || count == 0) {
      return Unavailable("this machine has no GPU that the driver knows");
    }
    char name[256] = {};
    size_t bytes = 0;
    for (const CuResult result :
         {api_.DeviceGet(&device_, 0), api_.DeviceGetName(name, sizeof name - 1, device_),
          api_.DeviceTotalMem(&bytes, device_),
          api_.DeviceGetAttribute(&major, kCuComputeCapabilityMajor, device_),
          api_.DeviceGetAttribute(&minor, kCuComputeCapabilityMinor, device_)}) {
      if (result != kCuSuccess) return Unavailable(absl::StrCat("GPU 0 says ", ErrorName(api_, result)));
    }
    info_ = {name, static_cast<int64_t>(bytes), ArchOf(major, minor)};
    if (major * 10 + minor < kLeastArch) {
      return Unavailable(absl::StrCat(name, " is of architecture sm_", major, minor, ", and sm_", kLeastArch,
                                      " or later is needed"));
    }
    RETURN_IF_ERROR(CapArch());
    const std::lock_guard lock(mutex_);
    const absl::Status ready = Start();
    if (!ready.ok()) return Unavailable(ready.message());
    return absl::OkStatus();
  }

  const DeviceInfo& info() const override { return info_; }

  int generation() const override {
    const std::lock_guard lock(mutex_);
    return generation_;
  }

  absl::StatusOr<std::unique_ptr<DeviceMemory>> Allocate(int64_t size_bytes) override;
  absl::StatusOr<std::unique_ptr<PinnedMemory>> AllocatePinned(int64_t size_bytes) override;
  absl::StatusOr<std::unique_ptr<Stream>> NewStream() override;

  const DriverApi& api() const { return api_; }

  // Makes the context that of the calling thread, unless the device has failed since `generation`.
  absl::Status Enter(int generation) {
    const std::lock_guard lock(mutex_);
    if (generation != generation_) return MakeError("device_failed", "the device has failed in another run");
    return Check(api_.CtxSetCurrent(context_), "cuCtxSetCurrent");
  }

  // Any error leaves the context in a state that nobody defines: the next user starts a new one.
  absl::Status Note(int generation, CuResult result, const char* what) {
    if (result == kCuSuccess) return absl::OkStatus();
    const std::lock_guard lock(mutex_);
    if (generation == generation_) {
      ++generation_;
      started_ = false;
    }
    return Check(result, what);
  }

  // Frees pages that a context has pinned: when none can write to them any more.
  void FreePinned(int generation, Pages pages) {
    const std::lock_guard lock(mutex_);
    if (generation != generation_) {
      if (!started_) failed_pages_.push_back(std::move(pages));
    } else if (api_.CtxSetCurrent(context_) == kCuSuccess) {
      api_.MemHostUnregister(pages.get());
    }
  }

  CuFunction function(KernelId kernel) const { return functions_[static_cast<int>(kernel)]; }

 private:
  // TALLY_CUDA_ARCH=sm_80 keeps to the kernels that every device has. Results are the same.
  absl::Status CapArch() {
    const char* cap = std::getenv("TALLY_CUDA_ARCH");
    if (cap == nullptr || *cap == '\0' || std::string_view(cap) == "sm_90a") return absl::OkStatus();
    if (std::string_view(cap) != "sm_80") {
      return Unavailable(absl::StrCat("TALLY_CUDA_ARCH is '", cap, "'; there are sm_80 and sm_90a"));
    }
    info_.arch = Arch::kSm80;
    return absl::OkStatus();
  }

  absl::Status Check(CuResult result, const char* what) const {
    if (result == kCuSuccess) return absl::OkStatus();
    return MakeError("device_failed",
                     absl::StrCat(info_.name, ": ", what, " says ", ErrorName(api_, result)));
  }

  // The generation of a device that is ready.
  absl::StatusOr<int> Started() {
    const std::lock_guard lock(mutex_);
    RETURN_IF_ERROR(Start());
    return generation_;
  }

  // With the mutex held: a context with the device code, if there is none.
  absl::Status Start() {
    if (started_) return Check(api_.CtxSetCurrent(context_), "cuCtxSetCurrent");
    if (context_ != nullptr) RETURN_IF_ERROR(Check(api_.PrimaryCtxReset(device_), "cuDevicePrimaryCtxReset"));
    failed_pages_.clear();
    RETURN_IF_ERROR(Check(api_.PrimaryCtxRetain(&context_, device_), "cuDevicePrimaryCtxRetain"));
    RETURN_IF_ERROR(Check(api_.CtxSetCurrent(context_), "cuCtxSetCurrent"));
    CuModule module = nullptr;
    RETURN_IF_ERROR(Check(api_.ModuleLoadData(&module, image_.bytes.data()), "cuModuleLoadData"));
    for (size_t k = 0; k < functions_.size(); ++k) {
      RETURN_IF_ERROR(
          Check(api_.ModuleGetFunction(&functions_[k], module, kKernelNames[k]), kKernelNames[k]));
      // Now, and not at its first launch: that may stand in a graph that is being recorded.
      RETURN_IF_ERROR(Check(api_.FuncLoad(functions_[k]), kKernelNames[k]));
    }
    started_ = true;
    return absl::OkStatus();
  }

  const DriverApi api_;
  const KernelImage image_;
  CuDevice device_ = 0;
  DeviceInfo info_;
  mutable std::mutex mutex_;
  CuContext context_ = nullptr;
  bool started_ = false;
  int generation_ = 1;
  std::vector<Pages> failed_pages_;  // pinned by a context that failed and has not been reset
  std::array<CuFunction, std::size(kKernelNames)> functions_ = {};
};

class DriverMemory final : public DeviceMemory {
 public:
  DriverMemory(std::shared_ptr<DriverDeviceImpl> device, int generation, CuPointer pointer)
      : DeviceMemory(ToBytes(pointer)), device_(std::move(device)), generation_(generation) {}
  // Memory of an older generation went with its context.
  ~DriverMemory() override {
    if (device_->Enter(generation_).ok()) device_->api().MemFree(ToPointer(bytes()));
  }

 private:
  std::shared_ptr<DriverDeviceImpl> device_;
  int generation_;
};

// Pages of our own that the driver has registered: they are still there when a context goes that another run failed.
class DriverPinnedMemory final : public PinnedMemory {
 public:
  DriverPinnedMemory(std::shared_ptr<DriverDeviceImpl> device, int generation, Pages pages)
      : PinnedMemory(pages.get()),
        device_(std::move(device)),
        generation_(generation),
        pages_(std::move(pages)) {}
  ~DriverPinnedMemory() override { device_->FreePinned(generation_, std::move(pages_)); }

 private:
  std::shared_ptr<DriverDeviceImpl> device_;
  int generation_;
  Pages pages_;
};

class DriverGraph final : public Graph {
 public:
  DriverGraph(std::shared_ptr<DriverDeviceImpl> device, int generation, CuGraphExec exec)
      : device_(std::move(device)), generation_(generation), exec_(exec) {}
  ~DriverGraph() override {
    if (device_->Enter(generation_).ok()) device_->api().GraphExecDestroy(exec_);
  }
  CuGraphExec exec() const { return exec_; }

 private:
  std::shared_ptr<DriverDeviceImpl> device_;
  int generation_;
  CuGraphExec exec_;
};

class DriverStream final : public Stream {
 public:
  DriverStream(std::shared_ptr<DriverDeviceImpl> device, int generation, CuStream stream)
      : device_(std::move(device)), generation_(generation), stream_(stream) {}
  ~DriverStream() override {
    if (device_->Enter(generation_).ok()) api().StreamDestroy(stream_);
  }

  absl::Status CopyIn(uint8_t* to, std::span<const uint8_t> from) override {
    RETURN_IF_ERROR(device_->Enter(generation_));
    return Note(api().MemcpyHtoDAsync(ToPointer(to), from.data(), from.size(), stream_),
                "a copy to the device");
  }
  absl::Status CopyOut(std::span<uint8_t> to, const uint8_t* from) override {
    RETURN_IF_ERROR(device_->Enter(generation_));
    return Note(api().MemcpyDtoHAsync(to.data(), ToPointer(from), to.size(), stream_),
                "a copy from the device");
  }
  absl::Status Launch(KernelId kernel, const LaunchShape& shape, const Memory& memory,
                      std::span<const uint8_t> params) override {
    RETURN_IF_ERROR(device_->Enter(generation_));
    const CuFunction function = device_->function(kernel);
    if (shape.shared_bytes > kSharedWithoutAsking) {
      RETURN_IF_ERROR(Note(api().FuncSetAttribute(function, kCuMaxDynamicSharedBytes, shape.shared_bytes),
                           NameOf(kernel)));
    }
    void* arguments[] = {const_cast<Memory*>(&memory), const_cast<uint8_t*>(params.data())};
    return Note(api().LaunchKernel(function, shape.grid.x, shape.grid.y, shape.grid.z, shape.block, 1, 1,
                                   shape.shared_bytes, stream_, arguments, nullptr),
                NameOf(kernel));
  }
  absl::Status Wait() override {
    RETURN_IF_ERROR(device_->Enter(generation_));
    return Note(api().StreamSynchronize(stream_), "the end of a run");
  }

  absl::Status BeginGraph() override {
    RETURN_IF_ERROR(device_->Enter(generation_));
    return Note(api().StreamBeginCapture(stream_, kCuCaptureRelaxed), "cuStreamBeginCapture");
  }
  absl::StatusOr<std::unique_ptr<Graph>> EndGraph() override {
    RETURN_IF_ERROR(device_->Enter(generation_));
    CuGraph recorded = nullptr;
    CuGraphExec exec = nullptr;
    RETURN_IF_ERROR(Note(api().StreamEndCapture(stream_, &recorded), "cuStreamEndCapture"));
    RETURN_IF_ERROR(Note(api().GraphInstantiate(&exec, recorded, 0), "cuGraphInstantiate"));
    RETURN_IF_ERROR(Note(api().GraphDestroy(recorded), "cuGraphDestroy"));
    return std::make_unique<DriverGraph>(device_, generation_, exec);
  }
  absl::Status Replay(const Graph& graph) override {
    RETURN_IF_ERROR(device_->Enter(generation_));
    return Note(api().GraphLaunch(static_cast<const DriverGraph&>(graph).exec(), stream_), "cuGraphLaunch");
  }

  void* handle() const override { return stream_; }

 private:
  static constexpr int kSharedWithoutAsking = 48 << 10;

  const DriverApi& api() const { return device_->api(); }
  absl::Status Note(CuResult result, const char* what) { return device_->Note(generation_, result, what); }

  std::shared_ptr<DriverDeviceImpl> device_;
  int generation_;
  CuStream stream_;
};

absl::StatusOr<std::unique_ptr<DeviceMemory>> DriverDeviceImpl::Allocate(int64_t size_bytes) {
  CuPointer pointer = 0;
  ASSIGN_OR_RETURN(const int generation, Started());
  const CuResult result = api_.MemAlloc(&pointer, static_cast<size_t>(size_bytes));
  if (result == kCuOutOfMemory) {
    return MakeError("device_memory", absl::StrCat(info_.name, " has no ", size_bytes, " bytes left"));
  }
  RETURN_IF_ERROR(Note(generation, result, "cuMemAlloc"));
  return std::make_unique<DriverMemory>(shared_from_this(), generation, pointer);
}

absl::StatusOr<std::unique_ptr<PinnedMemory>> DriverDeviceImpl::AllocatePinned(int64_t size_bytes) {
  ASSIGN_OR_RETURN(const int generation, Started());
  const auto size = static_cast<size_t>(RoundUp(size_bytes, static_cast<int64_t>(FreePages::kPage)));
  Pages pages = NewPages(size);
  const CuResult result = api_.MemHostRegister(pages.get(), size, kCuHostRegisterPortable);
  if (result == kCuOutOfMemory) {
    return MakeError("device_memory", absl::StrCat("this machine cannot pin ", size, " bytes"));
  }
  RETURN_IF_ERROR(Note(generation, result, "cuMemHostRegister"));
  return std::make_unique<DriverPinnedMemory>(shared_from_this(), generation, std::move(pages));
}

absl::StatusOr<std::unique_ptr<Stream>> DriverDeviceImpl::NewStream() {
  CuStream stream = nullptr;
  ASSIGN_OR_RETURN(const int generation, Started());
  RETURN_IF_ERROR(Note(generation, api_.StreamCreate(&stream, kCuStreamNonBlocking), "cuStreamCreate"));
  return std::make_unique<DriverStream>(shared_from_this(), generation, stream);
}

}  // namespace

absl::StatusOr<std::shared_ptr<Device>> OpenDriverDevice(const DriverApi& api, const KernelImage& image) {
  auto device = std::make_shared<DriverDeviceImpl>(api, image);
  RETURN_IF_ERROR(device->Open());
  return device;
}

const absl::StatusOr<std::shared_ptr<Device>>& DriverDevice() {
  static const absl::StatusOr<std::shared_ptr<Device>> device =
      []() -> absl::StatusOr<std::shared_ptr<Device>> {
    const KernelImage image = EmbeddedKernelImage();
    // A build without device code says so, whether there is a driver or not.
    if (image.bytes.empty()) return OpenDriverDevice({}, image);
    ASSIGN_OR_RETURN(const DriverApi api, LoadDriverApi("libcuda.so.1"));
    return OpenDriverDevice(api, image);
  }();
  return device;
}

}  // namespace tally::cuda
