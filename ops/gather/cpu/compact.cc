#include "ops/cpu/map_chunks.h"
#include "ops/gather/attrs.h"
#include "ops/gather/cpu/kernel_tables.h"

namespace tally {
namespace {

// Scratch: the positions that the mask keeps.
std::optional<Prepared<CompactAttrs>> PrepareCompact(const KernelFacts& facts) {
  return Prepared<CompactAttrs>{facts.attrs<CompactAttrs>(), facts.operands[1].shape.num_elements() * 8};
}

template <Isa isa>
void Compact(const CompactAttrs& attrs, const KernelCall& call) noexcept {
  const ConvertLoops& convert = GetConvertLoops<isa>();
  const KernelOperand &x = call.operands[0], &mask = call.operands[1];
  const KernelResult &y = call.results[0], &count = call.results[1];
  const Shape& shape = x.type->shape;
  const int axis = static_cast<int>(attrs.axis < 0 ? attrs.axis + shape.rank() : attrs.axis);
  const int64_t n = shape[axis], inner = shape.stride(axis);
  auto* positions = reinterpret_cast<int64_t*>(call.scratch);
  int64_t kept = 0;
  for (int64_t k = 0; k < n; ++k) {
    positions[kept] = k;
    kept += LoadElement(mask.storage, mask.bytes, k) != 0 ? 1 : 0;
  }
  if (call.part == 0) StoreElement(count.storage, count.bytes, 0, kept);
  const Share share = call.ShareOf(y.type->shape.num_elements() / inner);
  for (int64_t row = share.begin; row < share.end; ++row) {
    const int64_t entry = row % attrs.bound;
    uint8_t* to = y.bytes + row * inner * SizeBytes(y.storage);
    if (entry >= kept) {
      convert.fill[CodeOf(y.storage)](to, inner, attrs.value);
      continue;
    }
    const int64_t from = (row / attrs.bound * n + positions[entry]) * inner;
    convert.convert[CodeOf(x.storage)][CodeOf(y.storage)](x.bytes + from * SizeBytes(x.storage), to, inner);
  }
}

constexpr auto kCompactKernels = EveryIsa<"compact">(
    {.op = Opcode::kCompact}, []<Isa isa>() { return kKernel<PrepareCompact, Compact<isa>>; });

}  // namespace

KernelTable CompactKernels() { return kCompactKernels; }

}  // namespace tally
