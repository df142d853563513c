#include "ops/cpu/strided_copy.h"
#include "ops/layout/attrs.h"
#include "ops/layout/cpu/kernel_tables.h"

namespace tally {
namespace {

template <Isa isa>
void Fill(const FillAttrs& attrs, const KernelCall& call) noexcept {
  const KernelResult& y = call.results[0];
  const Share share = call.ShareOf(y.type->shape.num_elements(), 64);
  GetConvertLoops<isa>().fill[CodeOf(y.storage)](y.bytes + share.begin * SizeBytes(y.storage),
                                                 share.end - share.begin, attrs.value);
}

// Runs of equal elements where the axis is not the innermost.
struct IotaParams {
  int64_t start, step, inner, n;
};

std::optional<Prepared<IotaParams>> PrepareIota(const KernelFacts& facts) {
  const auto attrs = facts.attrs<IotaAttrs>();
  const Shape& y = facts.results[0].shape;
  const int axis = static_cast<int>(attrs.axis < 0 ? attrs.axis + y.rank() : attrs.axis);
  return Prepared<IotaParams>{{attrs.start, attrs.step, StridesOf(y, facts.layout)[axis], y[axis]}};
}

template <Isa isa>
void Iota(const IotaParams& p, const KernelCall& call) noexcept {
  const KernelResult& y = call.results[0];
  const Share share = call.ShareOf(y.type->shape.num_elements() / p.inner);
  for (int64_t i = share.begin; i < share.end; ++i) {
    GetConvertLoops<isa>().fill[CodeOf(y.storage)](y.bytes + i * p.inner * SizeBytes(y.storage), p.inner,
                                                   p.start + p.step * (i % p.n));
  }
}

constexpr auto kFillKernels = JoinKernels(
    EveryIsaAndLayout<"iota">({.op = Opcode::kIota},
                              []<Isa isa, Layout>() { return kKernel<PrepareIota, Iota<isa>>; }),
    EveryIsaAndLayout<"fill">({.op = Opcode::kFill},
                              []<Isa isa, Layout>() { return kKernel<PrepareAttrs<FillAttrs>, Fill<isa>>; }));

}  // namespace

KernelTable FillKernels() { return kFillKernels; }

}  // namespace tally
