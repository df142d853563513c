// The measured layers of a module as a page for a browser: one file, which loads nothing.
#pragma once

#include <string>

#include "quant/accuracy/measure_layers.h"

namespace tally::cli {

struct PageTitle {
  std::string network;    // file
  std::string module_id;  // in hex
};

std::string LayerPage(const PageTitle& title, const quant::LayerAccuracies& layers);

}  // namespace tally::cli
