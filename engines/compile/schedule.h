// The scheduled IR: one function of a module on its way to a program of an engine. Each pass of
// engines/compile brings it nearer:
//
//   fuse             what is computed together: instructions and fusion groups, by the values that they read and write
//   assign_layouts   where values are: in buffers, in one of two layouts. Conversions are operations, views share bytes
//   select           the steps of each operation, on kernels of the engine, with their working memory
//   alias            results over operands, and operands of a concatenation inside its result
//   place            every buffer in the arena
//
// PrintSchedule (print_schedule.h) shows it, ScheduleRun (engines/testing/schedule_run.h) computes it by the
// references.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/aligned_vector.h"
#include "base/storage.h"
#include "engines/compile/fusion_groups.h"
#include "ops/kernel.h"
#include "ops/tensor_type.h"
#include "vm/module.h"
#include "vm/step_notes.h"

namespace tally {

using BufferId = int32_t;

// Bytes that steps read and write: a value in one layout, or working memory.
struct Buffer {
  int64_t size_bytes = 0;
  std::span<const uint8_t> constant = {};  // live as long as the plan; nothing writes them
  BufferId alias_of = -1;                  // a part of another buffer, from `alias_offset` on
  int64_t alias_offset = 0;
  int64_t overread_bytes = 0;  // that steps may read past its end
  int64_t offset = -1;         // in the arena
  bool is_param = false;       // the caller writes it
  int32_t external = -1;       // in the caller's memory: parameter i, or after all parameters result r

  bool is_constant() const { return !constant.empty(); }
};

// A value as a step reads or writes it.
struct ValueRef {
  BufferId buffer = -1;
  TensorType type;  // its shape is that of the bytes in order, unless the layout says otherwise
  Storage storage = Storage::kI8;
  Layout layout = Layout::kRowMajor;

  int64_t size_bytes() const { return type.shape.num_elements() * SizeBytes(storage); }
};

// A step of a plan as the passes see it. Each engine derives what runs.
class ScheduledStep {
 public:
  // That the step may read `bytes` bytes past the end of a buffer.
  struct Overread {
    BufferId buffer;
    int64_t bytes;
  };

  virtual ~ScheduledStep() = default;

  const std::string& name() const { return name_; }
  // It is computed in so many parts, which write different bytes.
  int parts() const { return parts_; }
  // The notes on the rest of its work, but for where the bytes are (NotesOf).
  StepNotes notes() const { return notes_; }
  void Note(StepNotes notes) { notes_.Add(notes); }
  const std::vector<BufferId>& reads() const { return reads_; }
  const std::vector<BufferId>& writes() const { return writes_; }  // working memory included
  const std::vector<Overread>& overreads() const { return overreads_; }
  void NoteOverread(BufferId buffer, int64_t bytes) { overreads_.push_back({buffer, bytes}); }
  // As PlanStep has them.
  int64_t multiply_adds() const { return multiply_adds_; }
  void NoteMultiplyAdds(int64_t count) { multiply_adds_ = count; }

 protected:
  ScheduledStep(std::string name, int parts, std::vector<BufferId> reads, std::vector<BufferId> writes)
      : name_(std::move(name)), parts_(parts), reads_(std::move(reads)), writes_(std::move(writes)) {}

 private:
  std::string name_;
  int parts_;
  StepNotes notes_;
  std::vector<BufferId> reads_, writes_;
  std::vector<Overread> overreads_;
  int64_t multiply_adds_ = 0;
};

enum class ScheduledOpKind : uint8_t {
  kInstruction,
  kFusionGroup,  // a GEMM and what is done to its result
  kView,         // an instruction whose results are bytes that are there: nothing runs
  kCopy,         // an operand of a concatenation into its part of the result
  kConvert,      // a value into the other layout
  kStore,        // a value into the storage of its type, for an observer
  kRoot,         // the root of a value's tree (base/hash/tensor_leaves.h), for an observer
};

struct ScheduledOp {
  ScheduledOpKind kind = ScheduledOpKind::kInstruction;
  size_t instruction = 0;  // the body's: the last that it computes; of what is computed for others, theirs
  int32_t group = -1;      // in Schedule::groups
  int64_t position = 0;    // for an instruction that runs functions, as observers know it
  std::vector<ValueId> reads, writes;  // the function's

  // Since assign_layouts:
  Layout layout = Layout::kRowMajor;        // an instruction's: of all values of which it has two
  std::vector<ValueRef> operands, results;  // for `reads` and `writes`

  // Since select:
  std::vector<std::unique_ptr<ScheduledStep>> steps;
  int in_place_operand = -1;  // over whose bytes the first result may be written
};

// The values that an observer sees once so many operations, and then steps, have run.
struct ShownValue {
  size_t steps;
  ValueId id;       // in the module of the plan
  TensorType type;  // as the module has it
  ValueRef value;
};

// Where a value of the compiled function is, in one layout, once so many operations, and then steps, have
// run: what checked runs compare.
struct HeldRef {
  size_t steps;
  ValueId id;
  ValueRef value;
};

struct Schedule {
  std::vector<FusionGroup> groups;
  std::vector<ScheduledOp> ops;  // until place has taken their steps
  std::vector<Buffer> buffers;
  std::vector<ValueRef> params;
  std::vector<ValueRef> results;                  // row-major
  std::vector<AlignedVector<uint8_t>> constants;  // bytes that the plan made
  std::vector<ShownValue> shown;                  // ascending by steps
  std::vector<HeldRef> held;                      // ascending by steps
  std::vector<std::string> views;                 // operators for which nothing runs
  std::vector<std::unique_ptr<ScheduledStep>> steps;
  int64_t arena_bytes = 0;

  // Where the bytes of a buffer are: in `root`, which is no alias, from `offset` on.
  struct Place {
    BufferId root;
    int64_t offset;
  };
  Place PlaceOf(BufferId id) const {
    int64_t offset = 0;
    for (; buffers[id].alias_of >= 0; id = buffers[id].alias_of) offset += buffers[id].alias_offset;
    return {id, offset};
  }
  BufferId Root(BufferId id) const { return PlaceOf(id).root; }
  bool IsConstant(BufferId id) const { return buffers[Root(id)].is_constant(); }
  // A part of something larger.
  bool IsPart(BufferId id) const { return buffers[Root(id)].size_bytes != buffers[id].size_bytes; }

  BufferId NewBuffer(int64_t size_bytes);
  // A buffer of bytes that live as long as the plan.
  BufferId NewConstant(std::span<const uint8_t> bytes);
  // A buffer of bytes that it keeps.
  BufferId KeepConstant(AlignedVector<uint8_t> bytes);
  // A buffer for a value of `type`.
  ValueRef NewValue(const TensorType& type, Layout layout);
  // Bytes of `value`, from `offset_bytes` on, under another type, in the same layout.
  ValueRef View(const ValueRef& value, const TensorType& type, int64_t offset_bytes = 0);
};

// The work of a step besides running its kernel.
StepNotes NotesOf(const Schedule& schedule, const ScheduledStep& step);

// The steps of function `number` of a plan.
void AppendSteps(size_t number, const Schedule& schedule, std::vector<PlanStep>& steps);

}  // namespace tally
