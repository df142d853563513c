// Rates of SHA-256 for each implementation and message size, and of a Merkle tree over 1 KiB leaves.
//
//   bazel run //base/hash:sha256_benchmark
#include <cstdint>
#include <string>
#include <vector>

#include "base/cpu_flags.h"
#include "base/hash/merkle.h"
#include "base/hash/sha256.h"
#include "benchmark/benchmark.h"

namespace tally {
namespace {

constexpr int64_t kLeafSize = 1024;

std::vector<uint8_t> Message(int64_t size) {
  std::vector<uint8_t> message(size);
  for (size_t i = 0; i < message.size(); ++i) message[i] = static_cast<uint8_t>(i * 131 >> 3);
  return message;
}

void HashMessage(benchmark::State& state, Sha256Compress compress) {
  const std::vector<uint8_t> message = Message(state.range(0));
  for (auto _ : state) {
    Sha256 hash(compress);
    hash.Update(message);
    benchmark::DoNotOptimize(hash.Finish());
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}

void BuildTree(benchmark::State& state, const Sha256Batch& batch) {
  const std::vector<uint8_t> tensor = Message(state.range(0));
  const LeafAt leaf_at = [&](uint64_t i) { return std::span(tensor).subspan(i * kLeafSize, kLeafSize); };
  for (auto _ : state) {
    MerkleTree tree(batch);
    tree.AddLeaves(tensor.size() / kLeafSize, leaf_at);
    benchmark::DoNotOptimize(tree.Root());
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}

}  // namespace
}  // namespace tally

int main(int argc, char** argv) {
  for (const tally::Sha256Implementation& implementation : tally::Sha256Implementations()) {
    if (!tally::DetectCpuFlags().HasAll(implementation.required)) continue;
    const std::string name = "HashMessage/" + std::string(implementation.name);
    benchmark::RegisterBenchmark(name.c_str(), tally::HashMessage, implementation.compress)
        ->Arg(64)
        ->Arg(1 << 10)
        ->Arg(1 << 20);
  }
  for (const tally::Sha256Batch& batch : tally::Sha256Batches()) {
    if (!tally::DetectCpuFlags().HasAll(batch.required)) continue;
    const std::string name = "BuildTree/" + std::string(batch.name);
    benchmark::RegisterBenchmark(name.c_str(), tally::BuildTree, batch)->Arg(1 << 20);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
