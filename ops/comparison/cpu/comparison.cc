#include "ops/comparison/attrs.h"
#include "ops/comparison/cpu/comparison_loops.h"
#include "ops/comparison/cpu/kernels.h"
#include "ops/cpu/map_chunks.h"

namespace tally {
namespace {

template <Isa isa, Layout layout>
void Compare(const KernelCall& call, Comparison kind) {
  const Storage type = WidestStorage<2>(call);
  const auto fn = GetComparisonLoops<isa>().compare[static_cast<int>(kind)][CodeOf(type)];
  MapChunks<isa, 2>(call, layout, {type, type}, Storage::kI8,
                    [&](const auto& x, void* y, int64_t n) { fn(x[0], x[1], static_cast<int8_t*>(y), n); });
}

}  // namespace

bool AcceptsComparison(const KernelFacts& facts) { return OperandsLieIn(facts); }

template <Isa isa, Layout layout>
void GreaterKernel(const KernelCall& call) noexcept {
  Compare<isa, layout>(call, Comparison::kGreater);
}

template <Isa isa, Layout layout>
void CompareKernel(const KernelCall& call) noexcept {
  Compare<isa, layout>(call, call.attrs<CompareAttrs>().kind);
}

template <Isa isa, Layout layout>
void SelectKernelOf(const KernelCall& call) noexcept {
  const ComparisonLoops& loops = GetComparisonLoops<isa>();
  const Storage condition = call.operands[0].storage;
  const Storage type =
      std::max({call.operands[1].storage, call.operands[2].storage, call.results[0].storage});
  alignas(64) int8_t is_true[kChunk];
  MapChunks<isa, 3>(call, layout, {condition, type, type}, type, [&](const auto& x, void* y, int64_t n) {
    loops.is_true[CodeOf(condition)](x[0], is_true, n);
    loops.select[CodeOf(type)](is_true, x[1], x[2], y, n);
  });
}

// A list of conditions decides over rows, which are one behind the other in both layouts.
template <Isa isa, Layout layout>
void WhereKernel(const KernelCall& call) noexcept {
  const KernelOperand& condition = call.operands[0];
  const KernelResult& r = call.results[0];
  if (condition.type->shape == r.type->shape) return SelectKernelOf<isa, layout>(call);
  const ConvertLoops& convert = GetConvertLoops<isa>();
  const int64_t rows = condition.type->shape.num_elements(), n = r.type->shape.num_elements() / rows;
  const Share share = call.ShareOf(rows);
  for (int64_t row = share.begin; row < share.end; ++row) {
    const KernelOperand& from =
        call.operands[LoadElement(condition.storage, condition.bytes, row) != 0 ? 1 : 2];
    convert.convert[CodeOf(from.storage)][CodeOf(r.storage)](from.bytes + row * n * SizeBytes(from.storage),
                                                             r.bytes + row * n * SizeBytes(r.storage), n);
  }
}

TALLY_INSTANTIATE_LAYOUT_KERNEL(WhereKernel);
TALLY_INSTANTIATE_LAYOUT_KERNEL(GreaterKernel);
TALLY_INSTANTIATE_LAYOUT_KERNEL(CompareKernel);
TALLY_INSTANTIATE_LAYOUT_KERNEL(SelectKernelOf);

}  // namespace tally
