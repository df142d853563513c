#include "quant/accuracy/confidence.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tally::quant {
namespace {

constexpr double kMostDb = 120;
// The spread of single samples in dB before any is seen, and as how many of them it counts.
constexpr double kPriorSpread = 6, kPriorCount = 3;

// The quantile 0.975 of Student's distribution of `degrees` >= 3 degrees of freedom, to 4 %: Abramowitz and
// Stegun, Handbook of Mathematical Functions, 26.7.5.
double StudentQuantile(double degrees) {
  const double x = 1.959964, x3 = x * x * x, x5 = x3 * x * x;
  return x + (x3 + x) / (4 * degrees) + (5 * x5 + 16 * x3 + 3 * x) / (96 * degrees * degrees);
}

// The variance of `of_samples` with the prior's.
double VarianceOf(std::span<const double> of_samples) {
  double mean = 0, squares = kPriorCount * kPriorSpread * kPriorSpread;
  std::vector<double> db;
  for (const double sample : of_samples) db.push_back(std::clamp(sample, -kMostDb, kMostDb));
  for (const double sample : db) mean += sample / static_cast<double>(db.size());
  for (const double sample : db) squares += (sample - mean) * (sample - mean);
  return squares / (kPriorCount + static_cast<double>(db.size()) - 1);
}

// How far the bounds of `count` samples are away.
double DistanceOf(double variance, double count) {
  return StudentQuantile(kPriorCount + count - 1) * std::sqrt(variance / count);
}

}  // namespace

SqnrBounds BoundsOf(double sqnr_db, std::span<const double> of_samples) {
  const double distance = DistanceOf(VarianceOf(of_samples), static_cast<double>(of_samples.size()));
  const double center = std::clamp(sqnr_db, -kMostDb, kMostDb);
  return {center - distance, center + distance};
}

double SureSqnr(double sqnr_db, std::span<const double> of_samples) {
  return sqnr_db - std::sqrt(VarianceOf(of_samples) / static_cast<double>(of_samples.size()));
}

int64_t SamplesWithin(double distance, std::span<const double> of_samples) {
  const double variance = VarianceOf(of_samples);
  int64_t count = 1;
  while (DistanceOf(variance, static_cast<double>(count)) > distance) ++count;
  return count;
}

}  // namespace tally::quant
