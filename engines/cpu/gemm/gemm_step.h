// Steps of GEMM: convolutions, dense layers and products of matrices on a micro-kernel.
#pragma once

#include <memory>

#include "engines/cpu/gemm/gemm.h"
#include "engines/cpu/program/program.h"
#include "ops/cpu/gemm/gemm_plan.h"
#include "ops/cpu/gemm/pack_activation.h"
#include "ops/cpu/gemm/pack_weights.h"

namespace tally::cpu {

// Copies x into `image`, as `rows` wants it.
struct PackImageSpec {
  ConvolutionShape shape;
  PackedImage image;
  ValueRef x;
  int64_t base = 0;
  int64_t zero = 0;
  BufferId packed_x = -1;
};
std::unique_ptr<Step> MakePackImageStep(PackImageSpec spec, int parts);

// Copies a matrix as elements of a kernel.
struct PackMatrixSpec {
  ValueRef x;
  int64_t base = 0;
  Element element = Element::kS8;
  BufferId packed_x = -1;
};
std::unique_ptr<Step> MakePackMatrixStep(PackMatrixSpec spec, int parts);

std::unique_ptr<Step> MakeGemmStep(GemmSpec spec, int parts);

// Packs matrices b that are known only in a run, and their accumulator init, into GemmSpec::packed.
struct PackWeightsSpec {
  ValueRef b;
  bool transposed = false;  // b is [.., columns, depth]
  int64_t base = 0;         // taken from every element
  int64_t depth = 0;
  int64_t columns = 0;
  int64_t matrices = 1;
  int64_t zero_x = 0;          // as in PackWeights
  std::vector<int64_t> first;  // per column
  Element element = Element::kS8;
  int64_t k_groups = 0;  // a panel's
  BufferId packed = -1;
};
int64_t PackedMatrixBytes(const PackWeightsSpec& spec);  // for one matrix and its accumulator inits
std::unique_ptr<Step> MakePackWeightsStep(PackWeightsSpec spec, int parts);

}  // namespace tally::cpu
