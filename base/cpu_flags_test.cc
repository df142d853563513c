#include "base/cpu_flags.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"

namespace tally {
namespace {

TEST(CpuFlags, AreASet) {
  const CpuFlags none;
  const CpuFlags avx2 = none.With(CpuFlag::kAvx2);
  EXPECT_FALSE(none.Has(CpuFlag::kAvx2));
  EXPECT_TRUE(avx2.Has(CpuFlag::kAvx2));
  EXPECT_FALSE(avx2.Has(CpuFlag::kAvx512));
  EXPECT_EQ(avx2.With(CpuFlag::kAvx2), avx2);
  EXPECT_EQ(avx2.With(CpuFlag::kShaNi).Without(CpuFlag::kShaNi), avx2);
  EXPECT_TRUE(avx2.HasAll(none));
  EXPECT_FALSE(avx2.HasAll(avx2.With(CpuFlag::kShaNi)));
}

TEST(CpuFlags, NamesAreOnePerFlagInOrder) {
  CpuFlags all;
  uint32_t expected_bit = 1;
  for (const auto& [flag, name] : kCpuFlagNames) {
    EXPECT_EQ(static_cast<uint32_t>(flag), expected_bit) << name;
    expected_bit <<= 1;
    all = all.With(flag);
  }
  EXPECT_EQ(CpuFlagsToString(all),
            "sse41 sha_ni avx2 avx512 avx512vnni amx_int8 avx512vbmi neon dotprod i8mm avxvnni simd128");
  EXPECT_EQ(CpuFlagsToString(CpuFlags()), "");
}

TEST(CpuFlags, ACapKeepsWhatALevelHas) {
  const CpuFlags cpu = CpuFlags().With(CpuFlag::kAvx2).With(CpuFlag::kAvx512).With(CpuFlag::kAvx512Vnni);
  EXPECT_EQ(CapCpuFlags(cpu, "portable"), CpuFlags());
  EXPECT_EQ(CapCpuFlags(cpu, "avx2"), CpuFlags().With(CpuFlag::kAvx2));
  EXPECT_EQ(CapCpuFlags(cpu, "avx512"), cpu.Without(CpuFlag::kAvx512Vnni));
  EXPECT_EQ(CapCpuFlags(cpu, "amx_int8"), cpu);  // a cap adds nothing
  EXPECT_EQ(CapCpuFlags(cpu, "i8mm"), CpuFlags());
  EXPECT_EQ(CapCpuFlags(cpu, "sse9"), std::nullopt);
}

TEST(CpuFlags, LevelsOfAMachineAreThoseThatAddSomething) {
  using Levels = std::vector<std::string_view>;
  EXPECT_EQ(CpuLevelsOf(CpuFlags()), Levels({"portable"}));
  const CpuFlags avx512 = CpuFlags().With(CpuFlag::kAvx2).With(CpuFlag::kAvx512);
  EXPECT_EQ(CpuLevelsOf(avx512), Levels({"portable", "avx2", "avx512"}));
  // The 256-bit form of VNNI is a level of its own, which AVX-512 does not include.
  EXPECT_EQ(CpuLevelsOf(avx512.With(CpuFlag::kAvxVnni)), Levels({"portable", "avx2", "avxvnni", "avx512"}));
  EXPECT_FALSE(CapCpuFlags(avx512.With(CpuFlag::kAvxVnni), "avx512")->Has(CpuFlag::kAvxVnni));
  const CpuFlags arm = CpuFlags().With(CpuFlag::kNeon).With(CpuFlag::kI8mm);
  EXPECT_EQ(CpuLevelsOf(arm), Levels({"portable", "neon", "i8mm"}));
  EXPECT_EQ(AllCpuLevels(),
            "portable, avx2, avxvnni, avx512, avx512vnni, amx_int8, neon, dotprod, i8mm, simd128");
}

#if defined(__aarch64__)
constexpr char kFlagsLine[] = "Features";
#else
constexpr char kFlagsLine[] = "flags";
#endif

// The flags that the kernel has found. An emulator may show the file of another machine, without such a line.
std::set<std::string> KernelFlags() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    if (!line.starts_with(kFlagsLine)) continue;
    std::istringstream words(line);
    return {std::istream_iterator<std::string>(words), {}};
  }
  return {};
}

TEST(CpuFlags, DetectionAgreesWithTheKernel) {
  const std::set<std::string> kernel = KernelFlags();
  if (kernel.empty()) GTEST_SKIP() << "/proc/cpuinfo lists no flags of this kind of processor";
  const auto has_all = [&](const std::set<std::string>& names) {
    return std::includes(kernel.begin(), kernel.end(), names.begin(), names.end());
  };
  const CpuFlags cpu = DetectCpuFlags();
  EXPECT_EQ(cpu.Has(CpuFlag::kSse41), has_all({"sse4_1", "ssse3"}));
  EXPECT_EQ(cpu.Has(CpuFlag::kShaNi), has_all({"sha_ni"}));
  EXPECT_EQ(cpu.Has(CpuFlag::kAvx2), has_all({"avx2"}));
  EXPECT_EQ(cpu.Has(CpuFlag::kAvxVnni), has_all({"avx2", "avx_vnni"}));
  EXPECT_EQ(cpu.Has(CpuFlag::kAvx512Vbmi),
            has_all({"avx512vbmi", "avx512f", "avx512bw", "avx512dq", "avx512vl"}));
  EXPECT_EQ(cpu.Has(CpuFlag::kAvx512), has_all({"avx512f", "avx512bw", "avx512dq", "avx512vl"}));
  EXPECT_EQ(cpu.Has(CpuFlag::kAvx512Vbmi),
            has_all({"avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512vbmi"}));
  EXPECT_EQ(cpu.Has(CpuFlag::kAvx512Vnni), has_all({"avx512f", "avx512_vnni"}));
  // One way only: a sandbox may withhold the tile registers of a processor that has them.
  EXPECT_TRUE(!cpu.Has(CpuFlag::kAmxInt8) || has_all({"amx_tile", "amx_int8"}));
  EXPECT_EQ(cpu.Has(CpuFlag::kNeon), has_all({"asimd"}));
  EXPECT_EQ(cpu.Has(CpuFlag::kDotProd), has_all({"asimddp"}));
  EXPECT_EQ(cpu.Has(CpuFlag::kI8mm), has_all({"i8mm"}));
}

}  // namespace
}  // namespace tally
