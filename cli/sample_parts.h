// Which of the samples of `tally quantize` are for what: ranges are measured on one part, the search for
// more bits on a second, and the verdict on a third that nothing has seen.
//
//   const SampleParts parts = PartsOf(samples->count(), /*in_order=*/false);
//   ASSIGN_OR_RETURN(calibration, Calibrate(graph, parts.ranges.size(), samples->At(parts.ranges)));
#pragma once

#include <cstdint>
#include <vector>

namespace tally::cli {

// Numbers of samples, ascending. Parts share none, but where there are too few: of fewer than 3 samples,
// ranges and search have the same; a single one is all three.
struct SampleParts {
  std::vector<int64_t> ranges, search, verdict;

  bool verdict_is_unseen() const { return verdict != ranges; }
};

// A quarter of `count` samples, at least one, is for the verdict, an eighth for the search. Each part has
// samples from all over, as they may be sorted by what they show. Samples `in_order`, as those of a loop or
// of windows that overlap, are cut into three runs, as neighbours are nearly the same. count > 0.
SampleParts PartsOf(int64_t count, bool in_order);

// How many samples have so many for the verdict.
int64_t SamplesForVerdict(int64_t verdict);

}  // namespace tally::cli
