#include "engines/cuda/driver_gpu.h"

#include <cstdlib>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "vm/labels.h"

namespace tally::cuda {
namespace {

constexpr int kLeastArch = 80;  // cp.async, and mma of 32 bytes at once

// wgmma is of compute capability 9.0; what came later has other instructions in its place.
Arch ArchOf(int major, int minor) { return major == 9 && minor == 0 ? Arch::kSm90a : Arch::kSm80; }

absl::Status Unavailable(absl::string_view why) {
  return MakeError(label::engine_unavailable, absl::StrCat("engine cuda: ", why));
}

// "" where the environment lacks the name.
absl::string_view FromEnvironment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

absl::StatusOr<int> ChooseOrdinal(int count) {
  const absl::string_view chosen = FromEnvironment("TALLY_CUDA_DEVICE");
  int ordinal = 0;
  if (!chosen.empty() && (!absl::SimpleAtoi(chosen, &ordinal) || ordinal < 0 || ordinal >= count)) {
    return Unavailable(absl::StrCat("TALLY_CUDA_DEVICE is '", chosen, "'; there are GPUs 0 to ", count - 1));
  }
  return ordinal;
}

absl::Status CapArch(Arch& arch) {
  const absl::string_view cap = FromEnvironment("TALLY_CUDA_ARCH");
  if (cap.empty() || cap == "sm_90a") return absl::OkStatus();
  if (cap != "sm_80") {
    return Unavailable(absl::StrCat("TALLY_CUDA_ARCH is '", cap, "'; there are sm_80 and sm_90a"));
  }
  arch = Arch::kSm80;
  return absl::OkStatus();
}

// Whether a driver can load code that was made for a later minor version is for it to say.
absl::Status CheckVersion(const DriverApi& api, const KernelImage& image) {
  int version = 0;
  const int needed = image.driver_version / 1000;
  if (api.DriverGetVersion(&version) != kCuSuccess || version / 1000 >= needed) return absl::OkStatus();
  return Unavailable(absl::StrCat("the driver is too old: it is for CUDA ", version / 1000, ".",
                                  version % 1000 / 10, ", this build needs ", needed, ".0"));
}

}  // namespace

absl::StatusOr<Gpu> FindGpu(const DriverApi& api, const KernelImage& image) {
  if (image.bytes.empty()) return Unavailable(ToAbsl(kNoDeviceCode));
  const CuResult started = api.Init(0);
  RETURN_IF_ERROR(CheckVersion(api, image));
  int count = 0;
  if (started != kCuSuccess && started != kCuNoDevice) {
    return Unavailable(absl::StrCat("cuInit says ", ErrorName(api, started)));
  }
  if (started == kCuNoDevice || api.DeviceGetCount(&count) != kCuSuccess || count == 0) {
    return Unavailable("this machine has no GPU that the driver knows");
  }
  ASSIGN_OR_RETURN(const int ordinal, ChooseOrdinal(count));
  Gpu gpu;
  char name[256] = {};
  size_t bytes = 0;
  int major = 0, minor = 0;
  for (const CuResult result :
       {api.DeviceGet(&gpu.device, ordinal), api.DeviceGetName(name, sizeof name - 1, gpu.device),
        api.DeviceTotalMem(&bytes, gpu.device),
        api.DeviceGetAttribute(&major, kCuComputeCapabilityMajor, gpu.device),
        api.DeviceGetAttribute(&minor, kCuComputeCapabilityMinor, gpu.device),
        api.DeviceGetAttribute(&gpu.shared_bytes, kCuSharedBytesForThoseWhoAsk, gpu.device)}) {
    if (result != kCuSuccess) {
      return Unavailable(absl::StrCat("GPU ", ordinal, " says ", ErrorName(api, result)));
    }
  }
  if (major * 10 + minor < kLeastArch) {
    return Unavailable(absl::StrCat(name, " is of architecture sm_", major, minor, ", and sm_", kLeastArch,
                                    " or later is needed"));
  }
  gpu.info = {name, static_cast<int64_t>(bytes), ArchOf(major, minor)};
  RETURN_IF_ERROR(CapArch(gpu.info.arch));
  return gpu;
}

}  // namespace tally::cuda
