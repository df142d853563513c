#include "ops/cpu/map_chunks.h"
#include "ops/detection/attrs.h"
#include "ops/detection/cpu/kernel_tables.h"

namespace tally {
namespace {

// Threads share the batches. Runs of valid rows move together.
template <Isa isa>
void GetValidCounts(const GetValidCountsAttrs& attrs, const KernelCall& call) noexcept {
  const ConvertLoops& convert = GetConvertLoops<isa>();
  const int64_t threshold = attrs.score_threshold;
  const KernelOperand& x = call.operands[0];
  const KernelResult &counts = call.results[0], &y = call.results[1];
  const int64_t n = x.type->shape[1], fields = x.type->shape[2];
  const int64_t from_size = fields * SizeBytes(x.storage), to_size = fields * SizeBytes(y.storage);
  const Share share = call.ShareOf(x.type->shape[0]);
  for (int64_t batch = share.begin; batch < share.end; ++batch) {
    const uint8_t* from = x.bytes + batch * n * from_size;
    uint8_t* to = y.bytes + batch * n * to_size;
    const auto is_valid = [&](int64_t row) {
      return LoadElement(x.storage, from, row * fields + 1) > threshold;
    };
    int64_t valid = 0;
    for (int64_t row = 0; row < n;) {
      int64_t end = row;
      while (end < n && is_valid(end)) ++end;
      convert.convert[CodeOf(x.storage)][CodeOf(y.storage)](from + row * from_size, to + valid * to_size,
                                                            (end - row) * fields);
      valid += end - row;
      row = end + 1;  // that one is not valid
    }
    StoreElement(counts.storage, counts.bytes, batch, valid);
    convert.fill[CodeOf(y.storage)](to + valid * to_size, (n - valid) * fields, -1);
  }
}

constexpr auto kValidCountsKernels = EveryIsa<"get_valid_counts">(
    {.op = Opcode::kGetValidCounts},
    []<Isa isa>() { return kKernel<PrepareAttrs<GetValidCountsAttrs>, GetValidCounts<isa>>; });

}  // namespace

KernelTable ValidCountsKernels() { return kValidCountsKernels; }

}  // namespace tally
