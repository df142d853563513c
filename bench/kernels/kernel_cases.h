// Single operators on the shapes of real models.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "fuzz/generators/call_generator.h"
#include "tests/kernels/drawn_call.h"

namespace tally {

struct KernelCase {
  std::string name;  // the shape's
  Opcode op;
  std::function<Attempt(CallContext&)> shape;
};

std::span<const KernelCase> KernelCases();

// With random operands; null when it does not validate.
std::shared_ptr<DrawnCall> CallOfCase(const KernelCase& given);

}  // namespace tally
