#include "engines/shared/engine_memory.h"

#include <algorithm>
#include <limits>
#include <span>

#include "base/int_math.h"
#include "ops/op_table.h"

namespace tally {
namespace {

Int128 BytesOf(std::span<const TensorType> types) {
  Int128 bytes = 0;
  for (const TensorType& type : types) bytes += RoundUp(type.size_bytes(), kBufferAlignment);
  return bytes;
}

std::vector<Int128> PublishedBytes(const ValidModule& module) {
  const size_t count = module.functions().size();
  std::vector<Int128> published(count), params_inside(count);
  for (size_t f = count; f-- > 0;) {
    for (const Instruction& instruction : module.module().functions[f].body) {
      ForEachFunction(InfoOf(instruction.op).attributes, instruction.attributes, [&](int64_t callee) {
        const Int128 bytes = BytesOf(module.functions()[callee].params) + params_inside[callee];
        params_inside[f] = std::max(params_inside[f], bytes);
      });
    }
    const FunctionFacts& facts = module.functions()[f];
    published[f] = facts.arena_bytes + Int128{module.constant_bytes()} + BytesOf(facts.params) +
                   BytesOf(facts.results) + params_inside[f];
  }
  return published;
}

int64_t Bound(Int128 published, Int128 more) {
  return static_cast<int64_t>(
      std::min<Int128>(published * kEngineMemoryFactor + more, std::numeric_limits<int64_t>::max()));
}

}  // namespace

int64_t PublishedMemory(const ValidModule& module) {
  const std::vector<Int128> published = PublishedBytes(module);
  return static_cast<int64_t>(std::min<Int128>(*std::max_element(published.begin(), published.end()),
                                               std::numeric_limits<int64_t>::max()));
}

std::vector<int64_t> EngineMemoryBounds(const ValidModule& module, int threads) {
  std::vector<int64_t> bounds;
  for (const Int128 published : PublishedBytes(module)) {
    bounds.push_back(Bound(published, Int128{threads} * kEngineMemoryPerThread));
  }
  return bounds;
}

int64_t PlanMemoryBound(const ValidModule& module) {
  return Bound(PublishedBytes(module)[0], kPlanMemoryBase);
}

}  // namespace tally
