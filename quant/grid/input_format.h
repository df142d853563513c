// How the caller of a module presents an input.
#pragma once

#include <string>

#include "quant/grid/quantized_type.h"

namespace tally::quant {

struct InputFormat {
  std::string name;
  QuantizedType type;
  // The module's metadata says no grid: its integers are not reals of the network that users know, but
  // pixels, say.
  bool as_integers = false;
};

}  // namespace tally::quant
