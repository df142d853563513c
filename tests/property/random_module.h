// RapidCheck draws bytes and the fuzz generators make modules of them: smaller bytes mean simpler modules, so
// that shrinking works.
#pragma once

#include <rapidcheck.h>

#include <memory>
#include <vector>

#include "fuzz/generators/module_generator.h"
#include "vm/validator.h"

namespace tally {

// Full-range bytes from the first sample on; RapidCheck would start with small ones.
inline std::vector<uint8_t> RandomBytes(size_t size) {
  const auto bytes = rc::gen::container<std::vector<uint8_t>>(size, rc::gen::arbitrary<uint8_t>());
  return *rc::gen::resize(rc::kNominalSize, bytes);
}

struct RandomModule {
  Module module;
  std::vector<Tensor> inputs;
  std::vector<TensorView> views;  // `inputs`'s
};

inline constexpr size_t kBytesOfModule = 1024;

inline RandomModule DrawModule() {
  const std::vector<uint8_t> bytes = RandomBytes(kBytesOfModule);
  EntropySource e(bytes);
  RandomModule random;
  random.module = GenerateModule(e, {});
  random.inputs = GenerateInputs(e, random.module.entry());
  random.views = ViewsOf(random.inputs);
  return random;
}

}  // namespace tally
