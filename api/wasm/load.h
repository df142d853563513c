// Modules whose bytes JavaScript has written into WebAssembly memory.
#pragma once

#include <cstddef>

#include "api/c/tally.h"

extern "C" {

// `size` bytes that begin at a multiple of 64; null where there are none. `free` frees them.
void* tally_allocate_aligned(size_t size);

// tally_module_load_bytes of memory of tally_allocate_aligned, which is freed with the module or, where
// loading fails, at once. Sets the options' `release` and `user`.
tally_status tally_module_load_owned(void* bytes, size_t size, tally_load_options* options,
                                     tally_module* module, tally_error* error);
}
