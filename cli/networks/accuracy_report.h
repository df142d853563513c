// The lines of a report about the accuracy of a module.
#pragma once

#include "cli/summary.h"
#include "quant/accuracy/measure_accuracy.h"
#include "quant/accuracy/measure_layers.h"

namespace tally::cli {

// A line for each output, and under "accuracy" the number of samples and a list: name, sqnr_db (null where
// nothing differs, and for integers beside outputs of floats), cosine, largest_steps, agreement.
void AddAccuracy(const quant::Accuracy& accuracy, Summary& summary);

// A line for each of the three layers of least SQNR, and under "worst_layers" their names.
void AddWorstLayers(const quant::LayerAccuracies& layers, Summary& summary);

}  // namespace tally::cli
