// Takes what instrumented code reports of its comparisons, and forgets it (fuzz_target.bzl).
#include <cstdint>

#define IGNORE_COMPARISON(hook, type) \
  extern "C" __attribute__((no_sanitize("coverage"))) void __wrap___sanitizer_cov_trace_##hook(type, type) {}

IGNORE_COMPARISON(cmp1, uint8_t)
IGNORE_COMPARISON(cmp2, uint16_t)
IGNORE_COMPARISON(cmp4, uint32_t)
IGNORE_COMPARISON(cmp8, uint64_t)
IGNORE_COMPARISON(const_cmp1, uint8_t)
IGNORE_COMPARISON(const_cmp2, uint16_t)
IGNORE_COMPARISON(const_cmp4, uint32_t)
IGNORE_COMPARISON(const_cmp8, uint64_t)

extern "C" __attribute__((no_sanitize("coverage"))) void __wrap___sanitizer_cov_trace_switch(uint64_t,
                                                                                             uint64_t*) {}
