// Small models in which layers of every family occur, to be damaged: by tests of laws, and as seeds of
// fuzzing.
#pragma once

#include <string>
#include <vector>

#include "frontends/ncnn/testing/ncnn_writer.h"

namespace tally::ncnn {

struct SampleModel {
  std::string name;
  NcnnWriter model;
};

// Each imports, and takes less than 4 kB.
std::vector<SampleModel> SampleModels();

}  // namespace tally::ncnn
