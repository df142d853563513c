// Measures what ops/cpu/gemm/machine_costs.h reports of kinds of processors, on this one: a row for each
// level of instructions that it has, beside the row in use.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <numeric>
#include <thread>
#include <vector>

#include "base/aligned_vector.h"
#include "bench/harness/machine.h"
#include "bench/harness/stopwatch.h"
#include "cli/profile/peak.h"
#include "ops/cpu/gemm/gemm_plan.h"
#include "ops/cpu/gemm/machine_costs.h"
#include "ops/cpu/gemm/pack_weights.h"

namespace tally::bench {
namespace {

constexpr int64_t kPairs = 8, kPanels = 4;  // one call's
constexpr int kTries = 200;

double LeastNs(int tries, const auto& run) {
  double least = 1e30;
  for (int i = 0; i < tries; ++i) {
    const Stopwatch watch;
    run();
    least = std::min(least, watch.Milliseconds() * 1e6);
  }
  return least;
}

// One block of `steps` steps along K, operands in the caches.
double BlockNs(const MicroKernel& kernel, int64_t steps) {
  const int64_t rows = kPairs * 2 * kernel.tile_rows, columns = kPanels * kPanel;
  const int64_t depth = steps * MachineCosts::kStepBytes * ElementsOfKGroup(kernel.element) / kKGroup;
  GemmPlan plan = PlanMatrix(rows, depth, columns, kernel);
  AlignedVector<uint8_t> x(rows * plan.row_stride + plan.overread_bytes, 3), y(rows * columns);
  const std::vector<int64_t> first(columns, 5);
  const PackedWeights weights = PackWeights(plan, kernel.element, depth, 0, first,
                                            [](int64_t n, int64_t k, int64_t) { return (n + k) % 5; });
  const RescaleParams params = {.multiplier = 1 << 14, .shift = 24, .lo = -128, .hi = 127};
  const auto scale = PackScale({&params, 1}, columns, RangeOf(Storage::kI32));
  Epilogue epilogue = {
      .scale = scale->scale, .storage = Storage::kI8, .lo = -128, .hi = 127, .groups = scale->groups.data()};
  const GemmArgs call = {.x = x.data(),
                         .row_stride = plan.row_stride,
                         .tiles = plan.tiles.data(),
                         .rows = plan.rows.data(),
                         .segments = plan.segments.data(),
                         .num_segments = static_cast<int>(plan.segments.size()),
                         .k_groups_per_segment = plan.k_groups_per_segment,
                         .weights = weights.bytes.data(),
                         .init = weights.init.data(),
                         .epilogue = &epilogue,
                         .y = y.data(),
                         .columns = columns,
                         .tile_end = static_cast<int64_t>(plan.tiles.size()),
                         .panel_end = kPanels,
                         .panels_at_once = kPanels};
  return LeastNs(kTries, [&] { kernel.run(call); }) / (kPairs * kPanels);
}

// Least squares over depths of 1 to 16 steps: block + steps * step.
std::pair<double, double> FitBlock(const MicroKernel& kernel) {
  const std::vector<double> steps = {1, 2, 4, 8, 16};
  double sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
  for (const double x : steps) {
    const double y = BlockNs(kernel, static_cast<int64_t>(x));
    sum_x += x;
    sum_y += y;
    sum_xx += x * x;
    sum_xy += x * y;
  }
  const auto n = static_cast<double>(steps.size());
  const double step = (n * sum_xy - sum_x * sum_y) / (n * sum_xx - sum_x * sum_x);
  return {std::max(0.0, (sum_y - step * sum_x) / n), step};
}

// Bytes a nanosecond that one thread reads of what another has just written; 0 where there is one processor.
double ReadFromOther() {
  constexpr int64_t kBytes = 256 << 10;
  if (std::thread::hardware_concurrency() < 2) return 0;
  AlignedVector<uint8_t> bytes(kBytes);
  std::atomic<int> turn = 0;
  std::thread writer([&] {
    for (int i = 0; i < kTries; ++i) {
      while (turn.load() != 2 * i) {
      }
      std::ranges::fill(bytes, static_cast<uint8_t>(i));
      turn.store(2 * i + 1);
    }
  });
  double least = 1e30;
  uint64_t sum = 0;
  for (int i = 0; i < kTries; ++i) {
    while (turn.load() != 2 * i + 1) {
    }
    least = std::min(least, LeastNs(1, [&] {
                       const auto* words = reinterpret_cast<const uint64_t*>(bytes.data());
                       sum += std::accumulate(words, words + kBytes / 8, uint64_t{0});
                     }));
    turn.store(2 * i + 2);
  }
  writer.join();
  std::fprintf(stderr, "%s", sum == 1 ? " " : "");  // so that the sums are made
  return kBytes / least;
}

void PrintRow(const char* name, const MachineCosts& c) {
  std::printf("%-12s %-8s %9ld %8ld %16ld %16ld %12ld %13ld\n", std::string(c.level).c_str(), name,
              c.block_ns, c.step_ns, c.memory_bytes_per_ns, c.others_bytes_per_ns, c.first_level_bytes,
              c.second_level_bytes);
}

int Main() {
  const CpuFlags cpu = DetectCpuFlags();
  std::fputs(DescribeMachine(cpu).c_str(), stdout);
  const auto memory = static_cast<int64_t>(cli::MeasureRead(cpu, int64_t{256} << 20).giga_per_second);
  const auto others = static_cast<int64_t>(ReadFromOther());
  // Half of a cache: what else a loop touches has the other.
  const int64_t first = sysconf(_SC_LEVEL1_DCACHE_SIZE) / 2, second = sysconf(_SC_LEVEL2_CACHE_SIZE) / 2;
  std::printf("\n%-12s %-8s %9s %8s %16s %16s %12s %13s\n", "level", "", "block ns", "step ns",
              "memory bytes/ns", "others bytes/ns", "first bytes", "second bytes");
  for (const std::string_view level : CpuLevelsOf(cpu)) {
    const MicroKernel& kernel = SelectMicroKernel(false, false, int64_t{1} << 20, *CapCpuFlags(cpu, level));
    const auto [block, step] = FitBlock(kernel);
    const MachineCosts& used = CostsOf(kernel.flags);
    PrintRow("measured", {level, kernel.flags, static_cast<int64_t>(block), static_cast<int64_t>(step),
                          memory, others, first, second});
    PrintRow("in use", used);
  }
  return 0;
}

}  // namespace
}  // namespace tally::bench

int main() { return tally::bench::Main(); }
