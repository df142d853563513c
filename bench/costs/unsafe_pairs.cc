// How many pairs of a module's weights vpmaddubsw could saturate: unsafe_pairs MODULE.tally...
//
// That instruction adds two products of an unsigned and a signed byte in 16 bits, which hold every sum where
// |w0| + |w1| <= 128. A kernel on it would compute what a pair has beyond that in a step of its own, for all
// 32 columns of a panel: so what counts is the share of K-groups of a panel that have such a pair.
#include <cstdio>
#include <cstdlib>

#include "base/status_macros.h"
#include "engines/compile/function_view.h"
#include "ops/cpu/gemm/micro_kernel.h"
#include "ops/cpu/gemm/pack_weights.h"
#include "ops/gemm/convolution_call.h"
#include "serializer/load_module.h"
#include "vm/validator.h"

namespace tally::bench {
namespace {

struct Counts {
  int64_t pairs = 0, unsafe_pairs = 0, k_groups = 0, unsafe_k_groups = 0;
};

// Weights as AVX2 reads them: pairs of a column are side by side.
void CountPairs(const PackedWeights& weights, int64_t columns, Counts& counts) {
  constexpr int64_t kKGroupBytes = kPanel * kKGroup;
  const int64_t k_groups = std::ssize(weights.bytes) / kKGroupBytes;
  const int64_t per_panel = k_groups / ((columns + kPanel - 1) / kPanel);
  const auto* bytes = reinterpret_cast<const int8_t*>(weights.bytes.data());
  for (int64_t g = 0; g < k_groups; ++g) {
    bool unsafe = false;
    for (int64_t i = 0; i < kKGroupBytes; i += 2) {
      if (g / per_panel * kPanel + i % (2 * kPanel) / 2 >= columns) continue;
      const int8_t* const pair = bytes + g * kKGroupBytes + i;
      const bool saturates = std::abs(pair[0]) + std::abs(pair[1]) > 128;
      ++counts.pairs, counts.unsafe_pairs += saturates;
      unsafe |= saturates;
    }
    ++counts.k_groups, counts.unsafe_k_groups += unsafe;
  }
}

absl::StatusOr<Counts> CountPairs(const std::string& file) {
  ASSIGN_OR_RETURN(Module loaded, LoadModule(file));
  ASSIGN_OR_RETURN(const ValidModule module, Validate(std::move(loaded)));
  const MicroKernel& kernel =
      SelectMicroKernel(false, false, int64_t{1} << 20, CpuFlags().With(CpuFlag::kAvx2));
  Counts counts;
  for (size_t f = 0; f < module.functions().size(); ++f) {
    const FunctionView function(module, f);
    for (size_t step = 0; step < function.body().size(); ++step) {
      const Instruction& instruction = function.instruction(step);
      const auto shape = [&](ValueId id) -> const Shape& { return function.type(id).shape; };
      if (instruction.op != Opcode::kConvolution && instruction.op != Opcode::kDense) continue;
      const TensorView* const w = function.constant(instruction.operands[1]);
      if (w == nullptr || w->storage != Storage::kI8) continue;
      if (instruction.op == Opcode::kDense) {
        const int64_t columns = w->shape[0], depth = w->shape[1];
        const auto weight = [&](int64_t n, int64_t k, int64_t) { return w->at(n * depth + k); };
        CountPairs(PackWeights(PlanMatrix(1, depth, columns, kernel), kernel.element, depth, 0,
                               std::vector<int64_t>(columns), weight),
                   columns, counts);
        continue;
      }
      const ConvolutionCall call(instruction.op, instruction.attributes, shape(instruction.operands[0]),
                                 shape(instruction.operands[1]), shape(function.result(step)));
      const int64_t columns = call.shape.group_out_channels();
      if (columns == 1) continue;  // depthwise
      const GemmPlan plan = PlanConvolution(call.shape, kernel, false, false).plan;
      for (int64_t g = 0; g < call.shape.groups; ++g) {
        const auto weight = [&](int64_t n, int64_t c, int64_t tap) {
          return w->at(call.weight_at(g, n, c, tap)) - call.zero_w;
        };
        CountPairs(PackWeights(plan, kernel.element, call.shape.group_channels(), 0,
                               std::vector<int64_t>(columns), weight),
                   columns, counts);
      }
    }
  }
  return counts;
}

int Main(int argc, char** argv) {
  std::printf("%-40s %12s %10s %12s %10s\n", "module", "pairs", "unsafe %", "K-groups", "unsafe %");
  for (int i = 1; i < argc; ++i) {
    const absl::StatusOr<Counts> counts = CountPairs(argv[i]);
    if (!counts.ok()) {
      std::fprintf(stderr, "%s: %s\n", argv[i], std::string(counts.status().message()).c_str());
      return 1;
    }
    const auto share = [](int64_t part, int64_t of) { return of == 0 ? 0.0 : 100.0 * part / of; };
    std::printf("%-40s %12ld %10.2f %12ld %10.1f\n", argv[i], counts->pairs,
                share(counts->unsafe_pairs, counts->pairs), counts->k_groups,
                share(counts->unsafe_k_groups, counts->k_groups));
  }
  return argc > 1 ? 0 : 2;
}

}  // namespace
}  // namespace tally::bench

int main(int argc, char** argv) { return tally::bench::Main(argc, argv); }
