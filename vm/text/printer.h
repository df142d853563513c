// Writes the text form of a module (docs/spec/text.md).
//
//   std::cout << Print(valid);
//   // %7 = conv2d %0, %5, %6 {padding = [1, 1], ...}  ; [1,64,56,56] in [-41022, 39877]
//
// Law: Assemble(Print(m)) == m for every well-formed m (serializer/encode.h).
#pragma once

#include <string>

#include "vm/module.h"
#include "vm/valid_module.h"

namespace tally {

struct PrintOptions {
  // False: {...} replaces constants of more than 64 elements, and the text is for readers only.
  bool long_constants = true;
};

std::string Print(const Module& module, const PrintOptions& options = {});

// With what is proven as comments: the type of every value, and gas and memory at the top.
std::string Print(const ValidModule& module, const PrintOptions& options = {});

}  // namespace tally
