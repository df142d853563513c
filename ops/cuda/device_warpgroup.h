// wgmma.mma_async of signed bytes, both operands in shared memory. sm_90a alone has it; elsewhere these are
// not called.
#pragma once

#include <cstdint>

namespace tally::cuda {

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

// The operands of an asm statement: registers d[i ..].
#define TALLY_D4(i) "+r"(d[i]), "+r"(d[(i) + 1]), "+r"(d[(i) + 2]), "+r"(d[(i) + 3])
#define TALLY_D16(i) TALLY_D4(i), TALLY_D4((i) + 4), TALLY_D4((i) + 8), TALLY_D4((i) + 12)
#define TALLY_D64(i) TALLY_D16(i), TALLY_D16((i) + 16), TALLY_D16((i) + 32), TALLY_D16((i) + 48)

// d [64, 128] += a [64, 32] b [128, 32]^T
TALLY_DEVICE void MultiplyAsync(int32_t (&d)[64], uint64_t a, uint64_t b) {
  asm volatile(
      "{.reg .pred adds;\n"
      "setp.ne.b32 adds, 1, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k32.s32.s8.s8 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15,"
      " %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31,"
      " %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47,"
      " %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
      "%64, %65, adds;}"
      : TALLY_D64(0)
      : "l"(a), "l"(b)
      : "memory");
}

// d [64, 256] += a [64, 32] b [256, 32]^T
TALLY_DEVICE void MultiplyAsync(int32_t (&d)[128], uint64_t a, uint64_t b) {
  asm volatile(
      "{.reg .pred adds;\n"
      "setp.ne.b32 adds, 1, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n256k32.s32.s8.s8 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15,"
      " %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31,"
      " %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47,"
      " %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63,"
      " %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79,"
      " %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95,"
      " %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111,"
      " %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "
      "%128, %129, adds;}"
      : TALLY_D64(0), TALLY_D64(64)
      : "l"(a), "l"(b)
      : "memory");
}

#undef TALLY_D64
#undef TALLY_D16
#undef TALLY_D4

#else

template <int kCount>
TALLY_DEVICE void MultiplyAsync(int32_t (&)[kCount], uint64_t, uint64_t) {
  __trap();
}

#endif

}  // namespace tally::cuda
