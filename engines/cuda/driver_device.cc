#include "engines/cuda/driver_device.h"

#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "engines/cuda/driver_context.h"
#include "engines/cuda/driver_gpu.h"
#include "engines/cuda/driver_memory.h"
#include "engines/cuda/driver_stream.h"
#include "vm/labels.h"

namespace tally::cuda {
namespace {

class DriverDeviceImpl final : public Device {
 public:
  DriverDeviceImpl(const DriverApi& api, const KernelImage& image, Gpu gpu,
                   std::shared_ptr<DriverContext> context)
      : api_(api), image_(image), gpu_(std::move(gpu)), context_(std::move(context)) {}

  const DeviceInfo& info() const override { return gpu_.info; }

  absl::StatusOr<std::unique_ptr<DeviceMemory>> Allocate(int64_t size_bytes) override {
    ASSIGN_OR_RETURN(auto context, LivingContext());
    return NewDriverMemory(std::move(context), size_bytes);
  }
  absl::StatusOr<std::unique_ptr<PinnedMemory>> AllocatePinned(int64_t size_bytes) override {
    ASSIGN_OR_RETURN(auto context, LivingContext());
    return NewDriverPinnedMemory(std::move(context), size_bytes);
  }
  absl::StatusOr<std::unique_ptr<Stream>> NewStream() override {
    ASSIGN_OR_RETURN(auto context, LivingContext());
    return NewDriverStream(std::move(context));
  }

  // A context that failed is of the past, also while there is none in its place.
  int generation() const override {
    const std::lock_guard lock(mutex_);
    return context_->generation() + (context_->failed() ? 1 : 0);
  }

 private:
  absl::StatusOr<std::shared_ptr<DriverContext>> LivingContext() {
    const std::lock_guard lock(mutex_);
    if (context_->failed()) {
      context_->Destroy();
      ASSIGN_OR_RETURN(context_, DriverContext::Create(api_, gpu_, image_.bytes, context_->generation() + 1));
    }
    return context_;
  }

  const DriverApi api_;
  const KernelImage image_;
  const Gpu gpu_;
  mutable std::mutex mutex_;
  std::shared_ptr<DriverContext> context_;  // the latest
};

}  // namespace

absl::StatusOr<std::shared_ptr<Device>> OpenDriverDevice(const DriverApi& api, const KernelImage& image) {
  ASSIGN_OR_RETURN(Gpu gpu, FindGpu(api, image));
  auto context = DriverContext::Create(api, gpu, image.bytes, 1);
  if (!context.ok()) {
    return MakeError(label::engine_unavailable, absl::StrCat("engine cuda: ", context.status().message()));
  }
  return std::make_shared<DriverDeviceImpl>(api, image, std::move(gpu), *std::move(context));
}

const absl::StatusOr<std::shared_ptr<Device>>& DriverDevice() {
  static const absl::StatusOr<std::shared_ptr<Device>> device =
      []() -> absl::StatusOr<std::shared_ptr<Device>> {
    const KernelImage image = EmbeddedKernelImage();
    // A build without device code says so, whether there is a driver or not.
    if (image.bytes.empty()) return OpenDriverDevice({}, image);
    ASSIGN_OR_RETURN(const DriverApi api, LoadDriverApi(kDriverLibrary));
    return OpenDriverDevice(api, image);
  }();
  return device;
}

}  // namespace tally::cuda
