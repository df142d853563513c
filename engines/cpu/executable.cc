#include "engines/cpu/executable.h"

#include <utility>

#include "absl/container/inlined_vector.h"
#include "base/copy_elements.h"
#include "base/status_macros.h"
#include "engines/cpu/program/run_hook.h"
#include "engines/shared/fill_arena.h"

namespace tally::cpu {
namespace {

bool IsAligned(const uint8_t* bytes) {
  return reinterpret_cast<uintptr_t>(bytes) % static_cast<uintptr_t>(kBufferAlignment) == 0;
}

}  // namespace

// The working memory of one run. What runs gave back is kept.
class Executable::Arena {
 public:
  explicit Arena(const Executable& executable) : executable_(executable) {
    const std::lock_guard lock(executable_.mutex_);
    if (executable_.free_.empty()) {
      const auto size = static_cast<size_t>(executable_.entry().arena_bytes);
      bytes_ = Bytes(static_cast<uint8_t*>(AllocateAligned(size)), Free{size});
    } else {
      bytes_ = std::move(executable_.free_.back());
      executable_.free_.pop_back();
    }
    FillArena(bytes(), executable_.entry().arena_bytes);
  }
  ~Arena() {
    const std::lock_guard lock(executable_.mutex_);
    executable_.free_.push_back(std::move(bytes_));
  }
  uint8_t* bytes() const { return bytes_.get(); }

 private:
  const Executable& executable_;
  Bytes bytes_;
};

Executable::Executable(std::shared_ptr<const ValidModule> module, const CompileOptions& options)
    : module_(std::move(module)), published_(options.published) {
  Compile(*module_, options, programs_);
  BindExternals(programs_[0]);
}

std::vector<PlanStep> Executable::steps() const {
  std::vector<PlanStep> steps;
  for (size_t f = 0; f < programs_.size(); ++f) {
    const size_t first = steps.size();
    AppendSteps(f, programs_[f], steps);
    for (size_t s = first; s < steps.size(); ++s)
      steps[s].bytes += StepAt(programs_[f], s - first).kept_bytes();
  }
  return steps;
}

int64_t Executable::kept_bytes() const {
  int64_t bytes = 0;
  for (const Program& program : programs_) {
    for (const auto& constant : program.constants) bytes += std::ssize(constant);
    for (size_t s = 0; s < program.steps.size(); ++s) bytes += StepAt(program, s).kept_bytes();
  }
  return bytes;
}

absl::Status Executable::Run(std::span<const TensorView> inputs, std::span<const std::span<uint8_t>> results,
                             ThreadPool& pool, RunHook* hook, const Cancellation* cancellation) const {
  RETURN_IF_ERROR(NotCancelled(cancellation));
  const Program& program = entry();
  const Arena arena(*this);
  absl::InlinedVector<uint8_t*, 16> external(inputs.size() + results.size());
  const Frame frame = {&program, arena.bytes(), external.data(), hook, cancellation};
  for (size_t i = 0; i < inputs.size(); ++i) {
    const ValueRef& param = program.params[i];
    auto* const bytes = const_cast<uint8_t*>(inputs[i].bytes.data());
    if (inputs[i].storage == param.storage && IsAligned(bytes) && IsExternal(param, i)) {
      external[i] = bytes;
    } else {
      CopyElements(inputs[i].storage, bytes, param.storage, frame.At(param.buffer),
                   inputs[i].shape.num_elements());
    }
  }
  const auto storage_of = [&](size_t r) {
    return published_.types()[published_.entry().results[r]].storage();
  };
  for (size_t r = 0; r < results.size(); ++r) {
    const ValueRef& value = program.results[r];
    const size_t index = inputs.size() + r;
    if (value.storage == storage_of(r) && IsAligned(results[r].data()) && IsExternal(value, index)) {
      external[index] = results[r].data();
      FillArena(results[r].data(), std::ssize(results[r]));
    }
  }
  ThreadPool::Caller caller(pool);
  if (hook != nullptr) hook->Begin(caller);
  if (hook != nullptr) hook->After(frame, 0);
  for (size_t s = 0; s < program.steps.size(); ++s) {
    const Step& step = StepAt(program, s);
    caller.Run(step.parts(), [&](int part) { step.Run(frame, part); });
    RETURN_IF_ERROR(NotCancelled(cancellation));  // before anybody sees what a step has left out
    if (hook != nullptr) hook->After(frame, s + 1);
  }
  for (size_t r = 0; r < results.size(); ++r) {
    if (external[inputs.size() + r] != nullptr) continue;
    const ValueRef& value = program.results[r];
    CopyElements(value.storage, frame.ConstAt(value.buffer), storage_of(r), results[r].data(),
                 value.type.shape.num_elements());
  }
  return absl::OkStatus();
}

}  // namespace tally::cpu
