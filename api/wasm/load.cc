#include "api/wasm/load.h"

#include <cstdlib>

extern "C" void* tally_allocate_aligned(size_t size) {
  constexpr size_t kLine = 64;
  return std::aligned_alloc(kLine, (size + kLine - 1) / kLine * kLine);
}

extern "C" tally_status tally_module_load_owned(void* bytes, size_t size, tally_load_options* options,
                                                tally_module* module, tally_error* error) {
  options->release = std::free;
  options->user = bytes;
  return tally_module_load_bytes(bytes, size, options, module, error);
}
