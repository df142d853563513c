#include "engines/cpu/program/operator_step.h"

#include <utility>

#include "base/int_math.h"
#include "engines/cpu/program/run_hook.h"
#include "ops/function_caller.h"
#include "ops/references.h"

namespace tally::cpu {
namespace {

std::vector<BufferId> BuffersOf(const std::vector<ValueRef>& values, BufferId more = -1) {
  std::vector<BufferId> ids;
  for (const ValueRef& value : values) ids.push_back(value.buffer);
  if (more >= 0) ids.push_back(more);
  return ids;
}

class KernelStep final : public Step {
 public:
  KernelStep(SelectedKernel kernel, OperatorCall call, int parts, BufferId scratch)
      : Step(std::string(kernel.entry->name), parts, BuffersOf(call.operands),
             BuffersOf(call.results, scratch)),
        kernel_(std::move(kernel)),
        operands_(std::move(call.operands)),
        results_(std::move(call.results)),
        scratch_(scratch) {}

  void Run(const Frame& frame, int part) const noexcept override {
    constexpr size_t kInline = 8;
    KernelOperand operands_inline[kInline];
    std::vector<KernelOperand> operands_many(operands_.size() > kInline ? operands_.size() : 0);
    KernelOperand* operands = operands_many.empty() ? operands_inline : operands_many.data();
    KernelResult results[kInline];
    for (size_t i = 0; i < operands_.size(); ++i) {
      const ValueRef& v = operands_[i];
      operands[i] = {&v.type, v.storage, frame.ConstAt(v.buffer)};
    }
    for (size_t i = 0; i < results_.size(); ++i) {
      const ValueRef& v = results_[i];
      results[i] = {&v.type, v.storage, frame.At(v.buffer)};
    }
    const int64_t scratch_bytes = kernel_.prepared.scratch_bytes;
    kernel_.Run({.operands = {operands, operands_.size()},
                 .results = {results, results_.size()},
                 .scratch = scratch_ < 0 ? nullptr : frame.At(scratch_) + part * scratch_bytes,
                 .part = part,
                 .parts = parts()});
  }

 private:
  SelectedKernel kernel_;
  std::vector<ValueRef> operands_, results_;
  BufferId scratch_;
};

class ReferenceStep final : public Step {
 public:
  ReferenceStep(OperatorCall call, const ValidModule& module, const std::vector<Program>* programs,
                BufferId scratch, int64_t own_offset)
      : Step(std::string(InfoOf(call.op).name) + "_reference", 1, BuffersOf(call.operands),
             BuffersOf(call.results, scratch)),
        call_(std::move(call)),
        module_(module),
        programs_(programs),
        scratch_(scratch),
        own_offset_(own_offset) {}

  void Run(const Frame& frame, int) const noexcept override {
    std::vector<Operand<int64_t>> operands;
    for (const ValueRef& v : call_.operands) {
      operands.emplace_back(v.type, v.storage, frame.ConstAt(v.buffer), nullptr);
    }
    std::vector<Result<int64_t>> results;
    for (const ValueRef& v : call_.results) results.emplace_back(v.type, frame.At(v.buffer), nullptr);
    Caller caller(*this, scratch_ < 0 ? nullptr : frame.At(scratch_), frame);
    ReferenceOf<int64_t>(call_.op)({&call_.attributes, operands, results, &caller});
  }

 private:
  class Caller final : public FunctionCaller<int64_t> {
   public:
    Caller(const ReferenceStep& step, uint8_t* memory, const Frame& frame)
        : step_(step),
          memory_(memory),
          own_(memory == nullptr ? nullptr : memory + step.own_offset_),
          hook_(frame.hook),
          cancellation_(frame.cancellation) {}

    FunctionSignature Signature(int64_t function) const override {
      return step_.module_.functions()[function].signature();
    }
    bool Call(int64_t function, int64_t invocation, std::span<const Operand<int64_t>> arguments,
              std::span<const Result<int64_t>> results) override {
      const Program& program = (*step_.programs_)[function];
      const Frame frame = {
          .program = &program, .arena = memory_, .hook = hook_, .cancellation = cancellation_};
      for (size_t i = 0; i < arguments.size(); ++i) {
        const ValueRef& param = program.params[i];
        arguments[i].CopyTo(param.storage, frame.At(param.buffer));
      }
      if (hook_ != nullptr)
        hook_->Enter({step_.call_.position, invocation}, static_cast<size_t>(function), arguments);
      RunSerially(frame);
      if (hook_ != nullptr) hook_->Leave();
      if (IsCancelled(cancellation_)) return false;
      for (size_t r = 0; r < results.size(); ++r) {
        const ValueRef& value = program.results[r];
        results[r].SetAll({value.type, value.storage, frame.ConstAt(value.buffer), nullptr});
      }
      return true;
    }
    Result<int64_t> Allocate(const TensorType& type) override {
      uint8_t* const bytes = own_;
      own_ += RoundUp(type.size_bytes(), kBufferAlignment);
      return {type, bytes, nullptr};
    }

   private:
    const ReferenceStep& step_;
    uint8_t* memory_;
    uint8_t* own_;
    RunHook* hook_;
    const Cancellation* cancellation_;
  };

  OperatorCall call_;
  const ValidModule& module_;
  const std::vector<Program>* programs_;
  BufferId scratch_;
  int64_t own_offset_;
};

}  // namespace

std::unique_ptr<Step> MakeKernelStep(SelectedKernel kernel, OperatorCall call, int parts, BufferId scratch) {
  return std::make_unique<KernelStep>(std::move(kernel), std::move(call), parts, scratch);
}

std::unique_ptr<Step> MakeReferenceStep(OperatorCall call, const ValidModule& module,
                                        const std::vector<Program>* programs, BufferId scratch,
                                        int64_t own_offset) {
  return std::make_unique<ReferenceStep>(std::move(call), module, programs, scratch, own_offset);
}

void RunSerially(const Frame& frame) noexcept {
  const auto& steps = frame.program->steps;
  for (size_t s = 0; s <= steps.size(); ++s) {
    if (IsCancelled(frame.cancellation)) return;
    if (frame.hook != nullptr) frame.hook->After(frame, s);
    if (s == steps.size()) return;
    const Step& step = StepAt(*frame.program, s);
    for (int part = 0; part < step.parts(); ++part) step.Run(frame, part);
  }
}

}  // namespace tally::cpu
