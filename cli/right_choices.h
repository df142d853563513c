// What is right, for networks whose rows are choices among their elements.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/summary.h"
#include "quant/accuracy/measure_accuracy.h"
#include "quant/graph/graph.h"

namespace tally::cli {

// For each row of the first output, over all samples, the place of its right element. Errors: samples_shape,
// samples_range, those of ReadTensor.
absl::StatusOr<std::vector<int64_t>> ReadRightChoices(const std::string& path, const quant::Graph& graph,
                                                      int64_t samples);

// How often both choose what is right: float_accuracy and module_accuracy.
void AddRightChoices(const std::vector<int64_t>& right, const quant::Accuracy& accuracy, Summary& summary);

}  // namespace tally::cli
