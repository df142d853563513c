#include "engines/cuda/driver_context.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "vm/labels.h"

namespace tally::cuda {
namespace {

// Errors after which, as cuda.h has it, a context or the whole process can do no further work: the driver is
// shutting down, there is no such context, the hardware failed, or a kernel did.
bool EndsTheContext(CuResult result) {
  constexpr CuResult kSuch[] = {4, 201, 214, 220, 226, 700, 702, 709, 710, 721, 999};
  constexpr CuResult kStackError = 714, kLaunchFailed = 719;  // and those between
  return std::ranges::find(kSuch, result) != std::end(kSuch) ||
         (kStackError <= result && result <= kLaunchFailed);
}

}  // namespace

absl::StatusOr<std::shared_ptr<DriverContext>> DriverContext::Create(const DriverApi& api, const Gpu& gpu,
                                                                     std::span<const uint8_t> image,
                                                                     int generation) {
  std::shared_ptr<DriverContext> context(new DriverContext(api, gpu, generation));
  RETURN_IF_ERROR(context->Start(image));
  return context;
}

absl::Status DriverContext::Start(std::span<const uint8_t> image) {
  const CuResult created = api_.CtxCreate(&context_, 0, gpu_.device);
  if (created != kCuSuccess) {
    context_ = nullptr;
    return ErrorOf(created, "cuCtxCreate");
  }
  Leave();  // who creates it has entered it
  CuModule module = nullptr;
  RETURN_IF_ERROR(Call("cuModuleLoadData",
                       [&](const DriverApi& api) { return api.ModuleLoadData(&module, image.data()); }));
  for (size_t k = 0; k < functions_.size(); ++k) {
    CuFunction& function = functions_[k];
    int static_bytes = 0;
    RETURN_IF_ERROR(Call(kKernelNames[k], [&](const DriverApi& api) {
      return api.ModuleGetFunction(&function, module, kKernelNames[k]);
    }));
    // Now, and not at its first launch: that may stand in a graph that is being recorded.
    RETURN_IF_ERROR(Call(kKernelNames[k], [&](const DriverApi& api) { return api.FuncLoad(function); }));
    // A launch may ask for all shared memory that a block can have; without this, for 48 KiB.
    RETURN_IF_ERROR(Call(kKernelNames[k], [&](const DriverApi& api) {
      return api.FuncGetAttribute(&static_bytes, kCuStaticSharedBytes, function);
    }));
    RETURN_IF_ERROR(Call(kKernelNames[k], [&](const DriverApi& api) {
      return api.FuncSetAttribute(function, kCuMaxDynamicSharedBytes, gpu_.shared_bytes - static_bytes);
    }));
  }
  return absl::OkStatus();
}

absl::Status DriverContext::Enter() {
  if (failed_) return MakeError(label::device_failed, "the device has failed in another run");
  const CuResult entered = api_.CtxPushCurrent(context_);
  if (entered == kCuSuccess) return absl::OkStatus();
  failed_ = true;
  return ErrorOf(entered, "cuCtxPushCurrent");
}

void DriverContext::Leave() {
  CuContext left = nullptr;
  api_.CtxPopCurrent(&left);
}

// A call that was refused for its own sake leaves the context to the runs of others. What ended the context
// is said by every call from then on.
absl::Status DriverContext::Judge(CuResult result, absl::string_view what) {
  if (result == kCuSuccess) return absl::OkStatus();
  if (EndsTheContext(result) || EndsTheContext(api_.StreamQuery(nullptr))) failed_ = true;
  return ErrorOf(result, what);
}

absl::Status DriverContext::ErrorOf(CuResult result, absl::string_view what) const {
  const Label label = result == kCuOutOfMemory && !failed_ ? label::device_memory : label::device_failed;
  return MakeError(label, absl::StrCat(gpu_.info.name, ": ", what, " says ", ErrorName(api_, result)));
}

void DriverContext::Destroy() {
  const std::unique_lock nobody_inside(calls_);
  failed_ = true;
  // The driver may repeat what ended the context, which goes all the same.
  if (context_ != nullptr) api_.CtxDestroy(std::exchange(context_, nullptr));
  const std::lock_guard lock(pages_mutex_);
  gone_ = true;
  pages_.clear();
}

void DriverContext::FreeLater(Pages pages) {
  const std::lock_guard lock(pages_mutex_);
  if (!gone_) pages_.push_back(std::move(pages));
}

}  // namespace tally::cuda
