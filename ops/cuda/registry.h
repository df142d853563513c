// Which operators the cuda engine has kernels for, from ops/<family>/cuda/kernels.inc.
//
//   if (const auto prepared = Prepare(facts, arch)) ...  // else the reference of the operator
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "ops/cuda/launch.h"
#include "ops/kernel.h"

namespace tally::cuda {

enum class Layouts : uint8_t {
  kRowMajor,
  kEvery,  // row-major or channels last, as KernelFacts::layout says
};

// `prepare`: a pure function; nothing when it does not take the call. On a GPU the constants among the operands lie in
// the layout of the call, as all others do; KernelFacts::constants are row-major.
struct KernelEntry {
  Opcode op;
  std::string_view name;
  Arch arch;  // of the devices that it is for
  Layouts layouts;
  std::optional<Work> (*prepare)(const KernelFacts&);
};

// Those of one operator stand together, best first.
std::span<const KernelEntry> AllKernelEntries();

struct Prepared {
  const KernelEntry* entry;
  Work work;
};

// Of the first entry for devices of `arch` that takes the call in its layout, and needs no working memory out of
// proportion.
std::optional<Prepared> Prepare(const KernelFacts& facts, Arch arch);

}  // namespace tally::cuda
