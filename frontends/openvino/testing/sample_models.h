// Small models in which operations of every family occur, to be damaged: by tests of laws, and as seeds of
// fuzzing.
#pragma once

#include <string>
#include <vector>

#include "frontends/openvino/testing/ir_writer.h"

namespace tally::openvino {

struct SampleModel {
  std::string name;
  IrWriter model;
};

// Each imports, and takes less than 8 kB.
std::vector<SampleModel> SampleModels();

}  // namespace tally::openvino
