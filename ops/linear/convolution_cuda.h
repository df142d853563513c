// Convolutions, transposed ones among them, as launches.
#pragma once

#include <optional>

#include "ops/linear/packed/rows.h"
#include "ops/linear/sums_cuda.h"

namespace tally::cuda {

struct ConvolutionCall {
  ConvolutionShape shape;
  int64_t zero_x = 0, zero_w = 0;
  bool transposed = false;

  explicit ConvolutionCall(const KernelFacts& facts);
  // The element of w that multiplies channel `channel` of a group at tap `tap`. Linear in all of them.
  int64_t weight_at(int64_t group, int64_t column, int64_t channel, int64_t tap) const;
};

// Positions are counted in 32 bits.
bool FitsPositions(const ConvolutionShape& s);

// Tiles count the pixels of an image and the bytes of a column of weights in 32 bits.
bool FitsTiles(const ConvolutionShape& s);

// One thread for each result, any storage.
std::optional<Work> DirectConvolutionWork(const KernelFacts& facts, const SumsFusion& fusion);

// Of every channel by itself, with kernels of 3 and 5 in strides of 1 and 2, where x and w fit bytes in one plane and w is
// a constant. Sums are modulo 2^32.
std::optional<Work> DepthwiseWork(const KernelFacts& facts, const SumsFusion& fusion);

// Where x and w fit bytes, in one plane or two, w is a constant, and FitsTiles. Sums are modulo 2^32, or exact in 64 bits.
std::optional<Work> BytesConvolutionWork(const KernelFacts& facts, const SumsFusion& fusion,
                                         const SumsChoice& choice, bool is_long);

}  // namespace tally::cuda
