#include "vm/engines/cpu/compiler.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "ops/layout/attrs.h"
#include "vm/engine_memory.h"
#include "vm/engines/cpu/gemm_builder.h"
#include "vm/engines/cpu/pooled_convolution_builder.h"
#include "vm/engines/cpu/program_builder.h"
#include "vm/engines/cpu/proportion.h"
#include "vm/engines/cpu/views.h"
#include "vm/engines/fusion.h"

namespace tally::cpu {
namespace {

class FunctionCompiler {
 public:
  FunctionCompiler(const PlanContext& context, size_t function)
      : builder_(context, function),
        function_(context.module->module().functions[function]),
        observed_(context.observed == nullptr ? nullptr : &(*context.observed)[function]),
        // What is shown is fused with nothing.
        fusions_(
            FindFusionGroups(builder_, !observed_.shows(), [this](size_t step) { return GemmAt(step); })) {}

  Program Run() {
    if (!observed_.shows()) FuseAcrossGroups();
    ShowBelow(static_cast<ValueId>(function_.params.size()));
    for (size_t step = 0; step < function_.body.size(); ++step) {
      AddInstruction(step);
      ShowBelow(facts(step).first_result + static_cast<ValueId>(facts(step).num_results));
    }
    for (const ValueId id : function_.results) {
      builder_.program().results.push_back(builder_.Get(id, Layout::kRowMajor));
    }
    PlaceBuffers(builder_.program());
    LinkWeights(builder_.program());
    return std::move(builder_.program());
  }

 private:
  const InstructionFacts& facts(size_t step) const { return builder_.facts().instructions[step]; }

  std::optional<GemmForm> GemmAt(size_t step) {
    if (!builder_.context().uses_gemm) return std::nullopt;
    const auto sum = FindGemm(builder_, step);
    return sum && FitsGemm(builder_, step, *builder_.context().kept_bytes) ? sum : std::nullopt;
  }

  void AddInstruction(size_t step) {
    if (builder_.constant(facts(step).first_result) != nullptr) return;
    observed_.Enter(function_.body[step]);
    if (const auto fused = fusions_.by_last.find(step); fused != fusions_.by_last.end()) {
      AddGemm(builder_, fused->second);
      builder_.program().steps.back()->Note(NotesOf(builder_, fused->second));
    } else if (!fusions_.inside.contains(step) && !AddView(builder_, step)) {
      AddOperator(step);
    }
  }

  // Values with lower ids than `end` are there, and constants: a lowering may end in one, whose id may be any. Shows
  // those whose turn it is.
  void ShowBelow(ValueId end) {
    const auto is_there = [&](ValueId id) { return id < end || builder_.constant(id) != nullptr; };
    observed_.ShowWhatIsThere(is_there, [&](const ObservedFunction::Value& shown) {
      const bool row_major = builder_.Has(shown.place, Layout::kRowMajor);
      ValueRef value = builder_.Get(shown.place, row_major ? Layout::kRowMajor : Layout::kChannelsLast);
      if (!row_major) value = builder_.Converted(value, Layout::kRowMajor);
      builder_.program().shown.push_back({builder_.program().steps.size(), shown.id, shown.type, value});
    });
  }

  // Chains pool what they compute, or write it into what it becomes a part of, and values may take the place of others:
  // not of what is shown.
  void FuseAcrossGroups() {
    const std::vector<int> uses = CountUses(builder_);
    for (auto& [last, fused] : fusions_.by_last) {
      fused_of_.emplace(builder_.result(last), &fused);
      if (CanWriteIntoConcat(builder_, fused)) fused.pool = FindPool(builder_, fused, uses);
      if (fused.pool) fusions_.inside.insert(*fused.pool);
    }
    if (builder_.context().parts_are_views) {
      for (size_t step = 0; step < function_.body.size(); ++step) EliminateConcat(step, uses);
    }
    builder_.SetLastReads(LastReads());
  }

  // Where `step` concatenates the channels of images that fusion groups compute for it alone, they write into its
  // result.
  void EliminateConcat(size_t step, const std::vector<int>& uses) {
    const Instruction& instruction = function_.body[step];
    const ValueId y = facts(step).first_result;
    const Shape& shape = builder_.type(y).shape;
    if (instruction.op != Opcode::kConcatenate || !HasChannels(shape)) return;
    const int64_t axis = Unpack<ConcatenateAttrs>(instruction.attributes).axis;
    if (axis != 1 && axis != 1 - shape.rank()) return;
    std::vector<FusionGroup*> parts;
    for (const ValueId id : instruction.operands) {
      const auto fused = fused_of_.find(id);
      if (fused == fused_of_.end() || uses[id] != 1 || !CanWriteIntoConcat(builder_, *fused->second)) return;
      if (builder_.type(id).storage() != builder_.type(y).storage()) return;
      parts.push_back(fused->second);
    }
    int64_t channel = 0;
    for (size_t i = 0; i < parts.size(); ++i) {
      parts[i]->concat = y;
      parts[i]->concat_channel = channel;
      channel += builder_.type(instruction.operands[i]).shape[1];
    }
  }

  // What instructions of a fusion group read is read where the fusion group runs.
  std::vector<int32_t> LastReads() const {
    const auto size = static_cast<int32_t>(function_.body.size());
    std::vector<int32_t> runs_at(function_.body.size());
    std::iota(runs_at.begin(), runs_at.end(), 0);
    for (const auto& [last, fused] : fusions_.by_last) {
      for (size_t s = fused.gemm; s != last; s = builder_.facts().last_steps[facts(s).first_result]) {
        runs_at[s] = static_cast<int32_t>(last);
      }
    }
    std::vector<int32_t> last_reads(builder_.facts().types.size(), -1);
    for (int32_t step = 0; step < size; ++step) {
      for (const ValueId id : function_.body[step].operands) {
        last_reads[id] = std::max(last_reads[id], runs_at[step]);
      }
    }
    for (const ValueId id : function_.results) last_reads[id] = size;
    return last_reads;
  }

  // In channels-last layout where an operand is in no other and the operator can; else row-major.
  void AddOperator(size_t step) {
    const Instruction& instruction = function_.body[step];
    bool channels_last = false;
    for (const ValueId id : instruction.operands) channels_last |= builder_.IsChannelsLast(id);
    if (channels_last && AddOnKernel(step)) return;
    OperatorCall call = CallOf(step, Layout::kRowMajor);
    const KernelEntry* kernel = builder_.FindKernel(call, Layout::kRowMajor, facts(step).accumulator);
    Finish(step, std::move(call), kernel);
  }

  // A kernel of the family that knows the layout.
  bool AddOnKernel(size_t step) {
    OperatorCall probe = {function_.body[step].op, function_.body[step].attributes, {}, {}};
    for (const ValueId id : function_.body[step].operands) {
      const bool row_major = builder_.Has(id, Layout::kRowMajor);
      ValueRef& operand = probe.operands.emplace_back(
          builder_.Get(id, row_major ? Layout::kRowMajor : Layout::kChannelsLast));
      operand.layout = Layout::kRowMajor;  // the shape as the module has it
    }
    for (int r = 0; r < facts(step).num_results; ++r) {
      const TensorType& type = builder_.type(facts(step).first_result + r);
      probe.results.push_back({-1, type, type.storage(), Layout::kRowMajor});
    }
    const KernelEntry* kernel = builder_.FindKernel(probe, Layout::kChannelsLast, facts(step).accumulator);
    if (kernel == nullptr || kernel->layout != Layout::kChannelsLast) return false;
    Finish(step, CallOf(step, Layout::kChannelsLast), kernel);
    return true;
  }

  // Operands in `layout`, results not yet there.
  OperatorCall CallOf(size_t step, Layout layout) {
    const Instruction& instruction = function_.body[step];
    OperatorCall call = {instruction.op, instruction.attributes, {}, {}, observed_.position()};
    for (const ValueId id : instruction.operands) {
      call.operands.push_back(
          builder_.Get(id, HasChannels(builder_.type(id).shape) ? layout : Layout::kRowMajor));
    }
    for (int r = 0; r < facts(step).num_results; ++r) {
      const TensorType& type = builder_.type(facts(step).first_result + r);
      call.results.push_back(builder_.NewValue(type, HasChannels(type.shape) ? layout : Layout::kRowMajor));
    }
    return call;
  }

  void Finish(size_t step, OperatorCall call, const KernelEntry* kernel) {
    if (kernel != nullptr && kernel->in_place) {
      const std::span<const ValueRef> others = std::span(call.operands).subspan(1);
      const auto y = builder_.Reuse(call.operands[0], call.results[0], step, others);
      if (y) call.results[0] = *y;
    }
    const std::vector<ValueRef> results = call.results;
    builder_.AddOperator(std::move(call), kernel, facts(step).accumulator, facts(step).scratch_bytes);
    for (size_t r = 0; r < results.size(); ++r) {
      builder_.Set(facts(step).first_result + static_cast<ValueId>(r), results[r]);
    }
  }

  ProgramBuilder builder_;
  const Function& function_;
  ObservedCursor observed_;
  FusionGroups fusions_;
  std::map<ValueId, FusionGroup*> fused_of_;  // by their results
};

bool HasParts(const Program& program) {
  return std::ranges::any_of(program.buffers, [&](const Buffer& buffer) {
    return buffer.alias_of >= 0 && program.buffers[buffer.alias_of].size_bytes != buffer.size_bytes;
  });
}

}  // namespace

void Compile(const ValidModule& module, const CompileOptions& options, std::vector<Program>& programs) {
  const size_t count = module.functions().size();
  programs.resize(count);
  const std::vector<int64_t> memory_bounds = EngineMemoryBounds(options.published, options.threads);
  int64_t kept_bytes = PlanMemoryBound(options.published);
  PlanContext context = {.module = &module,
                         .programs = &programs,
                         .flags = options.flags,
                         .threads = options.threads,
                         .least_pooled_bytes = options.least_pooled_bytes,
                         .observed = options.observed,
                         .kept_bytes = &kept_bytes};
  for (size_t f = count; f-- > 0;) {
    Program& program = programs[f];
    const int64_t bytes_left = kept_bytes;
    const auto compile = [&](bool parts_are_views, bool uses_gemm) {
      kept_bytes = bytes_left;
      context.parts_are_views = parts_are_views;
      context.uses_gemm = uses_gemm;
      program = FunctionCompiler(context, f).Run();
    };
    compile(true, true);
    // What has parts lives as long as they do, and what a fusion group reads lives until its end. A module may be made
    // so that this takes any multiple of the memory that it has been validated with: then parts are copied, or all is
    // as the module has it.
    if (HasParts(program) && program.arena_bytes > 2 * module.functions()[f].arena_bytes) {
      Program with_parts = std::move(program);
      compile(false, true);
      if (with_parts.arena_bytes <= program.arena_bytes) program = std::move(with_parts);
    }
    if (program.arena_bytes > memory_bounds[f]) compile(false, false);
  }
}

}  // namespace tally::cpu
