// Takes the place of the compiler's <immintrin.h>: models of the intrinsics that kernels use, as the pseudocode of the
// Intel 64 and IA-32 Architectures Software Developer's Manual defines them.
#pragma once

#include "ops/linear/packed/emulated/amx.h"
#include "ops/linear/packed/emulated/avx2.h"
#include "ops/linear/packed/emulated/avx512.h"
#include "ops/linear/packed/emulated/avx512_memory.h"
#include "ops/linear/packed/emulated/avx512_shuffles.h"
