#include "engines/cuda/driver_memory.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/int_math.h"
#include "base/status_macros.h"
#include "vm/labels.h"

namespace tally::cuda {
namespace {

class DriverMemory final : public DeviceMemory {
 public:
  DriverMemory(std::shared_ptr<DriverContext> context, uint8_t* bytes)
      : DeviceMemory(bytes), context_(std::move(context)) {}
  // The memory of a context that failed goes with it.
  ~DriverMemory() override {
    context_->Call("cuMemFree", [this](const DriverApi& api) { return api.MemFree(ToPointer(bytes())); })
        .IgnoreError();
  }

 private:
  std::shared_ptr<DriverContext> context_;
};

// Pages of our own: they are still there when a context goes that another run failed.
class DriverPinnedMemory final : public PinnedMemory {
 public:
  DriverPinnedMemory(std::shared_ptr<DriverContext> context, Pages pages, bool registered)
      : PinnedMemory(pages.get()),
        context_(std::move(context)),
        pages_(std::move(pages)),
        registered_(registered) {}
  ~DriverPinnedMemory() override {
    const absl::Status unused = context_->Call("cuMemHostUnregister", [this](const DriverApi& api) {
      return registered_ ? api.MemHostUnregister(bytes()) : kCuSuccess;
    });
    if (!unused.ok()) context_->FreeLater(std::move(pages_));
  }

 private:
  std::shared_ptr<DriverContext> context_;
  Pages pages_;
  bool registered_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<DeviceMemory>> NewDriverMemory(std::shared_ptr<DriverContext> context,
                                                              int64_t size_bytes) {
  CuPointer pointer = 0;
  RETURN_IF_ERROR(context->Call(
      absl::StrCat("cuMemAlloc of ", size_bytes, " bytes"),
      [&](const DriverApi& api) { return api.MemAlloc(&pointer, static_cast<size_t>(size_bytes)); }));
  return std::make_unique<DriverMemory>(std::move(context),
                                        reinterpret_cast<uint8_t*>(static_cast<uintptr_t>(pointer)));
}

absl::StatusOr<std::unique_ptr<PinnedMemory>> NewDriverPinnedMemory(std::shared_ptr<DriverContext> context,
                                                                    int64_t size_bytes) {
  const auto size = static_cast<size_t>(RoundUp(size_bytes, static_cast<int64_t>(FreePages::kPage)));
  Pages pages = NewPages(size);
  const absl::Status registered =
      context->Call(absl::StrCat("cuMemHostRegister of ", size, " bytes"),
                    [&](const DriverApi& api) { return api.MemHostRegister(pages.get(), size, 0); });
  // Some platforms register no pages. The driver then copies from and to them by way of its own.
  const bool is_refused = HasLabel(registered, label::device_failed) && !context->failed();
  if (!registered.ok() && !is_refused) return registered;
  return std::make_unique<DriverPinnedMemory>(std::move(context), std::move(pages), registered.ok());
}

}  // namespace tally::cuda
