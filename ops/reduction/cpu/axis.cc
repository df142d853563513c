#include "ops/cpu/map_chunks.h"
#include "ops/reduction/attrs.h"
#include "ops/reduction/cpu/kernel_tables.h"
#include "ops/reduction/cpu/reduction_loops.h"

namespace tally {
namespace {

// x as [outer, n, inner] around an axis.
struct AxisView {
  int64_t outer, n, inner;

  AxisView(const Shape& x, int64_t axis) {
    if (axis < 0) axis += x.rank();
    n = x[static_cast<int>(axis)];
    inner = x.stride(static_cast<int>(axis));
    outer = x.num_elements() / (n * inner);
  }
};

template <Isa isa>
void ArgExtreme(const ArgExtremeAttrs& attrs, const KernelCall& call) noexcept {
  const ReductionLoops& loops = GetReductionLoops<isa>();
  const ConvertLoops& convert = GetConvertLoops<isa>();
  const KernelOperand& x = call.operands[0];
  const KernelResult& y = call.results[0];
  const AxisView view(x.type->shape, attrs.axis);
  const int code = CodeOf(x.storage);
  const int64_t size = SizeBytes(x.storage);
  const bool last = attrs.ties == Ties::kHighest, least = attrs.kind == Extreme::kMin;
  const Share share = call.ShareOf(view.outer);
  if (view.inner == 1) {
    const auto kind = static_cast<int>(least ? ReduceKind::kMin : ReduceKind::kMax);
    for (int64_t row = share.begin; row < share.end; ++row) {
      const uint8_t* from = x.bytes + row * view.n * size;
      const int64_t extreme = loops.run[kind][code](from, view.n);
      StoreElement(y.storage, y.bytes, row, loops.find[code][last](from, view.n, extreme));
    }
    return;
  }
  ChunkBuffer best, index;
  auto* indices = reinterpret_cast<int32_t*>(index.bytes);
  for (int64_t row = share.begin; row < share.end; ++row) {
    for (int64_t at = 0; at < view.inner; at += kChunk) {
      const int64_t n = std::min(kChunk, view.inner - at);
      const uint8_t* from = x.bytes + (row * view.n * view.inner + at) * size;
      convert.convert[code][code](from, best.bytes, n);
      convert.fill[CodeOf(Storage::kI32)](index.bytes, n, 0);
      for (int64_t k = 1; k < view.n; ++k) {
        loops.lead[code][last][least](from + k * view.inner * size, best.bytes, indices, n,
                                      static_cast<int32_t>(k));
      }
      convert.convert[CodeOf(Storage::kI32)][CodeOf(y.storage)](
          index.bytes, y.bytes + (row * view.inner + at) * SizeBytes(y.storage), n);
    }
  }
}

// Row by row, each the one before it and what is added; in the storage of y, whose sums fit.
template <Isa isa>
void CumulativeSum(const CumulativeSumAttrs& attrs, const KernelCall& call) noexcept {
  const ConvertLoops& convert = GetConvertLoops<isa>();
  const KernelOperand& x = call.operands[0];
  const KernelResult& y = call.results[0];
  const AxisView view(x.type->shape, attrs.axis);
  const int from = CodeOf(x.storage), to = CodeOf(y.storage);
  const Share share = call.ShareOf(view.outer);
  for (int64_t row = share.begin; row < share.end; ++row) {
    const int64_t first = row * view.n * view.inner;
    const auto at = [&](int64_t step) {
      return (attrs.reverse ? view.n - 1 - step : step) * view.inner + first;
    };
    if (view.inner == 1) {
      uint64_t sum = 0;
      for (int64_t step = 0; step < view.n; ++step) {
        const uint64_t next = sum + static_cast<uint64_t>(LoadElement(x.storage, x.bytes, at(step)));
        StoreElement(y.storage, y.bytes, at(step), static_cast<int64_t>(attrs.exclusive ? sum : next));
        sum = next;
      }
      continue;
    }
    const auto x_row = [&](int64_t step) { return x.bytes + at(step) * SizeBytes(x.storage); };
    const auto y_row = [&](int64_t step) { return y.bytes + at(step) * SizeBytes(y.storage); };
    if (attrs.exclusive) {
      convert.fill[to](y_row(0), view.inner, 0);
    } else {
      convert.convert[from][to](x_row(0), y_row(0), view.inner);
    }
    for (int64_t step = 1; step < view.n; ++step) {
      convert.convert[to][to](y_row(step - 1), y_row(step), view.inner);
      GetReductionLoops<isa>().add[from][to](x_row(attrs.exclusive ? step - 1 : step), y_row(step),
                                             view.inner);
    }
  }
}

constexpr auto kAlongAxisKernels =
    JoinKernels(EveryIsa<"arg_extreme">(
                    {.op = Opcode::kArgExtreme},
                    []<Isa isa>() { return kKernel<PrepareAttrs<ArgExtremeAttrs>, ArgExtreme<isa>>; }),
                EveryIsa<"cumulative_sum">({.op = Opcode::kCumulativeSum}, []<Isa isa>() {
                  return kKernel<PrepareAttrs<CumulativeSumAttrs>, CumulativeSum<isa>>;
                }));

}  // namespace

KernelTable AlongAxisKernels() { return kAlongAxisKernels; }

}  // namespace tally
