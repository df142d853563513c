// The questions of the passes in engines/compile to the engine for which they compile a function.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engines/compile/schedule.h"

namespace tally {

class CompileTarget {
 public:
  virtual ~CompileTarget() = default;

  // fuse: the GEMM that instruction `step` is, or nothing where the engine has no kernel of GEMM for it. What
  // a plan will keep for it is taken from what it may keep.
  virtual std::optional<GemmForm> GemmAt(size_t step) = 0;
  // Whether GEMMs are fused with what follows them.
  virtual bool Fuses() const = 0;
  // Whether the step of `group` writes an image channels last, row by row, wherever its rows shall be: into
  // longer ones, or into bands.
  virtual bool WritesIntoConcat(const FusionGroup&) const { return false; }
  // The max_pool that alone reads the result of `group` and is computed by the same step, band by band.
  // `uses`: CountUses.
  virtual std::optional<size_t> PoolBehind(const FusionGroup&, const std::vector<int>& uses) const;

  // assign_layouts: the layout in which the convolution of `group` reads x, which is there in those that
  // hold.
  virtual Layout LayoutOfX(const FusionGroup& group, bool has_row_major, bool has_channels_last) const = 0;
  // Whether a kernel computes instruction `op` on these operands with all values of images channels last. Its
  // results have no buffers yet.
  virtual bool RunsChannelsLast(const Schedule& schedule, const ScheduledOp& op) = 0;
  // Whether the plan may keep so many bytes more, which are then taken from what it may keep.
  virtual bool MayKeep(int64_t bytes) = 0;

  // select: adds the steps of `op`.
  virtual void Select(Schedule& schedule, ScheduledOp& op) = 0;
};

inline std::optional<size_t> CompileTarget::PoolBehind(const FusionGroup&, const std::vector<int>&) const {
  return std::nullopt;
}

}  // namespace tally
