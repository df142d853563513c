// The operators that run on their references because an engine has no kernel for them: a list, so that none
// comes to do so unseen, and none stays on it when it gets a kernel.
#pragma once

#include <set>
#include <string_view>

#include "ops/lowerings.h"
#include "ops/op_table.h"

namespace tally {

struct WithoutKernel {
  std::string_view op;
  bool cpu, cuda;  // whether that engine lacks a kernel
};

// A new operator is on the list until its first kernel. Those that are lowered need none. `reshape` and
// `constant` only move a view in a plan of the cuda engine.
inline constexpr WithoutKernel kWithoutKernels[] = {
    {.op = "reshape", .cpu = true, .cuda = false},  // the same bytes under another type
    {.op = "constant", .cpu = true, .cuda = false}, {.op = "call", .cpu = true, .cuda = true},
    {.op = "if", .cpu = true, .cuda = true},        {.op = "loop", .cpu = true, .cuda = true},
};

// The operators that have neither a lowering nor, says `has_kernel(op)`, a kernel.
template <typename HasKernel>
std::set<std::string_view> OperatorsWithoutKernel(const HasKernel& has_kernel) {
  std::set<std::string_view> lacking;
  for (const OpInfo& op : AllOps()) {
    if (!has_kernel(op) && FindLowering(op.name) == nullptr) lacking.insert(op.name);
  }
  return lacking;
}

// Those of the list, for `engine`: the two sets have to be equal.
inline std::set<std::string_view> ListedWithoutKernel(bool WithoutKernel::*engine) {
  std::set<std::string_view> listed;
  for (const WithoutKernel& row : kWithoutKernels) {
    if (row.*engine) listed.insert(row.op);
  }
  return listed;
}

}  // namespace tally
