#include "bench/cuda/device_peak.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/int_math.h"
#include "base/status_macros.h"
#include "bench/cuda/resident_work.h"
#include "ops/cuda/peak/peak_device.h"

namespace tally::bench {
namespace {

constexpr int kTries = 5, kBlock = 256;
constexpr int64_t kPiece = sizeof(cuda::Bytes16);

absl::StatusOr<double> FastestSeconds(cuda::Device& device, const cuda::Work& work,
                                      const std::vector<std::span<const uint8_t>>& operands,
                                      const std::vector<int64_t>& results, int count = 4) {
  ASSIGN_OR_RETURN(const auto resident,
                   ResidentWork::Create(device, work, operands, results, {.count = count, .copies = 1}));
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kTries; ++i) {
    ASSIGN_OR_RETURN(const double ms, resident->Run());
    best = std::min(best, ms);
  }
  return 1e-3 * best;
}

// A launch of `threads` that store a word each.
template <typename Params>
absl::StatusOr<double> OperationRate(cuda::Device& device, cuda::KernelId kernel,
                                     const cuda::LaunchShape& shape, const Params& params, int64_t products) {
  cuda::Work work;
  work.Add(kernel, shape, params, {cuda::ResultAt(0)});
  ASSIGN_OR_RETURN(const double seconds,
                   FastestSeconds(device, work, {}, {int64_t{4} * shape.grid.x * shape.block}));
  return static_cast<double>(products) * static_cast<double>(Params::kOperations) / seconds;
}

}  // namespace

absl::StatusOr<double> MeasureMultiplyPeak(cuda::Device& device, int64_t warps, int64_t rounds) {
  using Params = cuda::MultiplyLoopParams;
  const cuda::LaunchShape shape = cuda::GridOver(warps * cuda::kWarp, kBlock);
  const int64_t whole = int64_t{shape.grid.x} * kBlock / cuda::kWarp;
  return OperationRate(device, cuda::KernelId::kMultiplyLoop, shape, Params{rounds},
                       whole * rounds * Params::kChains);
}

absl::StatusOr<double> MeasureWarpgroupPeak(cuda::Device& device, int64_t blocks, int64_t rounds) {
  using Params = cuda::WarpgroupLoopParams;
  cuda::LaunchShape shape = cuda::GridOver(blocks * Params::kBlock, Params::kBlock);
  shape.shared_bytes = Params::kSharedBytes;
  return OperationRate(device, cuda::KernelId::kWarpgroupLoop, shape, Params{rounds},
                       blocks * Params::kBlock / cuda::kWarpgroup * rounds * Params::kProducts);
}

absl::StatusOr<double> MeasureReadRate(cuda::Device& device, int64_t bytes) {
  const int64_t count = bytes / kPiece;
  const std::vector<uint8_t> from(static_cast<size_t>(count * kPiece), 1);
  const cuda::LaunchShape shape = cuda::GridOver(CeilDiv<int64_t>(count, cuda::ReadLoopParams::kPieces));
  cuda::Work work;
  work.Add(cuda::KernelId::kReadLoop, shape, cuda::ReadLoopParams{count},
           {cuda::OperandAt(0), cuda::ResultAt(0)});
  const int64_t warps = int64_t{shape.grid.x} * shape.block / cuda::kWarp;
  ASSIGN_OR_RETURN(const double seconds, FastestSeconds(device, work, {from}, {4 * warps}));
  return static_cast<double>(count * kPiece) / seconds;
}

absl::StatusOr<double> MeasureCopyRate(cuda::Device& device, int64_t bytes) {
  const int64_t count = bytes / kPiece;
  const std::vector<uint8_t> from(static_cast<size_t>(count * kPiece), 1);
  cuda::Work work;
  work.Add(cuda::KernelId::kCopyLoop, cuda::GridOver(count), cuda::CopyLoopParams{count},
           {cuda::OperandAt(0), cuda::ResultAt(0)});
  ASSIGN_OR_RETURN(const double seconds, FastestSeconds(device, work, {from}, {count * kPiece}));
  return 2 * static_cast<double>(count * kPiece) / seconds;
}

absl::StatusOr<double> MeasureEmptyLaunch(cuda::Device& device, int launches) {
  cuda::Work work;
  work.Add(cuda::KernelId::kMultiplyLoop, cuda::GridOver(cuda::kWarp, cuda::kWarp),
           cuda::MultiplyLoopParams{.rounds = 0}, {cuda::ResultAt(0)});
  return FastestSeconds(device, work, {}, {4 * cuda::kWarp}, launches);
}

}  // namespace tally::bench
