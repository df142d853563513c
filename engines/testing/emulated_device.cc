#include "engines/testing/emulated_device.h"

#include <sys/mman.h>

#include <cstring>
#include <functional>
#include <iterator>
#include <new>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/int_math.h"
#include "base/status_macros.h"
#include "ops/cuda/emulated_kernels.h"
#include "vm/labels.h"
#include "vm/memory_planner.h"

namespace tally::cuda {
namespace {

constexpr int64_t kPage = 4096;
constexpr uint8_t kFiller = 0xa5;  // bytes that nothing wrote are not zero

// Bytes that end where no page is, so that a kernel which reads beyond its memory ends the test. A line of
// slack is left: buffers begin at multiples of kBufferAlignment.
int64_t MappedBytes(int64_t size_bytes) { return RoundUp(size_bytes, kPage) + kPage; }
uint8_t* NewBytes(int64_t size_bytes) {
  const int64_t mapped = MappedBytes(size_bytes);
  void* const map = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED) throw std::bad_alloc();
  uint8_t* const end = static_cast<uint8_t*>(map) + mapped - kPage;
  if (mprotect(end, kPage, PROT_NONE) != 0) throw std::bad_alloc();
  uint8_t* const bytes = end - RoundUp(size_bytes, kBufferAlignment);
  std::memset(bytes, kFiller, size_bytes);
  return bytes;
}
void FreeBytes(uint8_t* bytes, int64_t size_bytes) {
  const int64_t mapped = MappedBytes(size_bytes);
  munmap(bytes + RoundUp(size_bytes, kBufferAlignment) + kPage - mapped, mapped);
}

using Operation = std::function<absl::Status()>;

class EmulatedPinnedMemory final : public PinnedMemory {
 public:
  explicit EmulatedPinnedMemory(int64_t size_bytes)
      : PinnedMemory(NewBytes(size_bytes)), size_bytes_(size_bytes) {}
  ~EmulatedPinnedMemory() override { FreeBytes(bytes(), size_bytes_); }

 private:
  int64_t size_bytes_;
};

}  // namespace

struct EmulatedGraph final : Graph {
  explicit EmulatedGraph(EmulatedDevice& device) : device_(device) { ++device_.graphs_; }
  ~EmulatedGraph() override { --device_.graphs_; }

  EmulatedDevice& device_;
  std::vector<Operation> operations;
};

class EmulatedMemory final : public DeviceMemory {
 public:
  EmulatedMemory(EmulatedDevice& device, int64_t size_bytes)
      : DeviceMemory(NewBytes(size_bytes)), device_(device), size_bytes_(size_bytes) {
    const std::lock_guard lock(device_.pieces_mutex_);
    device_.pieces_[bytes()] = {size_bytes, device_.generation()};
  }
  ~EmulatedMemory() override {
    {
      const std::lock_guard lock(device_.pieces_mutex_);
      device_.pieces_.erase(bytes());
    }
    device_.allocated_bytes_ -= size_bytes_;
    FreeBytes(bytes(), size_bytes_);
  }

 private:
  EmulatedDevice& device_;
  int64_t size_bytes_;
};

class EmulatedStream final : public Stream {
 public:
  explicit EmulatedStream(EmulatedDevice& device) : device_(device), generation_(device.generation()) {
    ++device_.streams_;
  }
  ~EmulatedStream() override { --device_.streams_; }

  absl::Status CopyIn(uint8_t* to, std::span<const uint8_t> from) override {
    return Add([=] {
      std::memcpy(to, from.data(), from.size());
      return absl::OkStatus();
    });
  }
  absl::Status CopyOut(std::span<uint8_t> to, const uint8_t* from) override {
    return Add([=] {
      std::memcpy(to.data(), from, to.size());
      return absl::OkStatus();
    });
  }
  absl::Status Launch(KernelId kernel, const LaunchShape& shape, const Memory& memory,
                      std::span<const uint8_t> params) override {
    return Add([this, kernel, shape, memory, kept = std::vector<uint8_t>(params.begin(), params.end())] {
      for (const uint8_t* at : memory.at) {
        if (at != nullptr && !device_.Has(at, generation_)) {
          return absl::InternalError(
              absl::StrCat(NameOf(kernel), ": memory that this device does not have, or no more"));
        }
      }
      const absl::Status status =
          Emulate(EmulatedKernelOf(kernel), memory, kept.data(), shape, device_.options_.order);
      if (status.ok()) return status;
      return absl::InternalError(absl::StrCat(NameOf(kernel), ": ", status.message()));
    });
  }
  absl::Status Wait() override {
    if (recording_) return absl::InternalError("a stream waits while it records");
    for (const Operation& operation : std::exchange(queue_, {})) {
      RETURN_IF_ERROR(device_.NoteOperation(generation_));
      RETURN_IF_ERROR(operation());
    }
    return device_.NoteOperation(generation_);
  }

  absl::Status BeginGraph() override {
    recording_ = std::make_unique<EmulatedGraph>(device_);
    return device_.NoteOperation(generation_);
  }
  absl::StatusOr<std::unique_ptr<Graph>> EndGraph() override {
    RETURN_IF_ERROR(device_.NoteOperation(generation_));
    if (device_.graphs_ > device_.options_.graphs) {
      recording_ = nullptr;
      return device_.Lacks("a graph");
    }
    return std::move(recording_);
  }
  absl::Status Replay(const Graph& graph) override {
    RETURN_IF_ERROR(device_.NoteOperation(generation_));
    ++device_.replays_;
    const auto& operations = static_cast<const EmulatedGraph&>(graph).operations;
    queue_.insert(queue_.end(), operations.begin(), operations.end());
    return absl::OkStatus();
  }

 private:
  absl::Status Add(Operation operation) {
    RETURN_IF_ERROR(device_.NoteOperation(generation_));
    (recording_ ? recording_->operations : queue_).push_back(std::move(operation));
    return absl::OkStatus();
  }

  EmulatedDevice& device_;
  int generation_;
  std::vector<Operation> queue_;
  std::unique_ptr<EmulatedGraph> recording_;
};

EmulatedDevice::EmulatedDevice(const EmulatedDeviceOptions& options)
    : options_(options), info_{"an emulated device", options.memory_bytes, options.arch} {}

absl::Status EmulatedDevice::NoteOperation(int generation) {
  if (generation != generation_)
    return MakeError(label::device_failed, "the stream is of an older generation");
  ++operations_;
  if (operations_until_refusal_-- == 0) return Lacks("an operation");
  if (operations_until_failure_-- != 0) return absl::OkStatus();
  ++generation_;
  return MakeError(label::device_failed, "an injected fault");
}

bool EmulatedDevice::Has(const uint8_t* at, int generation) const {
  const std::lock_guard lock(pieces_mutex_);
  const auto behind = pieces_.upper_bound(at);
  if (behind == pieces_.begin()) return false;
  const auto& [begin, piece] = *std::prev(behind);
  return at <= begin + piece.size_bytes && piece.generation == generation;
}

absl::Status EmulatedDevice::Lacks(absl::string_view what) const {
  return MakeError(label::device_memory, absl::StrCat(info_.name, " has no memory left for ", what));
}

absl::StatusOr<std::unique_ptr<DeviceMemory>> EmulatedDevice::Allocate(int64_t size_bytes) {
  if (allocated_bytes_.fetch_add(size_bytes) + size_bytes > options_.allocatable_bytes) {
    allocated_bytes_ -= size_bytes;
    return Lacks(absl::StrCat(size_bytes, " bytes"));
  }
  return std::make_unique<EmulatedMemory>(*this, size_bytes);
}

absl::StatusOr<std::unique_ptr<PinnedMemory>> EmulatedDevice::AllocatePinned(int64_t size_bytes) {
  return std::make_unique<EmulatedPinnedMemory>(size_bytes);
}

absl::StatusOr<std::unique_ptr<Stream>> EmulatedDevice::NewStream() {
  auto stream = std::make_unique<EmulatedStream>(*this);
  if (streams_ > options_.streams) return Lacks("a stream");
  return stream;
}

}  // namespace tally::cuda
