// The right answers for networks whose rows are choices among their elements.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/networks/network_file.h"
#include "cli/networks/network_samples.h"
#include "cli/summary.h"
#include "quant/accuracy/measure_accuracy.h"

namespace tally::cli {

// For each row of the first output, over all samples, the place of its right element: of an array, or of
// labels by name (cli/networks/named_labels.h) where a sample has one row. Names are those of `options`, or
// those of the model's file. Empty without labels. Errors: samples_shape, samples_range, labels_text, those
// of ReadTensor.
absl::StatusOr<std::vector<int64_t>> ReadRightChoices(const LabelOptions& options,
                                                      const ServedNetwork& network,
                                                      const NetworkSamples& samples);

// How often both choose what is right, and have it among the five largest where a row has more than five:
// float_accuracy, module_accuracy, float_top5 and module_top5, and under "right" the intervals of each, as
// [low, high]. A warning where the float network is right as often as by chance.
void AddRightChoices(const quant::Accuracy& accuracy, Summary& summary);

}  // namespace tally::cli
