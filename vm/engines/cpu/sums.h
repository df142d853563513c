// Weighted sums on a block kernel, ready to run: whole, or the part of a thread.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ops/kernel.h"
#include "ops/linear/packed/long_sums.h"
#include "ops/linear/packed/pack.h"
#include "ops/linear/packed/rows.h"
#include "vm/engines/cpu/program.h"

namespace tally::cpu {

// What requantizes the sums, and its tables.
struct EpilogueSpec {
  Epilogue epilogue;
  std::vector<ScaleGroup> groups;  // of every group of the convolution, each padded to whole panels
  std::vector<int8_t> table;       // 0 or 256 entries
};

StepNotes NotesOf(const Epilogue& epilogue);

struct SumsSpec {
  const BlockKernel* kernel = nullptr;
  RowPlan rows;
  std::vector<PackedWeights> weights;  // by group or matrix
  EpilogueSpec epilogue;
  BufferId x = -1;            // staged
  int64_t x_group_bytes = 0;  // between the operands of groups
  ValueRef y;
  ValueRef residual;                  // buffer -1: none
  int64_t columns = 0;                // of one group
  int64_t y_group = 0;                // elements between the results of groups
  BufferId packed = -1;               // where weights of a run lie, if they are no constants
  std::optional<LongSums> long_sums;  // of kernels that sum in 64 bits, without their first values
  std::vector<AlignedVector<int64_t>> long_init;  // those, by group or matrix; or one for all, or none

  std::vector<BufferId> reads() const;
};
// What one thread computes.
struct SumsPart {
  Share groups, tiles, panels;
};

// Weighted sums, ready to run.
class Sums {
 public:
  Sums(SumsSpec spec, int parts);

  const SumsSpec& spec() const { return spec_; }
  // As much as a run reads first: all weights of a group, or some panels.
  std::span<const uint8_t> first_weights() const;

  SumsPart Whole() const {
    return {{0, groups_}, {0, static_cast<int64_t>(spec_.rows.tiles.size())}, {0, panels_}};
  }
  // Groups go to threads whole where there are enough of them; else tiles do, in pairs, or panels.
  SumsPart PartOf(int part) const;
  // `y`: where results begin. `next`: what the step behind reads first.
  void Run(const Frame& frame, const SumsPart& part, uint8_t* y,
           std::span<const uint8_t> next) const noexcept;

 private:
  int64_t panel_bytes() const { return weight_bytes_ / panels_; }
  // Whether threads share the tiles; else they share the panels.
  bool SplitsTiles() const;

  SumsSpec spec_;
  int parts_;
  int64_t groups_, panels_, weight_bytes_, panels_at_once_;
};

}  // namespace tally::cpu
