// Computes a schedule by the references, as any pass has left it: over the values of the function after fuse,
// in buffers and layouts after assign_layouts, where buffers share bytes after alias, in the arena after
// place. The steps of engines do not run.
//
//   ScheduleRun run(FunctionView(*module, 0), schedule, check);
//   run.Run(inputs);
//   return check.status();   // the operation whose operand or result is not what the references have
#pragma once

#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "base/aligned_vector.h"
#include "base/tensor.h"
#include "engines/check/run_check.h"
#include "engines/compile/function_view.h"
#include "engines/compile/schedule.h"

namespace tally {

class ScheduleRun {
 public:
  // `check`: which the function has entered. `name`: of the pass, for its messages. All outlive this.
  ScheduleRun(const FunctionView& function, const Schedule& schedule, std::string_view name, RunCheck& check);

  // Compares each operand before an operation reads it, each result after it, and the results of the
  // function.
  void Run(std::span<const TensorView> inputs);

 private:
  // Where a value is: as `ref` says; of an image whose channels are some of a larger one, with so many of
  // those.
  struct Place {
    ValueRef ref;
    int64_t row_channels = 0;
  };

  bool has_buffers() const { return !schedule_.buffers.empty(); }
  uint8_t* At(BufferId id);
  int64_t ElementAt(const Place& place, int64_t i) const;
  Tensor Load(const Place& place);
  void Store(const Tensor& value, const Place& place);
  // The value as operand or result i of `op`.
  Tensor Read(const ScheduledOp& op, size_t i);
  Place PlaceOfResult(const ScheduledOp& op, size_t r) const;

  void RunOp(const ScheduledOp& op, size_t number);
  std::vector<Tensor> Compute(const ScheduledOp& op, std::vector<Tensor> operands) const;
  void Compare(ValueId id, const Tensor& value, size_t op, std::string_view did);

  const FunctionView& function_;
  const Schedule& schedule_;
  const std::string_view name_;
  RunCheck& check_;
  std::map<ValueId, Tensor> values_;                   // without buffers
  std::map<BufferId, AlignedVector<uint8_t>> memory_;  // for those that are in no arena
  AlignedVector<uint8_t> arena_;
};

}  // namespace tally
