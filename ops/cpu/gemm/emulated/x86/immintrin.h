// Takes the place of the compiler's <immintrin.h>: models of the intrinsics that kernels use, as the
// pseudocode of the Intel 64 and IA-32 Architectures Software Developer's Manual defines them.
#pragma once

#include "ops/cpu/gemm/emulated/amx.h"
#include "ops/cpu/gemm/emulated/avx2.h"
#include "ops/cpu/gemm/emulated/avx512.h"
#include "ops/cpu/gemm/emulated/avx512_memory.h"
#include "ops/cpu/gemm/emulated/avx512_shuffles.h"
