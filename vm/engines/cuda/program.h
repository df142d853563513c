// What a plan of the cuda engine is made of: values in an arena of the device, and steps that compute them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ops/kernel.h"
#include "vm/engines/cuda/constants.h"
#include "vm/engines/cuda/device.h"
#include "vm/module.h"

namespace tally::cuda {

using BufferId = int32_t;

// Bytes that steps read and write: a value in one layout, or working memory.
struct Buffer {
  int64_t size_bytes = 0;
  BufferId alias_of = -1;              // the same bytes as another buffer
  std::span<const uint8_t> host = {};  // of a constant: its bytes, which live as long as the plan
  int64_t constant = -1;               // where they lie in the block of constants, if a step reads them
  int64_t offset = -1;                 // in the arena
};

// A value as a step reads or writes it.
struct Value {
  BufferId buffer = -1;
  TensorType type;
  Storage storage = Storage::kI8;
  Layout layout = Layout::kRowMajor;

  int64_t size_bytes() const { return type.shape.num_elements() * SizeBytes(storage); }
};

struct Program;
class RunHook;

// One run of one program.
struct Frame {
  const Program* program;
  Stream* stream;
  uint8_t* arena;
  uint8_t* constants;
  RunHook* hook = nullptr;  // null in a run that nobody looks into

  uint8_t* At(BufferId id) const;
};

// Immutable, and run by many threads at once.
class Step {
 public:
  virtual ~Step() = default;

  // Gives the stream the work.
  virtual absl::Status Run(const Frame& frame) const = 0;

  // Whether Run waits for the stream, because the host has a part in the work.
  virtual bool waits() const { return false; }

  // Host memory that a run of the step needs.
  virtual int64_t host_bytes() const { return 0; }

  const std::string& name() const { return name_; }
  const std::vector<BufferId>& uses() const { return uses_; }  // working memory included

 protected:
  Step(std::string name, std::vector<BufferId> uses) : name_(std::move(name)), uses_(std::move(uses)) {}

 private:
  std::string name_;
  std::vector<BufferId> uses_;
};

// What an observer is shown once so many steps have run.
struct ShownValue {
  size_t steps;
  ValueId id;       // in the module of the plan
  TensorType type;  // as the module has it
  Value value;      // row-major, in the storage of the type; or its root
};

// Where a value of the compiled function is, in one layout, once so many steps have run: what checked runs compare.
struct HeldRef {
  size_t steps;
  ValueId id;
  Value value;
};

// A function of the module.
struct Program {
  std::vector<Buffer> buffers;
  std::vector<std::unique_ptr<Step>> steps;
  std::vector<Value> params;
  std::vector<Value> results;     // row-major
  std::vector<ShownValue> shown;  // ascending by steps
  std::vector<HeldRef> held;      // ascending by steps
  int64_t arena_bytes = 0;
  int64_t host_bytes = 0;  // the most that a step needs

  // The buffer whose bytes `id` has.
  BufferId Root(BufferId id) const {
    while (buffers[id].alias_of >= 0) id = buffers[id].alias_of;
    return id;
  }
};

inline uint8_t* Frame::At(BufferId id) const {
  const Buffer& buffer = program->buffers[program->Root(id)];
  return buffer.constant >= 0 ? constants + buffer.constant : arena + buffer.offset;
}

// Gives every buffer its place, in the arena or among the constants, from the steps that use it.
void PlaceBuffers(Program& program, Constants& constants);

// Gives the stream the work of all steps, with the hook of the frame after each.
absl::Status RunSteps(const Frame& frame);

}  // namespace tally::cuda
