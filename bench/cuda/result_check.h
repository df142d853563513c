// Whether the results of a linear problem are right, wherever they come from.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "bench/cuda/linear_problem.h"

namespace tally::bench {

inline constexpr int64_t kSampledElements = 1 << 14;

// Each returns the first place where a result is wrong and what is there, or "".

// The four corners, the edges after the last whole tiles, and elements anywhere, against sums of the host.
std::string WrongSample(const LinearProblem& problem, ResultForm form, std::span<const uint8_t> result);

// Elements that differ by more than `tolerance`.
std::string Difference(const LinearProblem& problem, ResultForm form, std::span<const uint8_t> ours,
                       std::span<const uint8_t> theirs, int64_t tolerance);

}  // namespace tally::bench
