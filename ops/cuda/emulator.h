// Runs a kernel on the host as a GPU would, and refuses what a GPU would let pass.
//
//   RETURN_IF_ERROR(Emulate(kernel, memory, &params, {.grid = {blocks}, .block = 256}));
//
// Blocks run one after another, the threads of a block in turns: each until it waits for others. So every
// interleaving that shared memory and barriers allow has the same result, or the launch is refused:
// - a barrier or an operation of a warp that some threads reach elsewhere or not at all,
// - a byte of shared memory that two threads touch between two barriers, one of them writing,
// - shared memory that is read before it is written, or while an asynchronous copy writes it,
// - an address outside of shared memory, or not aligned.
#pragma once

#include "absl/status/status.h"
#include "ops/cuda/launch.h"
#include "ops/cuda/thread.h"

namespace tally::cuda {

using EmulatedKernel = void (*)(const Thread&, const Memory&, const void* params);

enum class Order { kForward, kBackward };  // in which blocks and threads run

// Errors: what is wrong, with the line of the kernel's source; the memory then has any content.
absl::Status Emulate(EmulatedKernel kernel, const Memory& memory, const void* params,
                     const LaunchShape& shape, Order order = Order::kForward);

}  // namespace tally::cuda
