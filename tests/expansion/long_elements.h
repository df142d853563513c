// Modules whose elements read megabytes each: they are judged by the steps of their expansions.
//
//   for (const NamedLongElement& named : LongElements()) {
//     const LongElement element = named.make();
//   }
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/tensor.h"
#include "ops/op_table.h"
#include "vm/valid_module.h"

namespace tally {

struct LongElement {
  Opcode op;
  ValueId first;  // the first of its results
  std::shared_ptr<const ValidModule> module;
  std::vector<Tensor> inputs;
};

struct NamedLongElement {
  std::string_view name;
  LongElement (*make)();
};

std::span<const NamedLongElement> LongElements();

}  // namespace tally
