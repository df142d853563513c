#include "vm/engines/cuda/emulated_device.h"

#include <cstring>
#include <new>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "ops/cuda/emulated_kernels.h"

namespace tally::cuda {
namespace {

constexpr std::align_val_t kAlignment{256};
constexpr uint8_t kFiller = 0xa5;  // what nothing wrote is not zero

}  // namespace

class EmulatedMemory final : public DeviceMemory {
 public:
  EmulatedMemory(EmulatedDevice& device, int64_t size_bytes)
      : DeviceMemory(static_cast<uint8_t*>(::operator new(size_bytes, kAlignment))),
        device_(device),
        size_bytes_(size_bytes) {
    std::memset(bytes(), kFiller, size_bytes);
    device_.allocated_bytes_ += size_bytes;
  }
  ~EmulatedMemory() override {
    device_.allocated_bytes_ -= size_bytes_;
    ::operator delete(bytes(), kAlignment);
  }

 private:
  EmulatedDevice& device_;
  int64_t size_bytes_;
};

class EmulatedStream final : public Stream {
 public:
  explicit EmulatedStream(EmulatedDevice& device) : device_(device), generation_(device.generation()) {}

  absl::Status CopyIn(uint8_t* to, std::span<const uint8_t> from) override {
    RETURN_IF_ERROR(device_.NoteOperation(generation_));
    std::memcpy(to, from.data(), from.size());
    return absl::OkStatus();
  }
  absl::Status CopyOut(std::span<uint8_t> to, const uint8_t* from) override {
    RETURN_IF_ERROR(device_.NoteOperation(generation_));
    std::memcpy(to.data(), from, to.size());
    return absl::OkStatus();
  }
  absl::Status Launch(KernelId kernel, const LaunchShape& shape, const Memory& memory,
                      std::span<const uint8_t> params) override {
    RETURN_IF_ERROR(device_.NoteOperation(generation_));
    const absl::Status status =
        Emulate(EmulatedKernelOf(kernel), memory, params.data(), shape, device_.options_.order);
    if (status.ok()) return status;
    return absl::InternalError(absl::StrCat(NameOf(kernel), ": ", status.message()));
  }
  absl::Status Wait() override { return device_.NoteOperation(generation_); }

 private:
  EmulatedDevice& device_;
  int generation_;
};

EmulatedDevice::EmulatedDevice(const EmulatedDeviceOptions& options)
    : options_(options), info_{"an emulated device", options.memory_bytes, options.arch} {}

absl::Status EmulatedDevice::NoteOperation(int generation) {
  if (generation != generation_) return MakeError("device_failed", "the stream is of an older generation");
  ++operations_;
  if (operations_until_failure_-- != 0) return absl::OkStatus();
  ++generation_;
  return MakeError("device_failed", "an injected fault");
}

absl::StatusOr<std::unique_ptr<DeviceMemory>> EmulatedDevice::Allocate(int64_t size_bytes) {
  if (size_bytes > options_.allocatable_bytes - allocated_bytes_) {
    return MakeError("device_memory", absl::StrCat(info_.name, " has no ", size_bytes, " bytes left"));
  }
  return std::make_unique<EmulatedMemory>(*this, size_bytes);
}

absl::StatusOr<std::unique_ptr<Stream>> EmulatedDevice::NewStream() {
  return std::make_unique<EmulatedStream>(*this);
}

}  // namespace tally::cuda
