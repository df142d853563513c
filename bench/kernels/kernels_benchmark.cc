// Every kernel entry on the shapes of real models: bytes of operands and results for each second, beside a
// copy of as many bytes. Entries that need what the machine lacks are left out.
#include <benchmark/benchmark.h>

#include <cstring>
#include <memory>
#include <string>

#include "base/testing/guarded_buffer.h"
#include "bench/kernels/kernel_cases.h"
#include "ops/cpu/registry.h"
#include "tests/kernels/run_kernel.h"

namespace tally {
namespace {

void Run(benchmark::State& state, const KernelEntry& entry, const PreparedKernel& prepared,
         const DrawnCall& call) {
  std::vector<std::unique_ptr<GuardedBuffer>> buffers;
  std::vector<KernelOperand> operands;
  std::vector<KernelResult> results;
  int64_t bytes = 0;
  for (size_t i = 0; i < call.operands.size(); ++i) {
    const Tensor& tensor = call.operands[i];
    buffers.push_back(std::make_unique<GuardedBuffer>(tensor.bytes().size(), false));
    buffers.back()->Assign(tensor.bytes());
    operands.push_back({&call.operand_types[i], call.storages[i], buffers.back()->data()});
    bytes += tensor.bytes().size();
  }
  for (const TensorType& type : call.result_types) {
    buffers.push_back(std::make_unique<GuardedBuffer>(type.size_bytes(), true));
    results.push_back({&type, type.storage(), buffers.back()->data()});
    bytes += type.size_bytes();
  }
  GuardedBuffer scratch(prepared.scratch_bytes, true);
  for (auto _ : state) {
    entry.run(prepared.params.get(), {.operands = operands, .results = results, .scratch = scratch.data()});
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * bytes);
}

void RunCopy(benchmark::State& state, int64_t bytes) {
  GuardedBuffer from(bytes / 2, true), to(bytes / 2, true);
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), bytes / 2);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * (bytes / 2 * 2));
}

}  // namespace
}  // namespace tally

int main(int argc, char** argv) {
  using namespace tally;
  for (const KernelCase& given : KernelCases()) {
    const auto call = CallOfCase(given);
    if (call == nullptr) {
      std::fprintf(stderr, "case %s of %s is not valid\n", given.name.c_str(),
                   std::string(InfoOf(given.op).name).c_str());
      return 1;
    }
    int64_t bytes = 0;
    for (const Tensor& t : call->operands) bytes += t.bytes().size();
    for (const TensorType& t : call->result_types) bytes += t.size_bytes();
    benchmark::RegisterBenchmark((std::string(InfoOf(given.op).name) + "/" + given.name + "/memcpy").c_str(),
                                 [bytes](benchmark::State& state) { RunCopy(state, bytes); });
    for (const KernelEntry& entry : AllKernels()) {
      if (entry.op != given.op || !DetectCpuFlags().HasAll(entry.flags)) continue;
      const auto prepared = entry.prepare(call->FactsIn(entry.layout));
      if (!prepared) continue;
      benchmark::RegisterBenchmark(
          (std::string(entry.name) + "/" + given.name).c_str(),
          [&entry, prepared, call](benchmark::State& state) { Run(state, entry, *prepared, *call); });
    }
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
