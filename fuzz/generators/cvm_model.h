// Random models in the files of cvm-runtime: graph JSON and params.
//
//   CvmModel model = GenerateCvmModel(e, {});   // imports
//   RespellCvmModel(e, model);                  // imports as the same module
//   DamageCvmModel(e, model);                   // mostly does not import
//
// Every operator and every attribute of CVM occurs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fuzz/generators/module_generator.h"

namespace tally {

struct CvmModel {
  std::string graph;
  std::vector<uint8_t> params;
};

// A random module of profile cvm with one parameter, exported, with heads and a postprocess of its own.
CvmModel GenerateCvmModel(EntropySource& e, const GeneratorOptions& options);

// Says the same in other words: version, spelling of attributes, numbered names, order and width of arrays,
// and shared buffers that nobody notices.
void RespellCvmModel(EntropySource& e, CvmModel& model);

// Changes one thing: a part of the JSON tree, or bytes of either file.
void DamageCvmModel(EntropySource& e, CvmModel& model);

}  // namespace tally
