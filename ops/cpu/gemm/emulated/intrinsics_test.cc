// The models of intrinsics against the instructions themselves, as far as this machine has them; and what
// models refuse.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/testing/ran.h"
#include "base/testing/random_source.h"
#include "ops/cpu/gemm/emulated/cases.h"

namespace tally {
namespace {

constexpr uint64_t kSeeds = 300;

// Bytes of any value, or only the ends of signed and unsigned ones, or a few values: then lanes are equal or
// small.
IntrinsicOperands Draw(uint64_t seed) {
  RandomSource source(seed);
  IntrinsicOperands o;
  constexpr std::array<uint8_t, 4> kEnds = {0x00, 0x7f, 0x80, 0xff};
  const int64_t kind = source.Between(0, 3);
  for (uint8_t& byte : o.memory) {
    byte = kind == 0   ? kEnds[source.Between(0, 3)]
           : kind == 1 ? static_cast<uint8_t>(source.Between(-2, 1))
                       : static_cast<uint8_t>(source.Between(0, 255));
  }
  if (kind == 2) std::fill(o.memory + 64, o.memory + 128, static_cast<uint8_t>(source.Between(0, 255)));
  // Counts of shifts and indices within and just beyond their lanes.
  if (kind == 3) {
    for (int i = 64; i < 128; i += 4) {
      const std::array<uint8_t, 4> count = {static_cast<uint8_t>(source.Between(-70, 70)), 0, 0, 0};
      std::copy(count.begin(), count.end(), o.memory + i);
    }
  }
  o.mask = seed % 5 == 0 ? ~uint64_t{0} : static_cast<uint64_t>(source.Between(0, INT64_MAX)) * 2 + seed % 2;
  o.count = static_cast<uint64_t>(source.Between(0, 255));
  return o;
}

using Result = std::array<uint8_t, kResultBytes>;

Result ResultOf(const IntrinsicCase& c, const IntrinsicOperands& o) {
  alignas(64) Result result = {};
  c.run(o, result.data());
  return result;
}

TEST(Intrinsics, ModelsComputeWhatInstructionsDo) {
  const IntrinsicCases natives = native::Cases(), models = emulated::Cases();
  ASSERT_EQ(natives.count, models.count);
  for (int i = 0; i < models.count; ++i) {
    const IntrinsicCase& model = models.cases[i];
    if (!DetectCpuFlags().HasAll(model.flags) || !DetectCpuFlags().HasAll(natives.needed)) {
      std::cout << "skipped " << model.name << ": this machine lacks it\n";
      SayRan("instructions beside their models", LevelOf(model.flags), "not run: this machine lacks them");
      continue;
    }
    for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
      const IntrinsicOperands o = Draw(seed);
      const Result expected = ResultOf(natives.cases[i], o), found = ResultOf(model, o);
      const auto differ = std::mismatch(expected.begin(), expected.end(), found.begin());
      ASSERT_EQ(differ.first, expected.end())
          << model.name << ", seed " << seed << ": byte " << differ.first - expected.begin() << " is "
          << int{*differ.second} << ", not " << int{*differ.first};
    }
    SayRan("instructions beside their models", LevelOf(model.flags), kHere);
  }
}

}  // namespace
}  // namespace tally
