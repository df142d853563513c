// The measured layers of a module (quant/accuracy/measure_layers.h), for people, machines and spreadsheets.
#pragma once

#include <cstddef>
#include <string>

#include "cli/json_output.h"
#include "quant/accuracy/measure_layers.h"

namespace tally::cli {

// "24.1 dB", or "equal".
std::string SqnrText(double sqnr_db);

// One line: "'conv1' (Conv): 24.1 dB, 3.0 dB less than what it reads, 0.20 % clipped, 71 % of its grid
// used".
std::string LayerLine(const quant::LayerAccuracy& layer);

// A table with a line for each layer, in their order; the last without an end.
std::string LayerTable(const quant::LayerAccuracies& layers);

// A list of objects: name, operator, source, shape, sqnr_db (null where nothing differs), loss_db (or null),
// alone_db (or null), cosine, largest_steps, saturated and used (shares), headroom_bits, scale, zero_point,
// interval, reads (names), histogram.
Json LayersToJson(const quant::LayerAccuracies& layers);

// The same in lines after a heading, by RFC 4180, without reads and histogram.
std::string LayersToCsv(const quant::LayerAccuracies& layers);

}  // namespace tally::cli
