// GEMM on a micro-kernel, ready to run: whole, or the part of a thread.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engines/cpu/program/program.h"
#include "ops/cpu/gemm/gemm_plan.h"
#include "ops/cpu/gemm/pack_weights.h"
#include "ops/cpu/gemm/s64_accumulation.h"
#include "ops/kernel.h"

namespace tally::cpu {

// The requantization of the sums, and its tables.
struct EpilogueSpec {
  Epilogue epilogue;
  std::vector<ScaleGroup> groups;  // per group of the convolution, each padded to whole panels
  std::vector<int8_t> table;       // 0 or 256 entries

  // For a kernel, with the scales of the first group. This must outlive it.
  Epilogue ForKernel() const;
};

StepNotes NotesOf(const Epilogue& epilogue);
int64_t KeptBytes(const EpilogueSpec& epilogue);

struct GemmSpec {
  const MicroKernel* kernel = nullptr;
  GemmPlan rows;
  std::vector<PackedWeights> weights;  // by group or matrix
  EpilogueSpec epilogue;
  BufferId x = -1;            // packed
  bool x_is_signed = false;   // as in GemmArgs
  int64_t x_group_bytes = 0;  // between the operands of groups
  ValueRef y;
  ValueRef residual;                             // buffer -1: none
  int64_t columns = 0;                           // one group's
  int64_t y_group = 0;                           // elements between the results of groups
  BufferId packed = -1;                          // where weights of a run are, if they are no constants
  std::optional<S64Accumulation> s64;            // for kernels that accumulate in 64 bits, without the init
  std::vector<AlignedVector<int64_t>> init_s64;  // those, by group or matrix; or one for all, or none

  std::vector<BufferId> reads() const;
};
// Whether `kernel` may read a matrix of signed bytes as it is, though it wants them biased: a copy of each
// tile's rows, made as often as groups of panels are visited, is then less than a pass over all of x.
bool MayCopyRows(const GemmPlan& plan, int64_t columns, const MicroKernel& kernel);
// Makes `spec` do so.
void ReadSignedRows(GemmPlan& plan, GemmSpec& spec);

// The work of one thread.
struct GemmPart {
  Share groups, tiles, panels;
};

// GEMM, ready to run.
class Gemm {
 public:
  Gemm(GemmSpec spec, int parts);

  const GemmSpec& spec() const { return spec_; }
  // As much as a run reads first: all weights of a group, or some panels.
  std::span<const uint8_t> first_weights() const;

  int64_t kept_bytes() const;
  int64_t multiply_adds() const;

  GemmPart Whole() const {
    return {{0, groups_}, {0, static_cast<int64_t>(spec_.rows.tiles.size())}, {0, panels_}};
  }
  // Groups go to threads whole where there are enough of them; else tiles do, in pairs, or panels.
  GemmPart PartOf(int part) const;
  // `y`: where results begin. `next`: what the next step reads first.
  void Run(const Frame& frame, const GemmPart& part, uint8_t* y,
           std::span<const uint8_t> next) const noexcept;

 private:
  int64_t panel_bytes() const { return weight_bytes_ / panels_; }
  // Whether threads share the tiles; else they share the panels.
  bool SplitsTiles() const;

  GemmSpec spec_;
  int parts_;
  int64_t groups_, panels_, weight_bytes_, panels_at_once_;
};

}  // namespace tally::cpu
