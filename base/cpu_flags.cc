#include "base/cpu_flags.h"

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace tally {
namespace {

[[maybe_unused]] constexpr bool HasBit(uint64_t word, int bit) { return (word >> bit & 1) != 0; }
[[maybe_unused]] constexpr bool HasMask(uint64_t word, uint64_t mask) { return (word & mask) == mask; }

#if defined(__x86_64__)

// Register state the operating system saves on a context switch (the bits of XCR0).
constexpr uint64_t kYmmState = 0x6;               // XMM, upper YMM
constexpr uint64_t kZmmState = kYmmState | 0xe0;  // opmasks, upper ZMM, ZMM16-31
constexpr uint64_t kTileState = 0x60000;          // tile configuration and data

uint64_t SavedState() {
  uint32_t low, high;
  asm("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t{high} << 32 | low;
}

// Since 5.16 Linux delivers SIGILL on tile instructions unless the process has asked for them.
bool RequestTileRegisters() {
#if defined(__linux__)
  constexpr int kArchReqXcompPerm = 0x1023;
  constexpr int kTileDataFeature = 18;
  return syscall(SYS_arch_prctl, kArchReqXcompPerm, kTileDataFeature) == 0;
#else
  return false;
#endif
}

CpuFlags Detect() {
  CpuFlags flags;
  uint32_t eax, ebx, ecx, edx;
  if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx)) return flags;
  const uint32_t leaf1_ecx = ecx;
  const bool sse41 = HasBit(leaf1_ecx, 9) && HasBit(leaf1_ecx, 19);
  const bool os_saves_state = HasBit(leaf1_ecx, 27);
  if (sse41) flags = flags.With(CpuFlag::kSse41);
  if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) return flags;
  if (sse41 && HasBit(ebx, 29)) flags = flags.With(CpuFlag::kShaNi);

  const uint64_t state = os_saves_state ? SavedState() : 0;
  if (HasMask(state, kYmmState) && HasBit(ebx, 5)) {
    flags = flags.With(CpuFlag::kAvx2);
    uint32_t leaf7_1_eax = 0, b, c, d;
    if (__get_cpuid_count(7, 1, &leaf7_1_eax, &b, &c, &d) && HasBit(leaf7_1_eax, 4)) {
      flags = flags.With(CpuFlag::kAvxVnni);
    }
  }
  constexpr uint64_t kFDqBwVl = 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31;
  if (HasMask(state, kZmmState) && HasMask(ebx, kFDqBwVl)) {
    flags = flags.With(CpuFlag::kAvx512);
    if (HasBit(ecx, 11)) flags = flags.With(CpuFlag::kAvx512Vnni);
    if (HasBit(ecx, 1)) flags = flags.With(CpuFlag::kAvx512Vbmi);
  }
  constexpr uint64_t kTileInt8 = 1u << 24 | 1u << 25;
  if (HasMask(state, kTileState) && HasMask(edx, kTileInt8) && RequestTileRegisters()) {
    flags = flags.With(CpuFlag::kAmxInt8);
  }
  return flags;
}

#elif defined(__aarch64__) && defined(__linux__)

CpuFlags Detect() {
  CpuFlags flags;
  if (HasMask(getauxval(AT_HWCAP), HWCAP_ASIMD)) flags = flags.With(CpuFlag::kNeon);
  if (HasMask(getauxval(AT_HWCAP), HWCAP_ASIMDDP)) flags = flags.With(CpuFlag::kDotProd);
  if (HasMask(getauxval(AT_HWCAP2), HWCAP2_I8MM)) flags = flags.With(CpuFlag::kI8mm);
  return flags;
}

#elif defined(__wasm__)

// An engine without vectors refuses the whole module.
CpuFlags Detect() { return CpuFlags().With(CpuFlag::kSimd128); }

#else

CpuFlags Detect() { return CpuFlags(); }

#endif

struct CpuLevel {
  std::string_view name;
  CpuFlags flags;  // with those of the levels below it
};

using enum CpuFlag;
constexpr CpuFlags kUpToAvx2 = CpuFlags().With(kSse41).With(kShaNi).With(kAvx2);
constexpr CpuFlags kUpToAvx512 = kUpToAvx2.With(kAvx512);
constexpr CpuFlags kUpToVnni = kUpToAvx512.With(kAvx512Vnni).With(kAvx512Vbmi);
constexpr CpuFlags kUpToNeon = CpuFlags().With(kNeon);
constexpr CpuFlags kUpToDotProd = kUpToNeon.With(kDotProd);

// Those of one family of processors in order.
constexpr CpuLevel kLevels[] = {
    {"portable", CpuFlags()},
    {"avx2", kUpToAvx2},
    {"avxvnni", kUpToAvx2.With(kAvxVnni)},
    {"avx512", kUpToAvx512},
    {"avx512vnni", kUpToVnni},
    {"amx_int8", kUpToVnni.With(kAmxInt8)},
    {"neon", kUpToNeon},
    {"dotprod", kUpToDotProd},
    {"i8mm", kUpToDotProd.With(kI8mm)},
    {"simd128", CpuFlags().With(kSimd128)},
};

}  // namespace

CpuFlags DetectCpuFlags() {
  static const CpuFlags flags = Detect();
  return flags;
}

std::optional<CpuFlags> CapCpuFlags(CpuFlags flags, std::string_view level) {
  for (const CpuLevel& row : kLevels) {
    if (row.name == level) return flags.And(row.flags);
  }
  return std::nullopt;
}

std::vector<std::string_view> CpuLevelsOf(CpuFlags flags) {
  std::vector<std::string_view> levels;
  CpuFlags before;
  for (const CpuLevel& row : kLevels) {
    const CpuFlags capped = flags.And(row.flags);
    if (!levels.empty() && before.HasAll(capped)) continue;
    levels.push_back(row.name);
    before = capped;
  }
  return levels;
}

std::string AllCpuLevels() {
  std::string names;
  for (const CpuLevel& row : kLevels) names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

std::string CpuFlagsToString(CpuFlags flags) {
  std::string text;
  for (const auto& [flag, name] : kCpuFlagNames) {
    if (!flags.Has(flag)) continue;
    if (!text.empty()) text += ' ';
    text += name;
  }
  return text;
}

}  // namespace tally
