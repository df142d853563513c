// Random modules and inputs: what the property tests and the fuzz targets feed to the oracles.
//
//   EntropySource e(bytes);
//   const Module module = GenerateModule(e, {});
//   const std::vector<Tensor> inputs = GenerateInputs(e, module.entry());
//
// Modules validate unless they are mutated (fuzz/generators/mutate_module.h), and every operator of the table
// occurs. Most are networks (fuzz/generators/network.h); the others are of any operators on any operands.
#pragma once

#include <optional>
#include <vector>

#include "fuzz/generators/entropy_source.h"
#include "fuzz/generators/module_draft.h"

namespace tally {

struct GeneratorOptions {
  int max_steps = 12;  // moves, and instructions of any operator
  std::optional<Profile> profile = {};
  DraftLimits limits = {};
};

// For fuzz targets, which gain more from many modules than from large ones.
inline constexpr GeneratorOptions kSmallModules = {.max_steps = 6,
                                                   .limits = {.max_elements = 256, .max_gas = 1 << 18}};

Module GenerateModule(EntropySource& e, const GeneratorOptions& options);

// One tensor for each parameter, inside the declared interval and often at its ends, in the storage of the
// interval or a wider one.
std::vector<Tensor> GenerateInputs(EntropySource& e, const Function& entry);

std::vector<TensorView> ViewsOf(const std::vector<Tensor>& tensors);

}  // namespace tally
