#include "ops/kernels.h"

#include "ops/all_kernels.h"
#include "ops/cpu/isa.h"

namespace tally {
namespace {

constexpr CpuFlags kNoFlags;
constexpr CpuFlags kFlagsAvx2 = CpuFlags().With(CpuFlag::kAvx2);
constexpr CpuFlags kFlagsAvx512 = kFlagsAvx2.With(CpuFlag::kAvx512);
constexpr CpuFlags kFlagsAvx512Vbmi = kFlagsAvx512.With(CpuFlag::kAvx512Vbmi);
constexpr CpuFlags kFlagsVnni = kFlagsAvx512Vbmi.With(CpuFlag::kAvx512Vnni);
constexpr CpuFlags kFlagsAmx = kFlagsVnni.With(CpuFlag::kAmxInt8);

#define TALLY_KERNEL(Op, name, flags, layout, accepts, scratch, in_place, fn) \
  KernelEntry{Opcode::k##Op, name, flags, Layout::layout, accepts, scratch, in_place, fn},

// A kernel template over Isa as an entry for each.
#if defined(__x86_64__)
#define TALLY_KERNELS(Op, name, layout, accepts, scratch, in_place, Fn)                                \
  TALLY_KERNEL(Op, name "_avx512", kFlagsAvx512, layout, accepts, scratch, in_place, Fn<Isa::kAvx512>) \
  TALLY_KERNEL(Op, name "_avx2", kFlagsAvx2, layout, accepts, scratch, in_place, Fn<Isa::kAvx2>)       \
  TALLY_KERNEL(Op, name "_portable", kNoFlags, layout, accepts, scratch, in_place, Fn<Isa::kPortable>)
#define TALLY_KERNELS_IN(Op, name, layout, accepts, scratch, in_place, Fn)           \
  TALLY_KERNEL(Op, name "_avx512", kFlagsAvx512, layout, accepts, scratch, in_place, \
               (Fn<Isa::kAvx512, Layout::layout>))                                   \
  TALLY_KERNEL(Op, name "_avx2", kFlagsAvx2, layout, accepts, scratch, in_place,     \
               (Fn<Isa::kAvx2, Layout::layout>))                                     \
  TALLY_KERNEL(Op, name "_portable", kNoFlags, layout, accepts, scratch, in_place,   \
               (Fn<Isa::kPortable, Layout::layout>))
#else
#define TALLY_KERNELS(Op, name, layout, accepts, scratch, in_place, Fn) \
  TALLY_KERNEL(Op, name "_portable", kNoFlags, layout, accepts, scratch, in_place, Fn<Isa::kPortable>)
#define TALLY_KERNELS_IN(Op, name, layout, accepts, scratch, in_place, Fn)         \
  TALLY_KERNEL(Op, name "_portable", kNoFlags, layout, accepts, scratch, in_place, \
               (Fn<Isa::kPortable, Layout::layout>))
#endif
// A kernel template over Isa and Layout as an entry for each of both.
#define TALLY_LAYOUT_KERNELS(Op, name, accepts, scratch, in_place, Fn)  \
  TALLY_KERNELS_IN(Op, name, kRowMajor, accepts, scratch, in_place, Fn) \
  TALLY_KERNELS_IN(Op, name "_nhwc", kChannelsLast, accepts, scratch, in_place, Fn)

constexpr KernelEntry kKernels[] = {
#include "ops/all_kernels.inc"
};

}  // namespace

std::span<const KernelEntry> AllKernels() { return kKernels; }

const KernelEntry* SelectKernel(const KernelFacts& facts, CpuFlags flags) {
  for (const KernelEntry& entry : kKernels) {
    if (entry.op == facts.op && entry.layout == facts.layout && flags.HasAll(entry.flags) &&
        entry.accepts(facts)) {
      return &entry;
    }
  }
  return nullptr;
}

}  // namespace tally
