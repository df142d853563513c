#include "ops/cuda/gemm/gemm.h"

#include "ops/linear/cuda/kernel_tables.h"

namespace tally::cuda {
namespace {

std::optional<Work> PrepareAlone(const KernelFacts& facts, Arch arch) {
  GemmFusion fusion;
  fusion.y = facts.results[0];
  fusion.y_layout = HasChannels(fusion.y.shape) ? facts.layout : Layout::kRowMajor;
  return PrepareGemm(facts, fusion, {arch});
}

std::optional<Work> PrepareUnfusedGemm(const KernelFacts& facts) { return PrepareAlone(facts, Arch::kSm80); }
std::optional<Work> PrepareUnfusedGemmWgmma(const KernelFacts& facts) {
  return PrepareAlone(facts, Arch::kSm90a);
}

constexpr KernelEntry kUnfusedGemmKernels[] = {
    {Opcode::kMatmul, "matmul_wgmma", Arch::kSm90a, Layouts::kRowMajor, PrepareUnfusedGemmWgmma},
    {Opcode::kMatmul, "matmul", Arch::kSm80, Layouts::kRowMajor, PrepareUnfusedGemm},
    {Opcode::kConvolution, "convolution_wgmma", Arch::kSm90a, Layouts::kEvery, PrepareUnfusedGemmWgmma},
    {Opcode::kConvolution, "convolution", Arch::kSm80, Layouts::kEvery, PrepareUnfusedGemm},
    {Opcode::kConvTranspose, "conv_transpose_wgmma", Arch::kSm90a, Layouts::kEvery, PrepareUnfusedGemmWgmma},
    {Opcode::kConvTranspose, "conv_transpose", Arch::kSm80, Layouts::kEvery, PrepareUnfusedGemm},
};

}  // namespace

KernelTable UnfusedGemmKernels() { return kUnfusedGemmKernels; }

}  // namespace tally::cuda
