#include "bench/cuda/device_peak.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/status_macros.h"
#include "bench/cuda/resident_work.h"
#include "ops/cuda/peak/peak_device.h"

namespace tally::bench {
namespace {

constexpr int kTries = 5, kBlock = 256;
constexpr Repetitions kRepetitions = {.count = 4, .copies = 1};

absl::StatusOr<double> FastestMilliseconds(ResidentWork& work) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kTries; ++i) {
    ASSIGN_OR_RETURN(const double ms, work.Run());
    best = std::min(best, ms);
  }
  return best;
}

}  // namespace

absl::StatusOr<double> MeasureMultiplyPeak(cuda::Device& device, int64_t warps, int64_t rounds) {
  using Params = cuda::MultiplyLoopParams;
  const int64_t threads = warps * cuda::kWarp;
  cuda::Work work;
  work.Add(cuda::KernelId::kMultiplyLoop, cuda::GridOver(threads, kBlock), Params{rounds},
           {cuda::ResultAt(0)});
  const int64_t whole = work.launches[0].shape.grid.x * int64_t{kBlock};
  ASSIGN_OR_RETURN(const auto resident, ResidentWork::Create(device, work, {}, {4 * whole}, kRepetitions));
  ASSIGN_OR_RETURN(const double ms, FastestMilliseconds(*resident));
  const auto products = static_cast<double>(whole / cuda::kWarp * rounds * Params::kChains);
  return products * static_cast<double>(Params::kOperations) / (1e-3 * ms);
}

absl::StatusOr<double> MeasureCopyRate(cuda::Device& device, int64_t bytes) {
  constexpr int64_t kPiece = sizeof(cuda::Bytes16);
  const int64_t count = bytes / kPiece;
  const std::vector<uint8_t> from(static_cast<size_t>(count * kPiece), 1);
  cuda::Work work;
  work.Add(cuda::KernelId::kCopyLoop, cuda::GridOver(count), cuda::CopyLoopParams{count},
           {cuda::OperandAt(0), cuda::ResultAt(0)});
  ASSIGN_OR_RETURN(const auto resident,
                   ResidentWork::Create(device, work, {from}, {count * kPiece}, kRepetitions));
  ASSIGN_OR_RETURN(const double ms, FastestMilliseconds(*resident));
  return 2 * static_cast<double>(count * kPiece) / (1e-3 * ms);
}

}  // namespace tally::bench
