// The layers for Netron (https://netron.app), which draws networks: its own JSON, experimental there.
//
//   {"signature": "netron:tally", "format": "Tally layers", "modules": [{"values": [..], "nodes": [..], ...}]}
//
// Each layer is a node with its shape, its grid, and where it loses accuracy as attributes.
#pragma once

#include <string>

#include "cli/layers/layer_page.h"
#include "quant/accuracy/measure_layers.h"

namespace tally::cli {

std::string NetronJson(const PageTitle& title, const quant::LayerAccuracies& layers);

}  // namespace tally::cli
