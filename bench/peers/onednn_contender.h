// The convolutions and matrix products of a work in oneDNN, in this process: 8-bit weights, scales for each
// output channel, 8-bit results, the layouts that oneDNN likes best, weights packed and primitives made
// beforehand. For a network that is all there is of it: no residual sum, no pooling, no normalization.
#pragma once

#include <memory>

#include "base/cpu_flags.h"
#include "bench/harness/contender.h"
#include "bench/models/works.h"

namespace tally::bench {

struct OneDnnOptions {
  bool signed_activations = false;  // s8 -> s8, else u8 -> u8
  int threads = 1;
  CpuFlags cpu;  // the instructions that it may use
};

// Errors: why there is none, for people. Threads and instructions are those of the first call.
absl::StatusOr<std::unique_ptr<Contender>> MakeOneDnnContender(const OneDnnOptions& options,
                                                               const Work& work);

// "" where this build has no oneDNN.
std::string OneDnnVersion();

}  // namespace tally::bench
