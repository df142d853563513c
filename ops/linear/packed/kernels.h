// The functions of kernels.inc.
#pragma once

#include "ops/linear/packed/block.h"

namespace tally {

#define TALLY_BLOCK_KERNEL(name, Function, flags, element, rows, granules) \
  void Function(const BlockCall&) noexcept;
#include "ops/linear/packed/kernels.inc"
#undef TALLY_BLOCK_KERNEL

}  // namespace tally
