// The layers of a module as a picture: boxes in rows by their distance from the inputs, and what each reads
// as lines.
#pragma once

#include <string>

#include "quant/accuracy/measure_layers.h"

namespace tally::cli {

// An <svg> element. A box has the color of its SQNR and leads to the element of id "layer-" and the layer's
// place.
std::string GraphPicture(const quant::LayerAccuracies& layers);

}  // namespace tally::cli
