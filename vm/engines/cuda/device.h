// A device as the cuda engine sees it: memory of its own, and streams of work in order.
//
//   ASSIGN_OR_RETURN(const auto memory, device.Allocate(1 << 20));
//   ASSIGN_OR_RETURN(const auto stream, device.NewStream());
//   RETURN_IF_ERROR(stream->CopyIn(memory->bytes(), input));
//   RETURN_IF_ERROR(stream->Launch(KernelId::kRelu, shape, {memory->bytes(), ..}, params));
//   RETURN_IF_ERROR(stream->Wait());
//
// Errors: device_memory, of Allocate; device_failed, of anything else. A device that failed starts anew when it is next
// asked for memory or a stream: what was made before is then of an older generation and gone.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "ops/cuda/launch.h"
#include "ops/cuda/thread.h"

namespace tally::cuda {

struct DeviceInfo {
  std::string name;
  int64_t memory_bytes = 0;  // all that it has
  Arch arch = Arch::kSm80;   // whose kernels it gets
};

class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;         // frees
  uint8_t* bytes() const { return bytes_; }  // on the device; at a multiple of 256

 protected:
  explicit DeviceMemory(uint8_t* bytes) : bytes_(bytes) {}

 private:
  uint8_t* bytes_;
};

// Each piece of work sees what those ahead of it wrote. What runs is only known to have worked when Wait says so.
class Stream {
 public:
  virtual ~Stream() = default;

  // The caller's bytes stay as they are until Wait.
  virtual absl::Status CopyIn(uint8_t* to, std::span<const uint8_t> from) = 0;
  virtual absl::Status CopyOut(std::span<uint8_t> to, const uint8_t* from) = 0;
  virtual absl::Status Launch(KernelId kernel, const LaunchShape& shape, const Memory& memory,
                              std::span<const uint8_t> params) = 0;
  virtual absl::Status Wait() = 0;
};

class Device {
 public:
  virtual ~Device() = default;

  virtual const DeviceInfo& info() const = 0;
  virtual absl::StatusOr<std::unique_ptr<DeviceMemory>> Allocate(int64_t size_bytes) = 0;
  virtual absl::StatusOr<std::unique_ptr<Stream>> NewStream() = 0;
  // How often the device was started.
  virtual int generation() const = 0;
};

}  // namespace tally::cuda
