// Which instructions one step computes: a GEMM and what is done to its result alone.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/rescale.h"
#include "engines/compile/function_view.h"
#include "engines/compile/observed_functions.h"
#include "ops/gemm/residual_scale.h"
#include "vm/step_notes.h"

namespace tally {

// Instructions of one function, by their numbers. What they compute on the way is read by nothing else.
struct FusionGroup {
  size_t gemm = 0;  // convolution or matmul
  size_t last = 0;  // whose result the step writes
  // a reshape follows the sum, with the same bytes in both layouts: y is row-major.
  bool viewed = false;
  std::optional<ValueId> bias;       // a constant for each column that a broadcast_add after the sum adds
  bool scaled = false;               // by a rescale
  Interval scaled_interval;          // for what it reads
  std::vector<RescaleParams> scale;  // one, or one for each channel
  std::optional<ValueId> residual;   // a lincomb or an addition after the rescale takes it too
  ResidualScale residual_scale;
  std::vector<int8_t> table;  // after all of it; 0 or 256 entries
  // A concatenation that alone reads the result, all of whose operands are such: rows of the result are
  // written into its rows, from channel `joined_channel` on.
  std::optional<ValueId> concat;
  int64_t concat_channel = 0;
  std::optional<size_t> pool;  // the max_pool that alone reads the result, computed by the same step
};

// A GEMM that may begin a fusion group.
struct GemmForm {
  int channel_axis;  // its result's
  bool is_s64;       // in 64 bits: the fusion group ends after the rescale and its clamps
};

// A fusion group runs where its last instruction is: there its residual exists.
struct FusionGroups {
  std::map<size_t, FusionGroup> by_last;
  std::set<size_t> inside;  // instructions of all fusion groups
};

// The fusion groups of a function, each as long as it can be, or of its GEMM alone where nothing `fuses`.
// `gemm_at`: the GEMM that an instruction is, or nothing. Two GEMM may meet in one lincomb: it joins the
// fusion group of the first. `uses`: CountUses.
FusionGroups FindFusionGroups(const FunctionView& function, const std::vector<int>& uses, bool fuses,
                              const std::function<std::optional<GemmForm>(size_t step)>& gemm_at);

// The notes of a fusion group's step beside its GEMM.
StepNotes NotesOf(const FunctionView& function, const FusionGroup& fused);

// How often each value of the function is read, by callers and by an observer too, if there is one.
std::vector<int> CountUses(const FunctionView& function, const ObservedFunction* observed = nullptr);

}  // namespace tally
