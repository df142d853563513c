#include <algorithm>
#include <utility>

#include "base/int_math.h"
#include "base/status_macros.h"
#include "engines/cuda/operator_step.h"
#include "engines/cuda/run_hook.h"
#include "ops/function_caller.h"
#include "ops/references.h"

namespace tally::cuda {
namespace {

// Constants are read on the host.
std::vector<BufferId> ReadsOf(const OperatorCall& call, const std::vector<const uint8_t*>& constants) {
  std::vector<BufferId> ids;
  for (size_t i = 0; i < constants.size(); ++i) {
    if (constants[i] == nullptr) ids.push_back(call.operands[i].buffer);
  }
  return ids;
}

std::vector<BufferId> WritesOf(const OperatorCall& call, BufferId scratch) {
  std::vector<BufferId> ids;
  for (const ValueRef& value : call.results) ids.push_back(value.buffer);
  if (scratch >= 0) ids.push_back(scratch);
  return ids;
}

// The bytes of values on the host, while a step runs.
class HostCopies {
 public:
  uint8_t* Allocate(int64_t size_bytes) { return copies_.emplace_back(size_bytes).data(); }
  std::span<uint8_t> last() { return copies_.back(); }

 private:
  std::vector<std::vector<uint8_t>> copies_;
};

class ReferenceStep final : public Step {
 public:
  ReferenceStep(OperatorCall call, std::vector<const uint8_t*> constants, const ValidModule& module,
                const std::vector<Program>* programs, BufferId scratch, int64_t scratch_bytes)
      : Step(std::string(InfoOf(call.op).name) + "_reference", ReadsOf(call, constants),
             WritesOf(call, scratch)),
        call_(std::move(call)),
        constants_(std::move(constants)),
        module_(module),
        programs_(programs),
        scratch_(scratch),
        scratch_bytes_(scratch_bytes) {}

  int64_t host_bytes() const override {
    int64_t bytes = scratch_bytes_;
    for (size_t i = 0; i < call_.operands.size(); ++i) {
      if (constants_[i] == nullptr) bytes += call_.operands[i].size_bytes();
    }
    for (const ValueRef& value : call_.results) bytes += value.size_bytes();
    int64_t functions = 0;
    ForEachFunction(InfoOf(call_.op).attributes, call_.attributes, [&](int64_t f) {
      const Program& program = (*programs_)[f];
      functions = std::max(functions, program.host_bytes + BytesAtEdges(program));
    });
    return bytes + functions;
  }

  bool waits() const override { return true; }

  absl::Status Run(const Frame& frame) const override {
    HostCopies copies;
    std::vector<Operand<int64_t>> operands;
    for (size_t i = 0; i < call_.operands.size(); ++i) {
      const ValueRef& value = call_.operands[i];
      const uint8_t* bytes = constants_[i];
      if (bytes == nullptr) {
        bytes = copies.Allocate(value.size_bytes());
        RETURN_IF_ERROR(frame.stream->CopyOut(copies.last(), frame.At(value.buffer)));
      }
      operands.emplace_back(value.type, value.storage, bytes, nullptr);
    }
    RETURN_IF_ERROR(frame.stream->Wait());
    std::vector<Result<int64_t>> results;
    std::vector<std::span<const uint8_t>> bytes;
    for (const ValueRef& value : call_.results) {
      results.emplace_back(value.type, copies.Allocate(value.size_bytes()), nullptr);
      bytes.push_back(copies.last());
    }
    Caller caller(*this, frame);
    ReferenceOf<int64_t>(call_.op)({&call_.attributes, operands, results, &caller});
    RETURN_IF_ERROR(caller.status());
    for (size_t r = 0; r < bytes.size(); ++r) {
      RETURN_IF_ERROR(frame.stream->CopyIn(frame.At(call_.results[r].buffer), bytes[r]));
    }
    return frame.stream->Wait();
  }

 private:
  static int64_t BytesAtEdges(const Program& program) {
    int64_t bytes = 0;
    for (const auto* values : {&program.params, &program.results}) {
      for (const ValueRef& value : *values) bytes += value.size_bytes();
    }
    return bytes;
  }

  // Runs the functions that the operator names, on the device, until one fails.
  class Caller final : public FunctionCaller<int64_t> {
   public:
    Caller(const ReferenceStep& step, const Frame& frame) : step_(step), frame_(frame) {}

    const absl::Status& status() const { return status_; }

    FunctionSignature Signature(int64_t function) const override {
      return step_.module_.functions()[function].signature();
    }
    bool Call(int64_t function, int64_t invocation, std::span<const Operand<int64_t>> arguments,
              std::span<const Result<int64_t>> results) override {
      const Program& program = (*step_.programs_)[function];
      HostCopies copies;
      std::vector<std::pair<const ValueRef*, const uint8_t*>> values;
      if (frame_.hook != nullptr)
        frame_.hook->Enter({step_.call_.position, invocation}, static_cast<size_t>(function), arguments);
      status_ = Run(program, arguments, copies, values);
      if (frame_.hook != nullptr) frame_.hook->Leave();
      if (!status_.ok()) return false;
      for (size_t r = 0; r < results.size(); ++r) {
        const auto& [value, bytes] = values[r];
        results[r].SetAll({value->type, value->storage, bytes, nullptr});
      }
      return true;
    }
    Result<int64_t> Allocate(const TensorType& type) override {
      return {type, allocated_.Allocate(type.size_bytes()), nullptr};
    }

   private:
    absl::Status Run(const Program& program, std::span<const Operand<int64_t>> arguments, HostCopies& copies,
                     std::vector<std::pair<const ValueRef*, const uint8_t*>>& values) {
      const Frame frame = {
          &program,         frame_.stream, step_.scratch_ < 0 ? nullptr : frame_.At(step_.scratch_),
          frame_.constants, frame_.hook,   frame_.cancellation};
      for (size_t i = 0; i < arguments.size(); ++i) {
        const ValueRef& param = program.params[i];
        uint8_t* const bytes = copies.Allocate(param.size_bytes());
        arguments[i].CopyTo(param.storage, bytes);
        RETURN_IF_ERROR(frame.stream->CopyIn(frame.At(param.buffer), copies.last()));
      }
      RETURN_IF_ERROR(RunSteps(frame));
      for (const ValueRef& value : program.results) {
        values.emplace_back(&value, copies.Allocate(value.size_bytes()));
        RETURN_IF_ERROR(frame.stream->CopyOut(copies.last(), frame.At(value.buffer)));
      }
      return frame.stream->Wait();
    }

    const ReferenceStep& step_;
    const Frame& frame_;
    absl::Status status_;
    HostCopies allocated_;
  };

  OperatorCall call_;
  std::vector<const uint8_t*> constants_;
  const ValidModule& module_;
  const std::vector<Program>* programs_;
  BufferId scratch_;
  int64_t scratch_bytes_;
};

}  // namespace

std::unique_ptr<Step> MakeReferenceStep(OperatorCall call, std::vector<const uint8_t*> constants,
                                        const ValidModule& module, const std::vector<Program>* programs,
                                        BufferId scratch, int64_t scratch_bytes) {
  return std::make_unique<ReferenceStep>(std::move(call), std::move(constants), module, programs, scratch,
                                         scratch_bytes);
}

}  // namespace tally::cuda
