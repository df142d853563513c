#include "ops/cuda/hash/merkle.h"

#include <algorithm>
#include <utility>

#include "base/hash/sha256_compress.h"
#include "base/hash/tensor_leaves.h"
#include "ops/cuda/hash/merkle_device.h"

namespace tally::cuda {
namespace {

constexpr int kBlock = 128;  // a thread of these needs many registers

Sha256Constants Constants() {
  Sha256Constants constants;
  std::ranges::copy(kSha256InitialState, constants.initial_state);
  std::ranges::copy(kSha256RoundConstants, constants.round);
  return constants;
}

}  // namespace

Work TensorRootWork(Storage storage, const Shape& shape) {
  const TensorLeaves leaves(storage, shape);
  Work work;
  int64_t count = leaves.count();
  // Where a level of `nodes` is written; levels take turns in two pieces of working memory.
  const auto new_level = [&](int64_t nodes) {
    return nodes == 1 ? ResultAt(0) : work.AddScratch(nodes * kDigestBytes);
  };
  Ref level = new_level(count), next = new_level((count + 1) / 2);
  work.Add(KernelId::kHashLeaves, GridOver(count, kBlock),
           HashLeavesParams{Constants(), leaves.cuts(), count}, {OperandAt(0), level});
  while (count > 1) {
    const int64_t parents = (count + 1) / 2;
    if (parents == 1) next = ResultAt(0);
    work.Add(KernelId::kHashNodes, GridOver(parents, kBlock), HashNodesParams{Constants(), count},
             {level, next});
    std::swap(level, next);
    count = parents;
  }
  return work;
}

}  // namespace tally::cuda
