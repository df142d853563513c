#include "ops/cpu/kernel_table.h"

#include <gtest/gtest.h>

namespace tally {
namespace {

struct Params {
  int64_t answer;
  bool channels_last;
};

// Takes calls with results.
std::optional<Prepared<Params>> PrepareAnswer(const KernelFacts& facts) {
  if (facts.results.empty()) return std::nullopt;
  return Prepared<Params>{{42, facts.layout == Layout::kChannelsLast}, 64};
}

template <Isa, Layout layout>
void Answer(const Params& p, const KernelCall& call) noexcept {
  const bool agrees = p.channels_last == (layout == Layout::kChannelsLast);
  StoreElement(Storage::kI64, call.scratch, call.part, agrees ? p.answer : 0);
}

void Nothing(const NoParams&, const KernelCall&) noexcept {}

constexpr auto kKernels = JoinKernels(
    OneKernel("constant_fast", {.op = Opcode::kConstant}, kFlagsAvx2, Layout::kRowMajor,
              kKernel<PrepareAlways, Nothing>),
    EveryIsaAndLayout<"clip">({.op = Opcode::kClip, .in_place = true}, []<Isa isa, Layout layout>() {
      return kKernel<PrepareAnswer, Answer<isa, layout>>;
    }));

TEST(KernelTable, NamesEntriesAfterInstructionSetsAndLayouts) {
  std::vector<std::string_view> names;
  for (const KernelEntry& entry : kKernels) names.push_back(entry.name);
#if defined(__x86_64__)
  EXPECT_EQ(names,
            (std::vector<std::string_view>{"constant_fast", "clip_avx512", "clip_avx2", "clip_portable",
                                           "clip_nhwc_avx512", "clip_nhwc_avx2", "clip_nhwc_portable"}));
#else
  EXPECT_EQ(names, (std::vector<std::string_view>{"constant_fast", "clip_portable", "clip_nhwc_portable"}));
#endif
}

TEST(KernelTable, HasWhatEachEntryNeeds) {
  for (const KernelEntry& entry : kKernels) {
    const bool is_clip = entry.op == Opcode::kClip;
    EXPECT_EQ(entry.in_place, is_clip) << entry.name;
    EXPECT_EQ(entry.layout == Layout::kChannelsLast, entry.name.find("nhwc") != entry.name.npos)
        << entry.name;
    EXPECT_EQ(entry.flags == CpuFlags(), entry.name.ends_with("portable")) << entry.name;
  }
}

TEST(KernelTable, RunsOnWhatWasPrepared) {
  const TensorType type;
  for (const KernelEntry& entry : kKernels) {
    if (entry.op != Opcode::kClip) continue;
    EXPECT_FALSE(entry.prepare({.layout = entry.layout}).has_value()) << entry.name;
    const auto prepared = entry.prepare({.results = {&type, 1}, .layout = entry.layout});
    ASSERT_TRUE(prepared.has_value()) << entry.name;
    EXPECT_EQ(prepared->scratch_bytes, 64);
    int64_t answers[2] = {};
    entry.run(prepared->params.get(),
              {.scratch = reinterpret_cast<uint8_t*>(answers), .part = 1, .parts = 2});
    EXPECT_EQ(answers[0], 0);
    EXPECT_EQ(answers[1], 42) << entry.name;
  }
}

TEST(KernelTable, KeepsNothingForAKernelWithoutParameters) {
  const auto prepared = kKernels[0].prepare({});
  ASSERT_TRUE(prepared.has_value());
  EXPECT_EQ(prepared->params, nullptr);
  kKernels[0].run(prepared->params.get(), {});
}

// A kernel that cannot be bound does not compile: parameters of another type.
template <auto prepare, auto run>
concept Binds = requires {
  kKernel<prepare, run>;
};
static_assert(Binds<PrepareAnswer, Answer<Isa::kPortable, Layout::kRowMajor>>);
static_assert(!Binds<PrepareAlways, Answer<Isa::kPortable, Layout::kRowMajor>>);

}  // namespace
}  // namespace tally
