// How much a few samples say about others like them.
//
//   const SqnrBounds bounds = BoundsOf(error.sqnr_db(), output.sample_db);   // 2 samples: +- 10 dB
//   const int64_t enough = SamplesWithin(3, output.sample_db);               // 22
//
// The dB of single samples are taken for draws of a normal distribution of unknown mean and spread. What is
// known of the spread is that of a prior, which counts as some samples, and that of the samples themselves,
// so that one sample has bounds too. The mean then has Student's distribution.
#pragma once

#include <cstdint>
#include <span>

namespace tally::quant {

// In dB.
struct SqnrBounds {
  double low, high;
};

// Between what the dB of many samples would be, with a probability of 95 %, where some have `sqnr_db`
// together and `of_samples` each; infinite dB count as 120. At least one sample.
SqnrBounds BoundsOf(double sqnr_db, std::span<const double> of_samples);

// The dB that many samples have with a probability of 84 %: less than `sqnr_db` by a standard error of the
// mean of `of_samples`, of which there is at least one. Infinite where `sqnr_db` is.
double SureSqnr(double sqnr_db, std::span<const double> of_samples);

// How many samples of the same spread have bounds at most `distance` dB, which is positive, away.
int64_t SamplesWithin(double distance, std::span<const double> of_samples);

}  // namespace tally::quant
