#include "vm/engines/cuda/compiler.h"

#include <utility>

#include "ops/layout/attrs.h"
#include "vm/engine_memory.h"
#include "vm/engines/cuda/program_builder.h"
#include "vm/engines/fusion.h"
#include "vm/engines/layouts.h"

namespace tally::cuda {
namespace {

class FunctionCompiler {
 public:
  FunctionCompiler(const PlanContext& context, size_t function)
      : builder_(context, function),
        function_(context.module->module().functions[function]),
        observed_(context.observed == nullptr ? nullptr : &(*context.observed)[function]),
        // What is shown is fused with nothing.
        fusions_(FindFusionGroups(builder_, context.fuses && !observed_.shows(),
                                  [this](size_t step) { return GemmAt(step); })),
        constants_(*context.constants) {}

  Program Run() {
    ShowBelow(static_cast<ValueId>(function_.params.size()));
    for (size_t step = 0; step < function_.body.size(); ++step) {
      AddInstruction(step);
      ShowBelow(facts(step).first_result + static_cast<ValueId>(facts(step).num_results));
    }
    for (const ValueId id : function_.results) {
      builder_.program().results.push_back(builder_.Get(id, Layout::kRowMajor));
    }
    PlaceBuffers(builder_.program(), constants_);
    return std::move(builder_.program());
  }

 private:
  const InstructionFacts& facts(size_t step) const { return builder_.facts().instructions[step]; }

  void AddInstruction(size_t step) {
    if (builder_.constant(facts(step).first_result) != nullptr) return;
    observed_.Enter(function_.body[step]);
    if (const auto fused = fusions_.by_last.find(step); fused != fusions_.by_last.end()) {
      AddGemm(fused->second);
    } else if (fusions_.inside.contains(step)) {
      return;
    } else if (IsView(function_.body[step].op)) {
      AddView(step);
    } else if (!AddRelabelled(step)) {
      AddOperator(step);
    }
  }

  // Values with lower ids than `end` are there, and constants: a lowering may end in one, whose id may be any. Shows
  // those whose turn it is.
  void ShowBelow(ValueId end) {
    const auto is_there = [&](ValueId id) { return id < end || builder_.constant(id) != nullptr; };
    observed_.ShowWhatIsThere(is_there, [&](const ObservedFunction::Value& shown) {
      Value value = builder_.InStorage(builder_.Get(shown.place, Layout::kRowMajor), shown.type);
      if (builder_.context().roots) value = builder_.Root(value);
      builder_.program().shown.push_back({builder_.program().steps.size(), shown.id, shown.type, value});
    });
  }

  std::optional<GemmForm> GemmAt(size_t step) const {
    const Opcode op = function_.body[step].op;
    if (op != Opcode::kMatmul && op != Opcode::kConvolution && op != Opcode::kConvTranspose)
      return std::nullopt;
    const ValueId w = function_.body[step].operands[1];
    if (builder_.constant(builder_.result(step)) != nullptr || !builder_.TakesGemm(step)) return std::nullopt;
    if (op != Opcode::kMatmul && builder_.constant(w) == nullptr) return std::nullopt;
    const int rank = builder_.type(builder_.result(step)).shape.rank();
    return GemmForm{.channel_axis = op == Opcode::kMatmul ? rank - 1 : 1,
                    .is_s64 = !RangeOf(Storage::kI32).Contains(facts(step).accumulator)};
  }

  // A convolution writes channels last, and reads whatever layout is there.
  void AddGemm(const FusionGroup& fused) {
    const Instruction& instruction = function_.body[fused.gemm];
    const bool product = instruction.op == Opcode::kMatmul;
    const ValueId x = instruction.operands[0], y = facts(fused.last).first_result;
    const bool row_major = product || !builder_.Has(x, Layout::kChannelsLast);
    const Layout x_layout = row_major ? Layout::kRowMajor : Layout::kChannelsLast;
    const Layout y_layout = product || fused.viewed ? Layout::kRowMajor : Layout::kChannelsLast;
    GemmFusion fusion = {.y = builder_.type(y),
                         // A view has the same bytes in both layouts.
                         .y_layout = product ? Layout::kRowMajor : Layout::kChannelsLast,
                         .bias = fused.bias ? builder_.constant(*fused.bias) : nullptr,
                         .scale = fused.scale,
                         .table = fused.table};
    std::vector<Value> operands = {builder_.Get(x, x_layout)};
    for (size_t i = 1; i < instruction.operands.size(); ++i) {
      operands.push_back(builder_.Get(instruction.operands[i], Layout::kRowMajor));
    }
    if (fused.residual) {
      operands.push_back(builder_.Get(*fused.residual, y_layout));
      fusion.residual = fused.residual_scale;
    }
    const Value result = builder_.NewValue(builder_.type(y), y_layout);
    builder_.AddWork(InfoOf(instruction.op).name, builder_.PrepareGemm(fused.gemm, x_layout, fusion),
                     operands, {&result, 1});
    builder_.Set(y, result);
  }

  void AddView(size_t step) {
    const ValueId y = facts(step).first_result;
    const Value x = builder_.Get(function_.body[step].operands[0], Layout::kRowMajor);
    builder_.Set(y, builder_.View(x, builder_.type(y), Layout::kRowMajor));
  }

  // A transpose between the two layouts moves nothing: its operand in one is its result in the other.
  bool AddRelabelled(size_t step) {
    const Instruction& instruction = function_.body[step];
    if (instruction.op != Opcode::kTranspose) return false;
    const ValueId x = instruction.operands[0], y = facts(step).first_result;
    const int rank = builder_.type(y).shape.rank();
    if (!HasChannels(builder_.type(y).shape)) return false;
    std::vector<int64_t> axes = Unpack<TransposeAttrs>(instruction.attributes).axes;
    for (int64_t& axis : axes) axis = axis < 0 ? axis + rank : axis;
    for (const Layout layout : {Layout::kRowMajor, Layout::kChannelsLast}) {
      if (axes != AxesInto(layout, rank) || !builder_.Has(x, layout)) continue;
      const Layout other = layout == Layout::kRowMajor ? Layout::kChannelsLast : Layout::kRowMajor;
      builder_.Set(y, builder_.View(builder_.Get(x, layout), builder_.type(y), other));
      return true;
    }
    return false;
  }

  // Channels last where an operand is in no other layout and an entry knows it; else row-major.
  void AddOperator(size_t step) {
    bool channels_last = false;
    for (const ValueId id : function_.body[step].operands) {
      channels_last |= !builder_.Has(id, Layout::kRowMajor);
    }
    if (channels_last && AddOnRow(step, Layout::kChannelsLast)) return;
    if (!AddOnRow(step, Layout::kRowMajor)) builder_.AddReference(step, observed_.position());
  }

  bool AddOnRow(size_t step, Layout layout) {
    auto prepared = builder_.PrepareInstruction(step, layout);
    if (!prepared || !builder_.CanKeep(prepared->work, builder_.context().most_made_bytes)) return false;
    const auto layout_of = [&](const TensorType& type) {
      return HasChannels(type.shape) ? layout : Layout::kRowMajor;
    };
    std::vector<Value> operands, results;
    for (const ValueId id : function_.body[step].operands) {
      operands.push_back(builder_.Get(id, layout_of(builder_.type(id))));
    }
    for (int r = 0; r < facts(step).num_results; ++r) {
      const TensorType& type = builder_.type(facts(step).first_result + r);
      results.push_back(builder_.NewValue(type, layout_of(type)));
    }
    builder_.AddWork(prepared->entry->name, std::move(prepared->work), operands, results);
    for (size_t r = 0; r < results.size(); ++r) {
      builder_.Set(facts(step).first_result + static_cast<ValueId>(r), results[r]);
    }
    return true;
  }

  ProgramBuilder builder_;
  const Function& function_;
  ObservedCursor observed_;
  FusionGroups fusions_;
  Constants& constants_;
};

}  // namespace

void Compile(const ValidModule& module, const CompileOptions& options, std::vector<Program>& programs,
             Constants& constants) {
  const size_t count = module.functions().size();
  programs.resize(count);
  const int64_t most_made_bytes = PlanMemoryBound(options.published) - module.constant_bytes();
  int64_t direct_bytes_left = most_made_bytes / 2;
  PlanContext context = {.module = &module,
                         .arch = options.arch,
                         .programs = &programs,
                         .constants = &constants,
                         .observed = options.observed,
                         .roots = options.roots,
                         .most_made_bytes = most_made_bytes,
                         .direct_bytes_left = &direct_bytes_left};
  const std::vector<int64_t> memory_bounds = EngineMemoryBounds(options.published, 1);
  for (size_t f = count; f-- > 0;) {
    const Constants::Mark mark = constants.mark();
    const int64_t bytes_left = direct_bytes_left;
    context.fuses = true;
    programs[f] = FunctionCompiler(context, f).Run();
    if (programs[f].arena_bytes <= memory_bounds[f]) continue;
    // What a fusion group reads lives until its end: a module may be made so that this takes any multiple of its own
    // memory.
    constants.Rollback(mark);
    direct_bytes_left = bytes_left;
    context.fuses = false;
    programs[f] = FunctionCompiler(context, f).Run();
  }
}

}  // namespace tally::cuda
