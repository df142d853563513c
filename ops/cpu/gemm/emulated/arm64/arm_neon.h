// Takes the place of the compiler's <arm_neon.h>: models of the intrinsics that kernels use, as the
// pseudocode of the Arm Architecture Reference Manual defines them.
#pragma once

#include "ops/cpu/gemm/emulated/neon.h"
#include "ops/cpu/gemm/emulated/neon_moves.h"
