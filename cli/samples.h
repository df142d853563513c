// Samples of a network's inputs, from NumPy files.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "quant/calibrate/sample_source.h"
#include "quant/graph/graph.h"

namespace tally::cli {

struct Samples {
  std::vector<std::vector<quant::FloatTensor>> of_inputs;  // by graph input, then by sample; as many of each

  int64_t count() const { return of_inputs.empty() ? 0 : static_cast<int64_t>(of_inputs[0].size()); }
  // Those from `first` on. Points here.
  quant::SampleSource From(int64_t first) const;
};

// One file for each input of the network, [NAME=]FILE.npy; the name may be left out where there is only one input. Errors:
// calibration_no_samples, which names `flag`, samples_shape, samples_type, npy_*.
absl::StatusOr<Samples> ReadSampleFiles(const quant::Graph& graph, const std::vector<std::string>& options,
                                        std::string_view flag);

}  // namespace tally::cli
