#include "cli/profile/peak.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "base/aligned_vector.h"
#include "cli/profile/peak_loops.h"

namespace tally::cli {
namespace {

constexpr int kTries = 9;
constexpr double kTryMs = 8;

// Milliseconds that `work` takes.
template <typename Work>
double TimeOf(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// Units of `work(rounds)` in a billion for each second: the best of several tries.
template <typename Work>
double BestRate(const Work& work) {
  int64_t rounds = 1;
  while (TimeOf([&] { work(rounds); }) < kTryMs) rounds *= 2;
  double best = 0;
  for (int i = 0; i < kTries; ++i) {
    int64_t units = 0;
    const double ms = TimeOf([&] { units = work(rounds); });
    best = std::max(best, static_cast<double>(units) / ms * 1e-6);
  }
  return best;
}

void ReadPortable(const uint8_t* data, int64_t bytes) {
  uint64_t sums[4] = {};
  for (int64_t i = 0; i + 32 <= bytes; i += 32) {
    for (int j = 0; j < 4; ++j) {
      uint64_t word;
      std::memcpy(&word, data + i + 8 * j, sizeof word);
      sums[j] |= word;
    }
  }
  asm volatile("" : : "r"(sums) : "memory");
}

[[maybe_unused]] double BestRateOf(int64_t (*loop)(int64_t), int threads) {
  return BestRate([&](int64_t rounds) {
    std::vector<std::thread> others;
    for (int i = 1; i < threads; ++i) others.emplace_back(loop, rounds);
    const int64_t units = loop(rounds);
    for (std::thread& other : others) other.join();
    return units * threads;
  });
}

}  // namespace

std::vector<Peak> MeasurePeaks([[maybe_unused]] CpuFlags cpu, [[maybe_unused]] int threads) {
  std::vector<Peak> peaks;
#if defined(__x86_64__)
  struct Loop {
    CpuFlag flag;
    std::string_view level;
    int64_t (*run)(int64_t);
  };
  constexpr Loop kLoops[] = {
    {CpuFlag::kAvx2, "avx2", LoopAvx2},
    {CpuFlag::kAvx512, "avx512", LoopAvx512},
    {CpuFlag::kAvxVnni, "avxvnni", LoopAvxVnni},
    {CpuFlag::kAvx512Vnni, "avx512vnni", LoopAvx512Vnni},
#if !defined(_WIN32)
    {CpuFlag::kAmxInt8, "amx_int8", LoopAmxInt8},
#endif
  };
  for (const Loop& loop : kLoops) {
    if (cpu.Has(loop.flag)) peaks.push_back({loop.level, BestRateOf(loop.run, threads)});
  }
#endif
  return peaks;
}

Peak MeasureRead([[maybe_unused]] CpuFlags cpu, int64_t bytes) {
  const AlignedVector<uint8_t> data(static_cast<size_t>(bytes), 1);  // on large pages, as weights are
  void (*read)(const uint8_t*, int64_t) = ReadPortable;
#if defined(__x86_64__)
  if (cpu.Has(CpuFlag::kAvx512)) read = ReadAvx512;
#endif
  return {"read", BestRate([&](int64_t rounds) {
            for (int64_t r = 0; r < rounds; ++r) read(data.data(), bytes);
            return rounds * bytes;
          })};
}

Peak MeasureCopy(int64_t bytes) {
  const std::vector<uint8_t> from(static_cast<size_t>(bytes), 1);
  std::vector<uint8_t> to(from.size());
  const auto copy = [&](int64_t rounds) {
    for (int64_t r = 0; r < rounds; ++r) {
      std::memcpy(to.data(), from.data(), from.size());
      asm volatile("" : : "r"(to.data()) : "memory");
    }
    return rounds * bytes * 2;
  };
  return {"copy", BestRate(copy)};
}

}  // namespace tally::cli
