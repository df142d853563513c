// The head of a YOLO-like detector: three feature maps of 13, 26 and 52 cells to the side, three anchors a
// cell, 80 classes; convolutions, decoding of the boxes and non-maximum suppression in one module.
#pragma once

#include <vector>

#include "bench/models/linear_shape.h"
#include "bench/models/model_options.h"
#include "vm/module.h"

namespace tally::bench {

struct YoloHead {
  Module module;
  std::vector<ConvShape> convolutions;
};

// Results: `selected` [100, 3] of (batch, class, box), `count`, and `boxes` in sixteenths of a pixel, centers
// and sides.
YoloHead BuildYoloHead(const ModelOptions& options);

}  // namespace tally::bench
