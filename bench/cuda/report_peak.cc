#include "base/status_macros.h"
#include "bench/cuda/device_peak.h"
#include "bench/cuda/report.h"

namespace tally::bench {

absl::StatusOr<DevicePeak> MeasureDevicePeak(cuda::Device& device, const ReportOptions& options) {
  constexpr int64_t kWarps = 1 << 16, kRounds = 1 << 9, kCopyBytes = int64_t{1} << 30;
  DevicePeak peak;
  const int64_t square = options.scale * options.scale;
  ASSIGN_OR_RETURN(const double operations, MeasureMultiplyPeak(device, std::max<int64_t>(1, kWarps / square),
                                                                std::max<int64_t>(1, kRounds / square)));
  ASSIGN_OR_RETURN(const double bytes, MeasureCopyRate(device, kCopyBytes / square / square));
  peak.tops = 1e-12 * operations;
  peak.copy_gb_per_second = 1e-9 * bytes;
  std::printf("peak:       %10.3f TOPS of int8 products in registers (mma.sync)\n", peak.tops);
  if (options.rated_tops > 0) std::printf("rated:      %10.3f TOPS\n", options.rated_tops);
  std::printf("copy:       %10.3f GB/s, read and written\n", peak.copy_gb_per_second);
  return peak;
}

}  // namespace tally::bench
