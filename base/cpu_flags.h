// The instruction sets that this processor and its operating system let a program use, as a value.
//
//   const CpuFlags cpu = DetectCpuFlags();
//   if (cpu.Has(CpuFlag::kAvx2)) ...
//
// Selection of a kernel is a pure function of such a value, so tests and users can cap it:
//   const CpuFlags capped = cpu.Without(CpuFlag::kAvx512);
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tally {

// Each flag stands for a set of instructions that kernels use together.
enum class CpuFlag : uint32_t {
  kSse41 = 1 << 0,  // SSE4.1 and SSSE3
  kShaNi = 1 << 1,  // the SHA-256 instructions
  kAvx2 = 1 << 2,
  kAvx512 = 1 << 3,      // F, BW, DQ and VL
  kAvx512Vnni = 1 << 4,  // the 512-bit form
  kAmxInt8 = 1 << 5,     // tiles and their 8-bit product; Linux has granted this process the tile registers
  kAvx512Vbmi = 1 << 6,  // permutations of bytes
  kNeon = 1 << 7,        // every 64-bit Arm processor has it
  kDotProd = 1 << 8,     // SDOT and UDOT
  kI8mm = 1 << 9,        // SMMLA and similar
  kAvxVnni = 1 << 10,    // the 256-bit form
  kSimd128 = 1 << 11,    // WebAssembly's vectors
};

struct CpuFlagRow {
  CpuFlag flag;
  std::string_view name;
};

inline constexpr std::array<CpuFlagRow, 12> kCpuFlagNames = {{
    {CpuFlag::kSse41, "sse41"},
    {CpuFlag::kShaNi, "sha_ni"},
    {CpuFlag::kAvx2, "avx2"},
    {CpuFlag::kAvx512, "avx512"},
    {CpuFlag::kAvx512Vnni, "avx512vnni"},
    {CpuFlag::kAmxInt8, "amx_int8"},
    {CpuFlag::kAvx512Vbmi, "avx512vbmi"},
    {CpuFlag::kNeon, "neon"},
    {CpuFlag::kDotProd, "dotprod"},
    {CpuFlag::kI8mm, "i8mm"},
    {CpuFlag::kAvxVnni, "avxvnni"},
    {CpuFlag::kSimd128, "simd128"},
}};

class CpuFlags {
 public:
  constexpr bool Has(CpuFlag flag) const { return (bits_ & static_cast<uint32_t>(flag)) != 0; }
  constexpr CpuFlags And(CpuFlags other) const { return CpuFlags(bits_ & other.bits_); }
  constexpr bool HasAll(CpuFlags required) const { return (required.bits_ & ~bits_) == 0; }
  constexpr CpuFlags With(CpuFlag flag) const { return CpuFlags(bits_ | static_cast<uint32_t>(flag)); }
  constexpr CpuFlags Without(CpuFlag flag) const { return CpuFlags(bits_ & ~static_cast<uint32_t>(flag)); }
  friend constexpr bool operator==(CpuFlags, CpuFlags) = default;

  constexpr CpuFlags() = default;

 private:
  constexpr explicit CpuFlags(uint32_t bits) : bits_(bits) {}
  uint32_t bits_ = 0;
};

// Reads CPUID and the register state that the operating system saves (or Arm's hardware capabilities). The
// first call that finds AMX asks Linux for permission to use it, which holds for the rest of the process.
CpuFlags DetectCpuFlags();

// The part of `flags` that kernels may use up to a level of instruction sets. Levels are "portable", then
// "avx2", "avx512", "avx512vnni", "amx_int8" on x86 and "neon", "dotprod", "i8mm" on Arm, each with all
// before it; "avxvnni", which is avx2 and the 256-bit form of VNNI; and "simd128" in WebAssembly. Empty for
// another name.
std::optional<CpuFlags> CapCpuFlags(CpuFlags flags, std::string_view level);

// "portable", and the levels that add something of `flags` to the ones before them.
std::vector<std::string_view> CpuLevelsOf(CpuFlags flags);

// All of them, for a message: "portable, avx2, ..".
std::string AllCpuLevels();

// "sse41 avx2", in the order of the enum; "" when there are none.
std::string CpuFlagsToString(CpuFlags flags);

}  // namespace tally
