// Tables of kernels, each beside the functions that it names.
//
//   constexpr auto kKernels = JoinKernels(
//       EveryIsaAndLayout<"clip">({.op = Opcode::kClip, .in_place = true},
//                                 []<Isa isa, Layout layout>() { return kKernel<PrepareClip, Clip<isa>>; }),
//       ...);
//   KernelTable ClipKernels() { return kKernels; }
//
// Its entries are clip_avx512, clip_avx2, clip_portable, and clip_nhwc_avx512 and so on for channels last.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "ops/cpu/isa.h"
#include "ops/kernel.h"

namespace tally {

using KernelTable = std::span<const KernelEntry>;  // best first

// The parameters of kernels that take every call, and read nothing besides, or their attributes.
struct NoParams {};
inline std::optional<Prepared<NoParams>> PrepareAlways(const KernelFacts&) { return Prepared<NoParams>{}; }
template <typename Attrs>
std::optional<Prepared<Attrs>> PrepareAttrs(const KernelFacts& facts) {
  return Prepared<Attrs>{facts.attrs<Attrs>()};
}

inline constexpr CpuFlags kNoFlags;
inline constexpr CpuFlags kFlagsAvx2 = CpuFlags().With(CpuFlag::kAvx2);
inline constexpr CpuFlags kFlagsAvxVnni = kFlagsAvx2.With(CpuFlag::kAvxVnni);
inline constexpr CpuFlags kFlagsAvx512 = kFlagsAvx2.With(CpuFlag::kAvx512);
inline constexpr CpuFlags kFlagsAvx512Vbmi = kFlagsAvx512.With(CpuFlag::kAvx512Vbmi);
inline constexpr CpuFlags kFlagsVnni = kFlagsAvx512Vbmi.With(CpuFlag::kAvx512Vnni);
inline constexpr CpuFlags kFlagsSimd128 = CpuFlags().With(CpuFlag::kSimd128);
inline constexpr CpuFlags kFlagsAmx = kFlagsVnni.With(CpuFlag::kAmxInt8);

// Two functions of one type of parameters, without it.
struct KernelFunctions {
  decltype(KernelEntry::prepare) prepare;
  decltype(KernelEntry::run) run;
};

template <auto prepare>
using ParamsOf = decltype(prepare(std::declval<const KernelFacts&>())->params);

template <auto prepare>
std::optional<PreparedKernel> PrepareUntyped(const KernelFacts& facts) {
  auto prepared = prepare(facts);
  if (!prepared) return std::nullopt;
  if constexpr (std::is_empty_v<ParamsOf<prepare>>) {
    return PreparedKernel{nullptr, prepared->scratch_bytes};
  } else {
    const int64_t scratch_bytes = prepared->scratch_bytes;
    return PreparedKernel{std::make_shared<const ParamsOf<prepare>>(std::move(prepared->params)),
                          scratch_bytes};
  }
}

template <typename Params>
using RunFn = void (*)(const Params&, const KernelCall&) noexcept;

template <typename Params, RunFn<Params> run>
void RunUntyped(const void* params, const KernelCall& call) noexcept {
  if constexpr (std::is_empty_v<Params>) {
    run({}, call);
  } else {
    run(*static_cast<const Params*>(params), call);
  }
}

// Does not compile where `run` reads what `prepare` does not make.
template <auto prepare, auto run>
requires std::is_same_v<decltype(run), RunFn<ParamsOf<prepare>>>
inline constexpr KernelFunctions kKernel = {PrepareUntyped<prepare>, RunUntyped<ParamsOf<prepare>, run>};

// A string as a template argument, and with more after it.
template <size_t kSize>
struct KernelName {
  char text[kSize + 1] = {};
  constexpr KernelName() = default;
  constexpr KernelName(const char (&from)[kSize + 1]) { std::copy_n(from, kSize, text); }
  constexpr operator std::string_view() const { return {text, kSize}; }
};
template <size_t kSizeWithEnd>
KernelName(const char (&)[kSizeWithEnd]) -> KernelName<kSizeWithEnd - 1>;

template <KernelName kFirst, KernelName kSecond>
inline constexpr auto kJoinedName = [] {
  constexpr std::string_view first = kFirst, second = kSecond;
  KernelName<first.size() + second.size()> joined;
  std::copy_n(second.data(), second.size(), std::copy_n(first.data(), first.size(), joined.text));
  return joined;
}();

struct KernelTraits {
  Opcode op;
  bool in_place = false;  // see KernelEntry
};

constexpr std::array<KernelEntry, 1> OneKernel(std::string_view name, KernelTraits traits, CpuFlags flags,
                                               Layout layout, KernelFunctions kernel) {
  return {{{traits.op, name, flags, layout, traits.in_place, kernel.prepare, kernel.run}}};
}

template <size_t... kSizes>
constexpr auto JoinKernels(const std::array<KernelEntry, kSizes>&... tables) {
  std::array<KernelEntry, (kSizes + ...)> all = {};
  auto to = all.begin();
  ((to = std::copy(tables.begin(), tables.end(), to)), ...);
  return all;
}

// kernel.operator()<isa>() for each instruction set of this processor's family, for values in `layout`.
template <KernelName kName, typename Kernel>
constexpr auto EveryIsa(KernelTraits traits, Kernel kernel, Layout layout = Layout::kRowMajor) {
  const auto portable = OneKernel(kJoinedName<kName, "_portable">, traits, kNoFlags, layout,
                                  kernel.template operator()<Isa::kPortable>());
#if defined(__x86_64__)
  return JoinKernels(OneKernel(kJoinedName<kName, "_avx512">, traits, kFlagsAvx512, layout,
                               kernel.template operator()<Isa::kAvx512>()),
                     OneKernel(kJoinedName<kName, "_avx2">, traits, kFlagsAvx2, layout,
                               kernel.template operator()<Isa::kAvx2>()),
                     portable);
#elif defined(__wasm__)
  return JoinKernels(OneKernel(kJoinedName<kName, "_simd128">, traits, kFlagsSimd128, layout,
                               kernel.template operator()<Isa::kSimd128>()),
                     portable);
#else
  return portable;
#endif
}

// The same, of kernel.operator()<isa, layout>(), for both layouts.
template <KernelName kName, typename Kernel>
constexpr auto EveryIsaAndLayout(KernelTraits traits, Kernel kernel) {
  const auto in = [&]<Layout layout>() {
    return [&]<Isa isa>() { return kernel.template operator()<isa, layout>(); };
  };
  return JoinKernels(EveryIsa<kName>(traits, in.template operator()<Layout::kRowMajor>()),
                     EveryIsa<kJoinedName<kName, "_nhwc">>(
                         traits, in.template operator()<Layout::kChannelsLast>(), Layout::kChannelsLast));
}

}  // namespace tally
