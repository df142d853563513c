// A device as the cuda engine sees it: memory of its own, and streams of work in order.
//
//   ASSIGN_OR_RETURN(const auto memory, device.Allocate(1 << 20));
//   ASSIGN_OR_RETURN(const auto stream, device.NewStream());
//   RETURN_IF_ERROR(stream->CopyIn(memory->bytes(), input));
//   RETURN_IF_ERROR(stream->Launch(KernelId::kRelu, shape, {memory->bytes(), ..}, params));
//   RETURN_IF_ERROR(stream->Wait());
//
// Errors: device_memory, when the device has no memory left for what is asked, which leaves all else as it
// was; device_failed, when it fails or refuses. A device that failed starts anew when it is next asked for
// memory or a stream: what was made before is then of an older generation and gone.
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

// Memory of the host whose pages stay where they are: the device copies from and to it while the host goes
// on.
class PinnedMemory {
 public:
  virtual ~PinnedMemory() = default;         // frees
  uint8_t* bytes() const { return bytes_; }  // at a multiple of 256

 protected:
  explicit PinnedMemory(uint8_t* bytes) : bytes_(bytes) {}

 private:
  uint8_t* bytes_;
};

// Work that a stream has recorded.
class Graph {
 public:
  virtual ~Graph() = default;
};

// Each piece of work sees what those ahead of it wrote. What runs is only known to have worked when Wait says
// so.
class Stream {
 public:
  virtual ~Stream() = default;

  // The caller's bytes stay where they are until Wait, and those that are copied in stay as they are.
  virtual absl::Status CopyIn(uint8_t* to, std::span<const uint8_t> from) = 0;
  virtual absl::Status CopyOut(std::span<uint8_t> to, const uint8_t* from) = 0;
  virtual absl::Status Launch(KernelId kernel, const LaunchShape& shape, const Memory& memory,
                              std::span<const uint8_t> params) = 0;
  virtual absl::Status Wait() = 0;

  // Work that the stream is given between these two is not done but becomes a graph. There is no Wait between
  // them.
  virtual absl::Status BeginGraph() = 0;
  virtual absl::StatusOr<std::unique_ptr<Graph>> EndGraph() = 0;
  // Does the work of a graph that this stream recorded, on what its memory now holds. The memory that
  // copies of the graph name is pinned, where it is the host's, and outlives the graph.
  virtual absl::Status Replay(const Graph& graph) = 0;

  // The CUstream of a GPU's driver, for those who measure; else null.
  virtual void* handle() const { return nullptr; }
};

class Device {
 public:
  virtual ~Device() = default;

  virtual const DeviceInfo& info() const = 0;
  virtual absl::StatusOr<std::unique_ptr<DeviceMemory>> Allocate(int64_t size_bytes) = 0;
  virtual absl::StatusOr<std::unique_ptr<PinnedMemory>> AllocatePinned(int64_t size_bytes) = 0;
  virtual absl::StatusOr<std::unique_ptr<Stream>> NewStream() = 0;
  // How often the device was started.
  virtual int generation() const = 0;
};

}  // namespace tally::cuda
