// Builds the program of one function: values in the layouts that steps ask for, each conversion made once.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/cpu_flags.h"
#include "vm/engines/cpu/operator_step.h"
#include "vm/engines/cpu/program.h"
#include "vm/engines/function_view.h"
#include "vm/engines/layouts.h"
#include "vm/engines/observed_functions.h"

namespace tally::cpu {

struct PlanContext {
  const ValidModule* module = nullptr;
  const std::vector<Program>* programs = nullptr;  // of the functions behind this one, once they are built
  CpuFlags flags;
  int threads = 1;
  int64_t least_pooled_bytes = 0;                           // see CpuPlanOptions
  const std::vector<ObservedFunction>* observed = nullptr;  // what runs show, or null
  // Slices, and what a concatenation is made of, are parts of other values.
  bool parts_are_views = true;
  // Micro-kernels compute GEMM, fused with what follows them, on copies as they want them. Else every step reads and
  // writes values as the module has them.
  bool uses_gemm = true;
  int64_t* kept_bytes = nullptr;  // that the plan may still keep
};

class ProgramBuilder : public FunctionView {
 public:
  ProgramBuilder(const PlanContext& context, size_t function);

  const PlanContext& context() const { return context_; }
  Program& program() { return program_; }
  bool IsConstant(BufferId id) const { return program_.buffers[program_.Root(id)].constant != nullptr; }

  BufferId NewBuffer(int64_t size_bytes);
  // Bytes of the module.
  BufferId ConstantBuffer(const TensorView& view);
  // Bytes that the plan keeps.
  BufferId NewConstant(AlignedVector<uint8_t> bytes);
  // A buffer for a value of `type`.
  ValueRef NewValue(const TensorType& type, Layout layout);

  // Value `id` of the function, in `layout`; converted, once, if it is not there yet.
  ValueRef Get(ValueId id, Layout layout);
  // A copy of `value` in `layout`, in which it is not: made by a step, or with the plan if it is a constant.
  ValueRef Converted(const ValueRef& value, Layout layout);
  // Whether the value is there in `layout` without a conversion.
  bool Has(ValueId id, Layout layout) const;
  // Whether it is there channels last and not row-major.
  bool IsChannelsLast(ValueId id) const {
    return HasChannels(type(id).shape) && Has(id, Layout::kChannelsLast) && !Has(id, Layout::kRowMajor);
  }
  // Says where value `id` lies, now that all steps which write it are there.
  void Set(ValueId id, const ValueRef& value);
  // Says where it will lie, before they are.
  void Reserve(ValueId id, const ValueRef& value);
  // Bytes of `value`, from `offset_bytes` on, under another type, in the same layout.
  ValueRef View(const ValueRef& value, const TensorType& type, int64_t offset_bytes = 0);
  // Whether bytes of a value may become a part of something larger. They must stay where they are when they are a part
  // already, not the plan's to place, or read beyond their end, where the next part may be written meanwhile.
  bool CanPlaceInside(const ValueRef& value) const;
  // Makes the bytes of `value`, which can be placed so, those of `whole` from `offset_bytes` on, also for the steps
  // that have written them.
  void PlaceInside(const ValueRef& value, const ValueRef& whole, int64_t offset_bytes);
  // Says that a step may read `bytes` bytes behind the end of a buffer.
  void NoteOverread(BufferId id, int64_t bytes);

  // By value, the last instruction in whose place a step reads it. What has a buffer before that, as parameters have,
  // never dies.
  void SetLastReads(std::vector<int32_t> last_reads) { last_reads_ = std::move(last_reads); }
  // `value` with the type of `y`, if its bytes may become those of a result of instruction `step` that has as many:
  // nothing reads them later, they are the plan's, and `others` have none of them.
  std::optional<ValueRef> Reuse(const ValueRef& value, const ValueRef& y, size_t step,
                                std::span<const ValueRef> others);

  void Add(std::unique_ptr<Step> step) { program_.steps.push_back(std::move(step)); }

  // A kernel for `call` in `layout`, or null.
  const KernelEntry* FindKernel(const OperatorCall& call, Layout layout, const Interval& accumulator) const;
  // The working memory of a thread, a multiple of kBufferAlignment.
  int64_t ScratchBytes(const KernelEntry& kernel, const OperatorCall& call,
                       const Interval& accumulator) const;
  // The step of `call` on a kernel if there is one, else on the reference, which needs row-major operands.
  // `scratch_bytes`: of an operator that calls functions.
  void AddOperator(OperatorCall call, const KernelEntry* kernel, const Interval& accumulator,
                   int64_t scratch_bytes = 0);

 private:
  struct Forms {
    ValueRef row_major, channels_last;
  };
  ValueRef& Form(ValueId id, Layout layout);
  void NoteReads(ValueId id, BufferId buffer);
  ValueRef ConvertedConstant(const ValueRef& value, Layout layout);
  template <typename Visit>
  auto WithFacts(const OperatorCall& call, Layout layout, const Interval& accumulator, Visit visit) const;

  const PlanContext& context_;
  Program program_;
  std::vector<Forms> forms_;  // by value id
  std::vector<int32_t> last_reads_;
  std::map<BufferId, int32_t> last_reads_of_;  // by the buffer whose bytes values have
};

}  // namespace tally::cpu
