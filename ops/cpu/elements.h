// The elements of an operand by number, as the arithmetic that kernels share with references reads them.
#pragma once

#include "ops/kernel.h"

namespace tally {

struct Elements {
  Storage storage;
  const uint8_t* bytes;

  explicit Elements(const KernelOperand& x) : storage(x.storage), bytes(x.bytes) {}
  int64_t operator[](int64_t i) const { return LoadElement(storage, bytes, i); }
};

}  // namespace tally
