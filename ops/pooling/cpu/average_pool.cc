#include "base/division.h"
#include "ops/pooling/attrs.h"
#include "ops/pooling/cpu/average.h"
#include "ops/pooling/cpu/kernel_tables.h"
#include "ops/pooling/cpu/plane_sums.h"

namespace tally {
namespace {

using pooling::ForEachSum;
using pooling::Magnitude;
using pooling::PrepareSums;
using pooling::RunPlanes;
using pooling::SumParams;

// How windows of one count divide.
struct Divider {
  int64_t inside = 0, count = 0;
  std::optional<NarrowAverageArgs> narrow;
  std::optional<AverageArgs> wide;
};

struct AverageParams {
  SumParams sum;
  AveragePoolAttrs attrs;
  Int128 most;  // for a sum less zero_in for each element
  bool may_be_narrow, may_be_wide;
  Divider full;  // for windows that are inside x
};

Divider DividerOf(const AverageParams& p, int64_t inside, int64_t count) {
  const AverageDivision division(p.attrs, inside, count, p.most);
  return {inside, count, p.may_be_narrow ? division.Narrow() : std::nullopt,
          p.may_be_wide ? division.Wide() : std::nullopt};
}

std::optional<Prepared<AverageParams>> PrepareAveragePool(const KernelFacts& facts) {
  if (!HasPlanes(facts)) return std::nullopt;
  const auto attrs = facts.attrs<AveragePoolAttrs>();
  const auto sums = PrepareSums(facts, PlanesOf(facts, attrs));
  const Planes& planes = sums.params.planes;
  const Storage from = sums.params.sums, y = facts.results[0].storage();
  // A clamp beyond what y is stored in reaches no y, so the loops have it clamped to that.
  AverageParams p = {.sum = sums.params,
                     .attrs = attrs,
                     .most = Magnitude(facts.operands[0].interval, attrs.zero_in) * planes.MostTaps(),
                     .may_be_narrow = from == Storage::kI16 && y <= Storage::kI16,
                     .may_be_wide = from < Storage::kI64 && y < Storage::kI64,
                     .full = {}};
  const int64_t taps = planes.MostTaps();
  p.full = DividerOf(p, taps, taps);
  return Prepared<AverageParams>{std::move(p), sums.scratch_bytes};
}

template <Isa isa>
void AveragePlanes(const AverageParams& p, const KernelCall& call, const Planes& planes) {
  const PoolingLoops& loops = GetPoolingLoops<isa>();
  const AveragePoolAttrs& attrs = p.attrs;
  const KernelResult& y = call.results[0];
  const Storage from = p.sum.sums;
  std::array<Divider, 8> dividers;  // windows at the edges and between them have few counts
  const auto divider_of = [&](int64_t inside, int64_t count) -> const Divider& {
    if (p.full.inside == inside && p.full.count == count) return p.full;
    Divider& divider = dividers[inside % 8];
    if (divider.inside != inside || divider.count != count) divider = DividerOf(p, inside, count);
    return divider;
  };
  ForEachSum<isa>(
      call, planes, from, attrs.count_include_pad,
      [&](const uint8_t* sums, int64_t n, int64_t first, int64_t inside, int64_t count) {
        const Divider& divider = divider_of(inside, count);
        uint8_t* to = y.bytes + first * SizeBytes(y.storage);
        if (divider.narrow.has_value()) {
          loops.narrow_average[CodeOf(y.storage)](sums, to, n, *divider.narrow);
        } else if (divider.wide.has_value()) {
          loops.average[CodeOf(from)][CodeOf(y.storage)](sums, to, n, *divider.wide);
        } else {
          for (int64_t i = 0; i < n; ++i) {
            const int64_t product = (LoadElement(from, sums, i) - attrs.zero_in * inside) * attrs.multiplier;
            const int64_t q = RoundDiv<int64_t>(attrs.rounding, product, count * (int64_t{1} << attrs.shift));
            StoreElement(y.storage, to, i, std::clamp(q + attrs.zero_out, attrs.lo, attrs.hi));
          }
        }
      });
}

template <Isa isa>
void AveragePool(const AverageParams& p, const KernelCall& call) noexcept {
  RunPlanes<isa>(call, p.sum, [&](const KernelCall& inner, const Planes& planes) {
    AveragePlanes<isa>(p, inner, planes);
  });
}

constexpr auto kAveragePoolKernels = EveryIsaAndLayout<"average_pool">(
    {.op = Opcode::kAveragePool},
    []<Isa isa, Layout>() { return kKernel<PrepareAveragePool, AveragePool<isa>>; });

}  // namespace

KernelTable AveragePoolKernels() { return kAveragePoolKernels; }

}  // namespace tally
