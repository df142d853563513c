// One LSTM layer: 512 units over 32 steps of 256 inputs, 8-bit inputs and weights, 16-bit states.
#pragma once

#include "bench/models/model_options.h"
#include "vm/module.h"

namespace tally::bench {

struct LstmLayer {
  Module module;
  int64_t multiply_accumulates = 0;
};

LstmLayer BuildLstm(const ModelOptions& options);

}  // namespace tally::bench
