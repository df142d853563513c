// What a plan of the cpu engine is made of: values in an arena, and steps that compute them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/aligned_vector.h"
#include "base/storage.h"
#include "ops/kernel.h"
#include "ops/tensor_type.h"
#include "vm/memory_planner.h"
#include "vm/module.h"
#include "vm/step_notes.h"

namespace tally::cpu {

using BufferId = int32_t;

// Bytes that steps read and write: a value in one layout, or working memory.
struct Buffer {
  int64_t size_bytes = 0;
  const uint8_t* constant = nullptr;  // bytes that live as long as the plan; nothing writes them
  BufferId alias_of = -1;             // a part of another buffer, from `alias_offset` on
  int64_t alias_offset = 0;
  int64_t overread_bytes = 0;  // that steps may read behind its end
  int64_t offset = -1;         // in the arena
  bool is_param = false;       // the caller writes it
  int32_t external = -1;       // in Frame::external
};

// A value as a step reads or writes it.
struct ValueRef {
  BufferId buffer = -1;
  TensorType type;  // its shape is that of the bytes in order, unless the layout says otherwise
  Storage storage = Storage::kI8;
  Layout layout = Layout::kRowMajor;
};

struct Program;
class RunHook;

// One run of one program.
struct Frame {
  const Program* program;
  uint8_t* arena;
  // The caller's memory for parameters and then results; null where they lie in the arena, as they all do in functions
  // that others call. Steps only read parameters.
  uint8_t* const* external = nullptr;
  RunHook* hook = nullptr;  // null in a run that nobody looks into

  uint8_t* At(BufferId id) const;
  const uint8_t* ConstAt(BufferId id) const;
};

// Immutable, and run by many threads at once.
class Step {
 public:
  virtual ~Step() = default;

  // Computes part `part` of parts(). Parts write different bytes.
  virtual void Run(const Frame& frame, int part) const noexcept = 0;

  // The weights that the step reads, and those of the next step that has any: a kernel may fetch them ahead.
  virtual std::span<const uint8_t> weights() const { return {}; }
  virtual void SetNextWeights(std::span<const uint8_t>) {}

  int parts() const { return parts_; }
  const std::string& name() const { return name_; }
  // What it does besides, but for where the bytes are (NotesOf).
  StepNotes notes() const { return notes_; }
  void Note(StepNotes notes) { notes_.Add(notes); }
  const std::vector<BufferId>& reads() const { return reads_; }
  const std::vector<BufferId>& writes() const { return writes_; }  // working memory included

 protected:
  Step(std::string name, int parts, std::vector<BufferId> reads, std::vector<BufferId> writes)
      : name_(std::move(name)), parts_(parts), reads_(std::move(reads)), writes_(std::move(writes)) {}

 private:
  std::string name_;
  int parts_;
  StepNotes notes_;
  std::vector<BufferId> reads_, writes_;
};

// What an observer is shown once so many steps have run.
struct ShownValue {
  size_t steps;
  ValueId id;       // in the module of the plan
  TensorType type;  // as the module has it
  ValueRef value;   // row-major
};

// Where a value of the compiled function is, in one layout, once so many steps have run: what checked runs compare.
struct HeldRef {
  size_t steps;
  ValueId id;
  ValueRef value;
};

// A function of the module.
struct Program {
  std::vector<Buffer> buffers;
  std::vector<std::unique_ptr<Step>> steps;
  std::vector<ValueRef> params;
  std::vector<ValueRef> results;                  // row-major
  std::vector<AlignedVector<uint8_t>> constants;  // bytes that the plan made
  std::vector<std::string> views;                 // operators whose results are bytes that are there already
  std::vector<ShownValue> shown;                  // ascending by steps
  std::vector<HeldRef> held;                      // ascending by steps
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
};

inline uint8_t* Frame::At(BufferId id) const {
  const auto [root, offset] = program->PlaceOf(id);
  const Buffer& buffer = program->buffers[root];
  if (external != nullptr && buffer.external >= 0 && external[buffer.external] != nullptr) {
    return external[buffer.external] + offset;
  }
  return arena + buffer.offset + offset;
}
inline const uint8_t* Frame::ConstAt(BufferId id) const {
  const auto [root, offset] = program->PlaceOf(id);
  const uint8_t* const constant = program->buffers[root].constant;
  return constant != nullptr ? constant + offset : At(id);
}

// Gives every buffer its place from the steps that use it.
void PlaceBuffers(Program& program);

// Says which buffers may lie in the caller's memory: parameters and results that nothing reads behind and that are no
// part of something larger.
void BindExternals(Program& program);

// What a step does besides running its kernel.
StepNotes NotesOf(const Program& program, const Step& step);

// Tells every step what weights follow.
void LinkWeights(Program& program);

}  // namespace tally::cpu
