#include "vm/engines/cuda/program_builder.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/digest.h"
#include "base/int_math.h"
#include "ops/cpu/folded.h"
#include "ops/cuda/hash/merkle.h"
#include "ops/cuda/move.h"
#include "ops/indexing.h"
#include "ops/layout/attrs.h"
#include "vm/engines/layouts.h"

namespace tally::cuda {
namespace {

constexpr Layout Other(Layout layout) {
  return layout == Layout::kRowMajor ? Layout::kChannelsLast : Layout::kRowMajor;
}

std::vector<BufferId> BuffersOf(std::span<const Value> values) {
  std::vector<BufferId> ids;
  for (const Value& value : values) ids.push_back(value.buffer);
  return ids;
}

}  // namespace

ProgramBuilder::ProgramBuilder(const PlanContext& context, size_t function)
    : FunctionView(*context.module, function), context_(context), forms_(facts().types.size()) {
  for (ValueId id = 0; id < forms_.size(); ++id) {
    if (const TensorView* view = constant(id)) {
      const BufferId buffer = NewBuffer(view->size_bytes());
      program_.buffers[buffer].host = view->bytes;
      Set(id, {buffer, type(id), view->storage, Layout::kRowMajor});
    } else if (id < facts().params.size()) {
      Set(id, NewValue(type(id), Layout::kRowMajor));
      program_.params.push_back(forms_[id].row_major);
    }
  }
}

BufferId ProgramBuilder::NewBuffer(int64_t size_bytes) {
  program_.buffers.push_back({.size_bytes = size_bytes});
  return static_cast<BufferId>(program_.buffers.size()) - 1;
}

BufferId ProgramBuilder::NewConstant(AlignedVector<uint8_t> bytes) {
  const BufferId id = NewBuffer(static_cast<int64_t>(bytes.size()));
  program_.buffers[id].host = context_.constants->Keep(std::move(bytes));
  return id;
}

Value ProgramBuilder::NewValue(const TensorType& type, Layout layout) {
  return {NewBuffer(type.size_bytes()), type, type.storage(), layout};
}

void ProgramBuilder::Set(ValueId id, const Value& value) {
  program_.held.push_back({program_.steps.size(), id, value});
  const auto set = [&](Layout layout) {
    Value& form = layout == Layout::kRowMajor ? forms_[id].row_major : forms_[id].channels_last;
    form = value;
    form.layout = layout;
  };
  set(value.layout);
  if (SameInBothLayouts(value.type.shape)) set(Other(value.layout));
}

Value ProgramBuilder::View(const Value& value, const TensorType& type, Layout layout) {
  const BufferId id = NewBuffer(program_.buffers[value.buffer].size_bytes);
  program_.buffers[id].alias_of = value.buffer;
  return {id, type, value.storage, layout};
}

Value ProgramBuilder::InStorage(const Value& value, const TensorType& type) {
  if (value.storage == type.storage()) return value;
  const int64_t count = type.shape.num_elements();
  MoveParams params = {.loops = {.count = count, .rank = 1}, .from = value.storage, .to = type.storage()};
  params.loops.dims[0] = count;
  params.loops.strides[0][0] = params.loops.strides[1][0] = 1;
  Work work;
  work.Add(KernelId::kMove, GridOver(count), params, {OperandAt(0), ResultAt(0)});
  const Value result = NewValue(type, Layout::kRowMajor);
  AddWork("convert", std::move(work), {&value, 1}, {&result, 1});
  return result;
}

Value ProgramBuilder::Root(const Value& value) {
  const TensorType type = {*Shape::Create({static_cast<int64_t>(sizeof(Digest))}), RangeOf(Storage::kI8)};
  const Value root = NewValue(type, Layout::kRowMajor);
  AddWork("tensor_root", TensorRootWork(value.storage, value.type.shape), {&value, 1}, {&root, 1});
  return root;
}

// Constants move once, when the plan is made.
Value ProgramBuilder::ConvertConstant(ValueId id, Layout layout) {
  const TensorView& view = *constant(id);
  const auto strides = StridesOf(view.shape, layout);
  AlignedVector<uint8_t> bytes(view.bytes.size());
  for (int64_t i = 0; i < view.shape.num_elements(); ++i) {
    const Index d = Unflatten(i, view.shape);
    int64_t to = 0;
    for (int axis = 0; axis < view.shape.rank(); ++axis) to += d[axis] * strides[axis];
    StoreElement(view.storage, bytes.data(), to, view.at(i));
  }
  return {NewConstant(std::move(bytes)), type(id), view.storage, layout};
}

Value ProgramBuilder::Get(ValueId id, Layout layout) {
  if (Has(id, layout)) return FormOf(forms_[id], layout);
  if (constant(id) != nullptr) {
    Set(id, ConvertConstant(id, layout));
    return FormOf(forms_[id], layout);
  }
  const Value x = FormOf(forms_[id], Other(layout));
  // The same bytes as row-major values, whose shapes are those of the bytes.
  const auto physical = [](const Value& v) {
    return TensorType{PhysicalShape(v.type.shape, v.layout), v.type.interval};
  };
  const Attributes axes = Pack(TransposeAttrs{AxesInto(layout, x.type.shape.rank())});
  const Value y = NewValue(x.type, layout);
  const TensorType from = physical(x), to = physical(y);
  const TensorView* const no_constant = nullptr;
  auto moved = Prepare({.op = Opcode::kTranspose,
                        .attributes = &axes,
                        .operands = {&from, 1},
                        .storages = {&x.storage, 1},
                        .constants = {&no_constant, 1},
                        .results = {&to, 1}},
                       context_.arch);
  assert(moved);  // every transpose has an entry
  AddWork(moved->entry->name, std::move(moved->work), {&x, 1}, {&y, 1});
  Set(id, y);
  return y;
}

// Calls visit(facts) with what rows see of an instruction.
template <typename Visit>
auto ProgramBuilder::WithFacts(size_t step, Layout layout, Visit visit) const {
  std::vector<TensorType> operands, results;
  std::vector<Storage> storages;
  std::vector<const TensorView*> constants;
  for (const ValueId id : instruction(step).operands) {
    operands.push_back(type(id));
    constants.push_back(constant(id));
    storages.push_back(constants.back() != nullptr ? constants.back()->storage : type(id).storage());
  }
  const InstructionFacts& f = facts().instructions[step];
  for (int r = 0; r < f.num_results; ++r) results.push_back(type(f.first_result + r));
  return visit(KernelFacts{.op = instruction(step).op,
                           .attributes = &instruction(step).attributes,
                           .operands = operands,
                           .storages = storages,
                           .constants = constants,
                           .results = results,
                           .accumulator = f.accumulator,
                           .layout = layout});
}

std::optional<Prepared> ProgramBuilder::PrepareInstruction(size_t step, Layout layout) const {
  return WithFacts(step, layout, [&](const KernelFacts& facts) { return Prepare(facts, context_.arch); });
}

bool ProgramBuilder::TakesGemm(size_t step) const {
  if (!WithFacts(step, Layout::kRowMajor, cuda::TakesGemm)) return false;
  // What launches on weights as they lie need: a copy of them, and by column the accumulator init and the scale.
  constexpr int64_t kBytesOfColumn = 64, kBytesOfTables = 1024;
  const Shape& y = type(result(step)).shape;
  const ValueId w = instruction(step).operands[1];
  const int64_t columns = instruction(step).op == Opcode::kMatmul ? y[y.rank() - 1] : y[1];
  const int64_t bytes =
      columns * kBytesOfColumn + kBytesOfTables + (constant(w) != nullptr ? type(w).size_bytes() : 0);
  if (bytes > *context_.direct_bytes_left) return false;
  *context_.direct_bytes_left -= bytes;
  return true;
}

bool ProgramBuilder::CanKeep(const Work& work, int64_t most) const {
  int64_t made = context_.constants->made_bytes();
  for (const auto& bytes : work.constants) made += std::ssize(bytes);
  return made <= most;
}

Work ProgramBuilder::PrepareGemm(size_t step, Layout layout, const GemmFusion& fusion) const {
  return WithFacts(step, layout, [&](const KernelFacts& facts) {
    Work work = *cuda::PrepareGemm(facts, fusion, {.arch = context_.arch});
    if (CanKeep(work, context_.most_made_bytes / 2)) return work;
    return *cuda::PrepareGemm(facts, fusion, {.arch = context_.arch, .packs = false});
  });
}

void ProgramBuilder::AddWork(std::string_view name, Work work, std::span<const Value> operands,
                             std::span<const Value> results) {
  std::vector<BufferId> constants, scratch;
  for (auto& bytes : work.constants) constants.push_back(NewConstant(std::move(bytes)));
  for (const int64_t bytes : work.scratch_bytes) scratch.push_back(NewBuffer(bytes));
  program_.steps.push_back(MakeLaunchStep(name, std::move(work.launches), BuffersOf(operands),
                                          BuffersOf(results), std::move(constants), std::move(scratch)));
}

void ProgramBuilder::AddReference(size_t step, int64_t position) {
  const InstructionFacts& f = facts().instructions[step];
  OperatorCall call = {instruction(step).op, instruction(step).attributes, {}, {}, position};
  std::vector<const uint8_t*> constants;
  for (const ValueId id : instruction(step).operands) {
    call.operands.push_back(Get(id, Layout::kRowMajor));
    constants.push_back(constant(id) == nullptr ? nullptr : constant(id)->bytes.data());
  }
  for (int r = 0; r < f.num_results; ++r) {
    call.results.push_back(NewValue(type(f.first_result + r), Layout::kRowMajor));
  }
  // Functions have the memory of their programs instead of that which validation has counted.
  int64_t functions = 0, counted = 0;
  ForEachFunction(InfoOf(call.op).attributes, call.attributes, [&](int64_t number) {
    functions = std::max(functions, (*context_.programs)[number].arena_bytes);
    counted = std::max(counted, module().functions()[number].arena_bytes);
  });
  const BufferId scratch = functions == 0 ? -1 : NewBuffer(functions);
  const std::vector<Value> results = call.results;
  program_.steps.push_back(MakeReferenceStep(std::move(call), std::move(constants), module(),
                                             context_.programs, scratch, f.scratch_bytes - counted));
  for (size_t r = 0; r < results.size(); ++r) Set(f.first_result + static_cast<ValueId>(r), results[r]);
}

}  // namespace tally::cuda
