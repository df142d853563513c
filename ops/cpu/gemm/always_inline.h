// For functions on vectors that must stay in registers through the loop of a kernel.
#pragma once

#define TALLY_INLINE __attribute__((always_inline)) inline
