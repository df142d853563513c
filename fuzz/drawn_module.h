// A small module of the generator, validated, with inputs: what the targets that run engines try their laws
// on.
#pragma once

#include <cstdlib>
#include <iostream>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "fuzz/generators/module_generator.h"
#include "vm/validator.h"

namespace tally {

inline constexpr size_t kNoiseOfModule = 2048;  // more than a small module takes

struct DrawnModule {
  std::shared_ptr<const ValidModule> module;
  std::vector<Tensor> inputs;
  std::vector<TensorView> views;  // `inputs`'s
};

// Aborts where what is drawn does not validate.
inline DrawnModule DrawModule(std::span<const uint8_t> bytes) {
  EntropySource e(bytes);
  auto valid = Validate(GenerateModule(e, kSmallModules));
  if (!valid.ok()) {
    std::cerr << "a drawn module does not validate: " << valid.status() << "\n";
    std::abort();
  }
  DrawnModule drawn = {.module = std::make_shared<const ValidModule>(*std::move(valid))};
  drawn.inputs = GenerateInputs(e, drawn.module->entry());
  drawn.views = ViewsOf(drawn.inputs);
  return drawn;
}

}  // namespace tally
