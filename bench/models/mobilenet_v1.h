// MobileNet v1 at width 1.0, as its paper has it, with ReLU.
#pragma once

#include "bench/models/cnn.h"
#include "bench/models/model_options.h"

namespace tally::bench {

Cnn MobileNetV1(const ModelOptions& options);

}  // namespace tally::bench
