// The peak of the machine itself: 8-bit products from registers alone, and bytes read and copied. Measured in
// the run that quotes a share of it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/cpu_flags.h"

namespace tally::cli {

struct Peak {
  std::string_view name;
  double giga_per_second = 0;  // operations, two for each multiply-accumulate; or bytes
};

// The best of several tries, all `threads` at work: a loop of independent exact 8-bit dot products on
// registers for each level of instructions that `cpu` has, the fastest last. Where nothing else is exact
// (AVX2, AVX-512 without VNNI) that is vpmaddwd and vpaddd.
std::vector<Peak> MeasurePeaks(CpuFlags cpu, int threads);

// Reading `bytes`, a multiple of 256, over and over, and copying them (read and written bytes both counted),
// on one thread.
Peak MeasureRead(CpuFlags cpu, int64_t bytes);
Peak MeasureCopy(int64_t bytes);

}  // namespace tally::cli
