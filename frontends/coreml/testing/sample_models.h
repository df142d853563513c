// Small models in which layers of every family occur, to be damaged: by tests of laws, and as seeds of
// fuzzing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tally::coreml {

struct SampleModel {
  std::string name;
  std::vector<uint8_t> bytes;
};

// Each imports, and takes less than 8 kB.
std::vector<SampleModel> SampleModels();

}  // namespace tally::coreml
