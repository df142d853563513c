// Steps of weighted sums: convolutions, dense layers and products of matrices on a block kernel.
#pragma once

#include <memory>

#include "ops/linear/packed/pack.h"
#include "ops/linear/packed/rows.h"
#include "ops/linear/packed/stage.h"
#include "vm/engines/cpu/program.h"
#include "vm/engines/cpu/sums.h"

namespace tally::cpu {

// Copies x into `image`, as `rows` wants it.
struct StageSpec {
  ConvolutionShape shape;
  StagedImage image;
  ValueRef x;
  int64_t base = 0;
  int64_t zero = 0;
  BufferId staged = -1;
};
std::unique_ptr<Step> MakeStageStep(StageSpec spec, int parts);

// Copies a matrix as elements of a kernel.
struct StageMatrixSpec {
  ValueRef x;
  int64_t base = 0;
  Element element = Element::kS8;
  BufferId staged = -1;
};
std::unique_ptr<Step> MakeStageMatrixStep(StageMatrixSpec spec, int parts);

std::unique_ptr<Step> MakeSumsStep(SumsSpec spec, int parts);

// Packs matrices b that are known only in a run, and what their sums start with, into SumsSpec::packed.
struct PackSpec {
  ValueRef b;
  bool transposed = false;  // b is [.., columns, depth]
  int64_t base = 0;         // taken from every element
  int64_t depth = 0;
  int64_t columns = 0;
  int64_t matrices = 1;
  int64_t zero_x = 0;          // as in PackWeights
  std::vector<int64_t> first;  // of each column
  Element element = Element::kS8;
  int64_t granules = 0;  // of a panel
  BufferId packed = -1;
};
int64_t PackedMatrixBytes(const PackSpec& spec);  // of one matrix and its first sums
std::unique_ptr<Step> MakePackStep(PackSpec spec, int parts);

}  // namespace tally::cpu
