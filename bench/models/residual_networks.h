// ResNet-50 v1 and MobileNetV2 at width 1.0, as their papers have them.
#pragma once

#include "bench/models/cnn.h"
#include "bench/models/model_options.h"

namespace tally::bench {

// The stride of a stage is in the first 1x1 convolution of its first block, as in v1.
Cnn ResNet50(const ModelOptions& options);
Cnn MobileNetV2(const ModelOptions& options);

}  // namespace tally::bench
