// Convolutions, transposed ones among them, as launches.
#pragma once

#include <optional>

#include "ops/cuda/gemm/gemm.h"
#include "ops/gemm/convolution_call.h"

namespace tally::cuda {

inline ConvolutionCall CallOf(const KernelFacts& facts) {
  return {facts.op, *facts.attributes, facts.operands[0].shape, facts.operands[1].shape,
          facts.results[0].shape};
}

// Positions are counted in 32 bits.
bool FitsPositions(const ConvolutionShape& s);

// Tiles count the pixels of an image and the bytes of a column of weights in 32 bits.
bool FitsTiles(const ConvolutionShape& s);

// One thread for each result, any storage.
std::optional<Work> DirectConvolutionWork(const KernelFacts& facts, const GemmFusion& fusion);

// The convolution of every channel by itself, with kernels of 3 and 5 in strides of 1 and 2, where x and w
// fit bytes in one limb and w is a constant. Sums are modulo 2^32.
std::optional<Work> DepthwiseWork(const KernelFacts& facts, const GemmFusion& fusion);

// Where x and w fit bytes, in one limb or two, w is a constant, and FitsTiles. Sums are modulo 2^32, or exact
// in 64 bits.
std::optional<Work> ByteConvolutionWork(const KernelFacts& facts, const GemmFusion& fusion,
                                        const GemmChoice& choice, bool is_s64);

}  // namespace tally::cuda
