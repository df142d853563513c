// WebAssembly's vectors on every machine, by SIMDe.
#pragma once

#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/wasm/simd128.h>
