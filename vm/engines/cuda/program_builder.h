// Builds the program of one function: values in the layouts that steps ask for, each conversion made once.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ops/cuda/gemm/gemm.h"
#include "ops/cuda/registry.h"
#include "vm/engines/cuda/constants.h"
#include "vm/engines/cuda/operator_step.h"
#include "vm/engines/cuda/program.h"
#include "vm/engines/function_view.h"
#include "vm/engines/observed_functions.h"

namespace tally::cuda {

struct PlanContext {
  const ValidModule* module = nullptr;
  Arch arch = Arch::kSm80;
  const std::vector<Program>* programs = nullptr;  // of the functions behind this one, once they are built
  Constants* constants = nullptr;
  const std::vector<ObservedFunction>* observed = nullptr;  // what runs show, or null
  bool roots = false;                                       // of what they show: the root of its tree
  bool fuses = true;                                        // GEMM with what follows it
  // Of constants that the plan makes. Half of it is for packed weights: beyond, GEMM reads weights as they lie, with what that
  // needs from the other half. Beyond both, steps run on references.
  int64_t most_made_bytes = 0;
  int64_t* direct_bytes_left = nullptr;
};

class ProgramBuilder : public FunctionView {
 public:
  ProgramBuilder(const PlanContext& context, size_t function);

  const PlanContext& context() const { return context_; }
  Program& program() { return program_; }

  BufferId NewBuffer(int64_t size_bytes);
  BufferId NewConstant(AlignedVector<uint8_t> bytes);
  // A buffer for a value of `type`.
  Value NewValue(const TensorType& type, Layout layout);

  // Value `id` of the function, in `layout`; converted, once, if it is not there yet.
  Value Get(ValueId id, Layout layout);
  // Whether the value is there in `layout` without a conversion.
  bool Has(ValueId id, Layout layout) const { return FormOf(forms_[id], layout).buffer >= 0; }
  // Says where value `id` lies, now that the step which writes it is there.
  void Set(ValueId id, const Value& value);
  // The elements of `value`, which is row-major, in the storage of `type`; converted if they are not.
  Value InStorage(const Value& value, const TensorType& type);
  // The 32 bytes of TensorRoot of `value`, which is row-major.
  Value Root(const Value& value);
  // The same bytes under another type and layout.
  Value View(const Value& value, const TensorType& type, Layout layout);

  // What an entry sees of an instruction whose values lie in `layout`.
  std::optional<Prepared> PrepareInstruction(size_t step, Layout layout) const;
  // Whether PrepareGemm has launches for the instruction, whose constants are taken from what the plan may keep.
  bool TakesGemm(size_t step) const;
  // Whether the plan may keep the constants of `work`, if `most` bytes may be made in all.
  bool CanKeep(const Work& work, int64_t most) const;
  Work PrepareGemm(size_t step, Layout layout, const GemmFusion& fusion) const;

  // A step for `work` on these values.
  void AddWork(std::string_view name, Work work, std::span<const Value> operands,
               std::span<const Value> results);
  // A step for an instruction on its reference. Everything is row-major. `position`: in the body, as observers know it.
  void AddReference(size_t step, int64_t position);

 private:
  struct Forms {
    Value row_major, channels_last;
  };
  static const Value& FormOf(const Forms& forms, Layout layout) {
    return layout == Layout::kRowMajor ? forms.row_major : forms.channels_last;
  }
  Value ConvertConstant(ValueId id, Layout layout);
  template <typename Visit>
  auto WithFacts(size_t step, Layout layout, Visit visit) const;

  const PlanContext& context_;
  Program program_;
  std::vector<Forms> forms_;  // by value id
};

}  // namespace tally::cuda
