#include <algorithm>
#include <cstdio>

#include "base/status_macros.h"
#include "bench/cuda/device_peak.h"
#include "bench/cuda/report.h"

namespace tally::bench {

absl::StatusOr<DevicePeak> MeasureDevicePeak(cuda::Device& device, const ReportOptions& options) {
  constexpr int64_t kWarps = 1 << 16, kBlocks = 132 * 16, kRounds = 1 << 9, kBytes = int64_t{1} << 30;
  const int64_t square = options.scale * options.scale;
  const auto scaled = [&](int64_t size) { return std::max<int64_t>(1, size / square); };
  DevicePeak peak;
  ASSIGN_OR_RETURN(double operations, MeasureMultiplyPeak(device, scaled(kWarps), scaled(kRounds)));
  std::printf("peak:       %10.3f TOPS of int8 products from registers (mma.sync)\n", 1e-12 * operations);
  if (device.info().arch == cuda::Arch::kSm90a) {
    ASSIGN_OR_RETURN(const double faster, MeasureWarpgroupPeak(device, scaled(kBlocks), scaled(kRounds)));
    std::printf("peak:       %10.3f TOPS of int8 products from shared memory (wgmma)\n", 1e-12 * faster);
    operations = std::max(operations, faster);
  }
  peak.tops = 1e-12 * operations;
  if (options.rated_tops > 0) std::printf("rated:      %10.3f TOPS\n", options.rated_tops);
  ASSIGN_OR_RETURN(const double read, MeasureReadRate(device, kBytes / square / square));
  ASSIGN_OR_RETURN(const double copied, MeasureCopyRate(device, kBytes / square / square));
  peak.read_gb_per_second = 1e-9 * read;
  peak.copy_gb_per_second = 1e-9 * copied;
  std::printf("memory:     %10.3f GB/s read; %.3f GB/s copied, read and written\n", peak.read_gb_per_second,
              peak.copy_gb_per_second);
  return peak;
}

}  // namespace tally::bench
