#include "ops/pooling/attrs.h"
#include "ops/pooling/cpu/kernel_tables.h"
#include "ops/pooling/cpu/plane_sums.h"

namespace tally {
namespace {

using pooling::ForEachSum;
using pooling::PrepareSums;
using pooling::RunPlanes;
using pooling::SumParams;

struct WindowSumParams {
  SumParams sum;
  int64_t zero;
};

// Windows over no more than the last three axes, and in channels-last over spatial ones.
bool SlidesOverPlanes(const KernelFacts& facts, const WindowSumAttrs& attrs) {
  const int rank = facts.operands[0].shape.rank();
  const int spatial = facts.layout == Layout::kChannelsLast ? rank - 2 : std::min(kPlaneAxes, rank);
  const auto all = [&](const std::vector<int64_t>& list, int64_t trivial) {
    return std::all_of(list.begin(), list.end() - spatial, [&](int64_t v) { return v == trivial; });
  };
  return all(attrs.kernel, 1) && all(attrs.stride, 1) && all(attrs.pad_begin, 0) && all(attrs.pad_end, 0);
}

std::optional<Prepared<WindowSumParams>> PrepareWindowSum(const KernelFacts& facts) {
  const auto attrs = facts.attrs<WindowSumAttrs>();
  if (!HasPlanes(facts) || !SlidesOverPlanes(facts, attrs)) return std::nullopt;
  const auto sums = PrepareSums(facts, PlanesOf(facts, attrs));
  return Prepared<WindowSumParams>{{sums.params, attrs.zero}, sums.scratch_bytes};
}

template <Isa isa>
void WindowSum(const WindowSumParams& p, const KernelCall& call) noexcept {
  RunPlanes<isa>(call, p.sum, [&](const KernelCall& inner, const Planes& planes) {
    const KernelResult& y = inner.results[0];
    const Storage from = p.sum.sums;
    ForEachSum<isa>(inner, planes, from, false,
                    [&](const uint8_t* sums, int64_t n, int64_t first, int64_t inside, int64_t) {
                      uint8_t* to = y.bytes + first * SizeBytes(y.storage);
                      if (p.zero == 0) {
                        GetConvertLoops<isa>().convert[CodeOf(from)][CodeOf(y.storage)](sums, to, n);
                        return;
                      }
                      for (int64_t i = 0; i < n; ++i) {
                        StoreElement(y.storage, to, i, LoadElement(from, sums, i) - p.zero * inside);
                      }
                    });
  });
}

constexpr auto kWindowSumKernels = EveryIsaAndLayout<"window_sum">(
    {.op = Opcode::kWindowSum}, []<Isa isa, Layout>() { return kKernel<PrepareWindowSum, WindowSum<isa>>; });

}  // namespace

KernelTable WindowSumKernels() { return kWindowSumKernels; }

}  // namespace tally
