#include "vm/engines/cpu/program_builder.h"

#include <algorithm>
#include <limits>

#include "base/int_math.h"
#include "ops/kernels.h"
#include "ops/layout/attrs.h"
#include "vm/engines/cpu/proportion.h"

namespace tally::cpu {

ProgramBuilder::ProgramBuilder(const PlanContext& context, size_t function)
    : FunctionView(*context.module, function), context_(context), forms_(facts().types.size()) {
  for (ValueId id = 0; id < forms_.size(); ++id) {
    if (const TensorView* view = constant(id)) {
      Set(id, {ConstantBuffer(*view), type(id), view->storage, Layout::kRowMajor});
    } else if (id < facts().params.size()) {
      Set(id, NewValue(type(id), Layout::kRowMajor));
      program_.params.push_back(forms_[id].row_major);
      program_.buffers[forms_[id].row_major.buffer].is_param = true;
    }
  }
}

// In place; copied where its address is no multiple of the element's size, as in a module decoded at an odd address.
BufferId ProgramBuilder::ConstantBuffer(const TensorView& view) {
  if (reinterpret_cast<uintptr_t>(view.bytes.data()) % static_cast<uintptr_t>(SizeBytes(view.storage)) != 0) {
    return NewConstant({view.bytes.begin(), view.bytes.end()});
  }
  const BufferId id = NewBuffer(view.size_bytes());
  program_.buffers[id].constant = view.bytes.data();
  return id;
}

BufferId ProgramBuilder::NewBuffer(int64_t size_bytes) {
  program_.buffers.push_back({.size_bytes = size_bytes});
  return static_cast<BufferId>(program_.buffers.size()) - 1;
}

BufferId ProgramBuilder::NewConstant(AlignedVector<uint8_t> bytes) {
  const BufferId id = NewBuffer(static_cast<int64_t>(bytes.size()));
  program_.constants.push_back(std::move(bytes));
  program_.buffers[id].constant =
      program_.constants.back().data();  // the heap block stays when the list grows
  return id;
}

ValueRef ProgramBuilder::NewValue(const TensorType& type, Layout layout) {
  return {NewBuffer(type.size_bytes()), type, type.storage(), layout};
}

ValueRef& ProgramBuilder::Form(ValueId id, Layout layout) {
  return layout == Layout::kRowMajor ? forms_[id].row_major : forms_[id].channels_last;
}

bool ProgramBuilder::Has(ValueId id, Layout layout) const {
  const Forms& forms = forms_[id];
  return (layout == Layout::kRowMajor ? forms.row_major : forms.channels_last).buffer >= 0;
}

void ProgramBuilder::Set(ValueId id, const ValueRef& value) {
  program_.held.push_back({program_.steps.size(), id, value});
  Reserve(id, value);
}

void ProgramBuilder::Reserve(ValueId id, const ValueRef& value) {
  NoteReads(id, value.buffer);
  Form(id, value.layout) = value;
  if (!SameInBothLayouts(value.type.shape)) return;
  const Layout other = value.layout == Layout::kRowMajor ? Layout::kChannelsLast : Layout::kRowMajor;
  Form(id, other) = value;
  Form(id, other).layout = other;
}

ValueRef ProgramBuilder::View(const ValueRef& value, const TensorType& type, int64_t offset_bytes) {
  const BufferId id = NewBuffer(type.shape.num_elements() * SizeBytes(value.storage));
  const auto [root, offset] = program_.PlaceOf(value.buffer);
  program_.buffers[id].alias_of = root;
  program_.buffers[id].alias_offset = offset + offset_bytes;
  return {id, type, value.storage, value.layout};
}

bool ProgramBuilder::CanPlaceInside(const ValueRef& value) const {
  const Buffer& buffer = program_.buffers[program_.Root(value.buffer)];
  const bool is_part = buffer.size_bytes != program_.buffers[value.buffer].size_bytes;
  return !is_part && buffer.constant == nullptr && !buffer.is_param && buffer.overread_bytes == 0;
}

void ProgramBuilder::PlaceInside(const ValueRef& value, const ValueRef& whole, int64_t offset_bytes) {
  const BufferId root = program_.Root(value.buffer);
  program_.buffers[root].alias_of = whole.buffer;
  program_.buffers[root].alias_offset = offset_bytes;
  int32_t& last = last_reads_of_[program_.Root(whole.buffer)];
  last = std::max(last, last_reads_of_[root]);
}

void ProgramBuilder::NoteOverread(BufferId id, int64_t bytes) {
  const auto [root, offset] = program_.PlaceOf(id);
  Buffer& buffer = program_.buffers[root];
  const int64_t behind = offset + program_.buffers[id].size_bytes + bytes - buffer.size_bytes;
  buffer.overread_bytes = std::max(buffer.overread_bytes, behind);
}

void ProgramBuilder::NoteReads(ValueId id, BufferId buffer) {
  int32_t& last = last_reads_of_[program_.Root(buffer)];
  last = std::max(last, last_reads_.empty() ? std::numeric_limits<int32_t>::max() : last_reads_[id]);
}

std::optional<ValueRef> ProgramBuilder::Reuse(const ValueRef& value, const ValueRef& y, size_t step,
                                              std::span<const ValueRef> others) {
  const BufferId root = program_.Root(value.buffer);
  const auto has_root = [&](const ValueRef& v) { return program_.Root(v.buffer) == root; };
  const auto last = last_reads_of_.find(root);
  if (last == last_reads_of_.end() || last->second > static_cast<int32_t>(step)) return std::nullopt;
  const Buffer& buffer = program_.buffers[root];
  if (buffer.constant != nullptr || std::ranges::any_of(others, has_root)) return std::nullopt;
  if (value.storage != y.storage || value.layout != y.layout || value.type.shape != y.type.shape) {
    return std::nullopt;
  }
  return View(value, y.type);
}

ValueRef ProgramBuilder::Get(ValueId id, Layout layout) {
  if (!Has(id, layout)) {
    const Layout from = layout == Layout::kRowMajor ? Layout::kChannelsLast : Layout::kRowMajor;
    Form(id, layout) = Converted(Form(id, from), layout);
    NoteReads(id, Form(id, layout).buffer);
  }
  return Form(id, layout);
}

ValueRef ProgramBuilder::ConvertedConstant(const ValueRef& value, Layout layout) {
  const Shape& shape = value.type.shape;
  const auto [root, offset] = program_.PlaceOf(value.buffer);
  const uint8_t* x = program_.buffers[root].constant + offset;
  // Of each element of the batch, rows become columns.
  const int64_t positions = shape.num_elements() / (shape[0] * shape[1]);
  const bool to_rows = layout == Layout::kRowMajor;
  const int64_t rows = to_rows ? positions : shape[1], columns = to_rows ? shape[1] : positions;
  const int64_t size = SizeBytes(value.storage);
  AlignedVector<uint8_t> bytes(shape.num_elements() * size);
  uint8_t* y = bytes.data();
  for (int64_t n = 0; n < shape[0]; ++n, x += rows * columns * size) {
    for (int64_t column = 0; column < columns; ++column) {
      for (int64_t row = 0; row < rows; ++row, y += size)
        std::copy_n(x + (row * columns + column) * size, size, y);
    }
  }
  return {NewConstant(std::move(bytes)), value.type, value.storage, layout};
}

ValueRef ProgramBuilder::Converted(const ValueRef& value, Layout layout) {
  const int64_t bytes = value.type.shape.num_elements() * SizeBytes(value.storage);
  if (IsConstant(value.buffer) && bytes <= *context_.kept_bytes) {
    *context_.kept_bytes -= bytes;
    return ConvertedConstant(value, layout);
  }
  const ValueRef y = NewValue(value.type, layout);
  // The same bytes as values of their own, whose shapes are those of the bytes.
  const auto physical = [](ValueRef v) {
    v.type.shape = PhysicalShape(v.type.shape, v.layout);
    v.layout = Layout::kRowMajor;
    return v;
  };
  OperatorCall call = {Opcode::kTranspose,
                       Pack(TransposeAttrs{AxesInto(layout, value.type.shape.rank())}),
                       {physical(value)},
                       {physical(y)}};
  const KernelEntry* kernel = FindKernel(call, Layout::kRowMajor, {});
  AddOperator(std::move(call), kernel, {});
  return y;
}

// Calls visit(facts) with what selection may see of `call`.
template <typename Visit>
auto ProgramBuilder::WithFacts(const OperatorCall& call, Layout layout, const Interval& accumulator,
                               Visit visit) const {
  std::vector<TensorType> operands, results;
  std::vector<Storage> storages;
  std::vector<TensorView> views(call.operands.size());
  std::vector<const TensorView*> constants;
  for (size_t i = 0; i < call.operands.size(); ++i) {
    const ValueRef& v = call.operands[i];
    operands.push_back(v.type);
    storages.push_back(v.storage);
    const uint8_t* constant = nullptr;
    int64_t offset = 0;
    if (v.buffer >= 0) {
      const auto place = program_.PlaceOf(v.buffer);
      constant = program_.buffers[place.root].constant;
      offset = place.offset;
    }
    // One that is converted is an operand like others: constants that kernels are told of are row-major.
    const bool converted = layout == Layout::kChannelsLast && !SameInBothLayouts(v.type.shape);
    if (converted) constant = nullptr;
    if (constant != nullptr) {
      const Shape shape = PhysicalShape(v.type.shape, v.layout);
      views[i] = {v.storage,
                  shape,
                  {constant + offset, static_cast<size_t>(shape.num_elements() * SizeBytes(v.storage))}};
    }
    constants.push_back(constant == nullptr ? nullptr : &views[i]);
  }
  for (const ValueRef& v : call.results) results.push_back(v.type);
  return visit(KernelFacts{.op = call.op,
                           .attributes = &call.attributes,
                           .operands = operands,
                           .storages = storages,
                           .constants = constants,
                           .results = results,
                           .accumulator = accumulator,
                           .layout = layout});
}

const KernelEntry* ProgramBuilder::FindKernel(const OperatorCall& call, Layout layout,
                                              const Interval& accumulator) const {
  const KernelEntry* const kernel = WithFacts(call, layout, accumulator, [&](const KernelFacts& facts) {
    return SelectKernel(facts, context_.flags);
  });
  if (kernel == nullptr) return nullptr;
  const int64_t scratch = ScratchBytes(*kernel, call, accumulator);
  return PartsInProportion(ValueBytes(call), scratch, 1) > 0 ? kernel : nullptr;
}

int64_t ProgramBuilder::ScratchBytes(const KernelEntry& kernel, const OperatorCall& call,
                                     const Interval& accumulator) const {
  if (kernel.scratch_bytes == nullptr) return 0;
  return RoundUp(WithFacts(call, kernel.layout, accumulator, kernel.scratch_bytes), kBufferAlignment);
}

void ProgramBuilder::AddOperator(OperatorCall call, const KernelEntry* kernel, const Interval& accumulator,
                                 int64_t scratch_bytes) {
  if (kernel != nullptr) {
    const int64_t bytes = ScratchBytes(*kernel, call, accumulator);
    const int parts = PartsInProportion(ValueBytes(call), bytes, context_.threads);
    const BufferId scratch = bytes == 0 ? -1 : NewBuffer(bytes * parts);
    Add(MakeKernelStep(*kernel, std::move(call), parts, scratch, bytes));
    return;
  }
  // Functions have the memory of their programs instead of that which validation has counted.
  int64_t functions = 0, counted = 0;
  ForEachFunction(InfoOf(call.op).attributes, call.attributes, [&](int64_t f) {
    functions = std::max(functions, (*context_.programs)[f].arena_bytes);
    counted = std::max(counted, module().functions()[f].arena_bytes);
  });
  functions = RoundUp(functions, kBufferAlignment);
  const int64_t bytes = functions + scratch_bytes - counted;
  const BufferId scratch = bytes == 0 ? -1 : NewBuffer(bytes);
  Add(MakeReferenceStep(std::move(call), module(), context_.programs, scratch, functions));
}

}  // namespace tally::cpu
