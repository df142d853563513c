#include "tests/kernels/run_kernel.h"

#include <deque>

#include "base/testing/guarded_buffer.h"
#include "ops/common/folded.h"
#include "ops/indexing.h"
#include "ops/references.h"

namespace tally {
namespace {

// Operands where a plan would have them: constants at any multiple of their element and row-major, all else
// aligned and in the layout.
std::deque<GuardedBuffer> PlaceOperands(const DrawnCall& call, Layout layout) {
  std::deque<GuardedBuffer> buffers;
  for (size_t i = 0; i < call.operands.size(); ++i) {
    const bool constant = call.constants[i] != nullptr;
    const Tensor tensor = constant ? call.operands[i] : InLayout(call.operands[i], layout);
    buffers.emplace_back(tensor.bytes().size(), false, constant ? SizeBytes(tensor.storage()) : 0)
        .Assign(tensor.bytes());
  }
  return buffers;
}

struct Run {
  const KernelEntry& entry;
  const PreparedKernel& prepared;
  const DrawnCall& call;
  const std::vector<Tensor>& expected;  // in the entry's layout

  // `place_of_operand_0` when result 0 is in the bytes of operand 0.
  std::string Check(int parts, bool in_place) const {
    std::deque<GuardedBuffer> operand_bytes = PlaceOperands(call, entry.layout), result_bytes;
    std::vector<KernelOperand> operands;
    std::vector<KernelResult> results;
    for (const TensorType& type : call.result_types) {
      result_bytes.emplace_back(type.size_bytes(), true);
      results.push_back({&type, type.storage(), result_bytes.back().data()});
    }
    if (in_place) result_bytes[0].Assign(operand_bytes[0].bytes());
    for (size_t i = 0; i < call.operands.size(); ++i) {
      const bool there = in_place && i == 0;
      operands.push_back({&call.operand_types[i], call.storages[i],
                          there ? result_bytes[0].data() : operand_bytes[i].data()});
    }
    const int64_t scratch_size = prepared.scratch_bytes;
    for (int part = parts; part-- > 0;) {
      GuardedBuffer scratch(scratch_size, true);
      entry.run(prepared.params.get(),
                {operands, results, scratch_size > 0 ? scratch.data() : nullptr, part, parts});
      if (!scratch.GuardsAreIntact()) return "wrote beyond its scratch";
    }
    for (size_t r = 0; r < results.size(); ++r) {
      if (!result_bytes[r].GuardsAreIntact()) return "wrote beyond result " + std::to_string(r);
      const auto bytes = result_bytes[r].bytes();
      if (std::ranges::equal(bytes, expected[r].bytes())) continue;
      for (int64_t i = 0;; ++i) {
        const int64_t is = LoadElement(results[r].storage, bytes.data(), i),
                      should = expected[r].view().at(i);
        if (is == should) continue;
        return "result " + std::to_string(r) + " has " + std::to_string(is) + " at " + std::to_string(i) +
               ", not " + std::to_string(should);
      }
    }
    return "";
  }
};

}  // namespace

std::string Describe(const DrawnCall& call) {
  std::string text;
  for (size_t i = 0; i < call.operands.size(); ++i) {
    text += (call.constants[i] != nullptr ? " constant " : " ") + call.operand_types[i].ToString();
  }
  text += " {";
  for (const AttrValue& value : call.instruction->attributes) {
    text += " (";
    for (const int64_t v : value) text += " " + std::to_string(v);
    text += ")";
  }
  text += " } ->";
  for (const TensorType& type : call.result_types) text += " " + type.ToString();
  return text;
}

Tensor InLayout(const Tensor& tensor, Layout layout) {
  if (layout == Layout::kRowMajor || !HasChannels(tensor.shape())) return tensor;
  Tensor moved(tensor.shape(), tensor.storage());
  const auto strides = StridesOf(tensor.shape(), layout);
  for (int64_t i = 0; i < tensor.shape().num_elements(); ++i) {
    const Index d = Unflatten(i, tensor.shape());
    int64_t to = 0;
    for (int axis = 0; axis < tensor.shape().rank(); ++axis) to += d[axis] * strides[axis];
    StoreElement(tensor.storage(), moved.mutable_bytes().data(), to, tensor.view().at(i));
  }
  return moved;
}

std::vector<Tensor> RunReference(const DrawnCall& call) {
  std::vector<Operand<int64_t>> operands;
  for (size_t i = 0; i < call.operands.size(); ++i) {
    operands.emplace_back(call.operand_types[i], call.storages[i], call.operands[i].bytes().data(), nullptr);
  }
  std::vector<Tensor> tensors;
  std::vector<Result<int64_t>> results;
  for (const TensorType& type : call.result_types) tensors.emplace_back(type.shape, type.storage());
  for (size_t r = 0; r < tensors.size(); ++r) {
    results.emplace_back(call.result_types[r], tensors[r].mutable_bytes().data(), nullptr);
  }
  ReferenceOf<int64_t>(call.instruction->op)({&call.instruction->attributes, operands, results});
  return tensors;
}

std::optional<PreparedKernel> PrepareKernel(const KernelEntry& entry, const DrawnCall& call) {
  constexpr int64_t kOverwritten = -77'777;
  Attributes attributes = call.instruction->attributes;
  DrawnCall facts = {.instruction = call.instruction,
                     .operand_types = call.operand_types,
                     .constants = call.constants,
                     .storages = call.storages,
                     .result_types = call.result_types,
                     .accumulator = call.accumulator};
  std::vector<TensorView> constants(call.constants.size());
  for (size_t i = 0; i < constants.size(); ++i) {
    if (call.constants[i] == nullptr) continue;
    constants[i] = *call.constants[i];
    facts.constants[i] = &constants[i];
  }
  KernelFacts given = facts.FactsIn(entry.layout);
  given.attributes = &attributes;
  auto prepared = entry.prepare(given);
  for (AttrValue& value : attributes) std::ranges::fill(value, kOverwritten);
  std::ranges::fill(facts.operand_types, TensorType{});
  std::ranges::fill(facts.result_types, TensorType{});
  std::ranges::fill(constants, TensorView{});
  return prepared;
}

std::string CheckKernel(const KernelEntry& entry, const PreparedKernel& prepared, const DrawnCall& call,
                        const std::vector<Tensor>& expected) {
  std::vector<Tensor> moved;
  for (const Tensor& tensor : expected) moved.push_back(InLayout(tensor, entry.layout));
  const Run run = {entry, prepared, call, moved};
  const bool may_be_in_place = entry.in_place && call.constants[0] == nullptr &&
                               std::ranges::count(call.same_as, 0) == 1 &&
                               call.operand_types[0].shape == call.result_types[0].shape &&
                               call.storages[0] == call.result_types[0].storage();
  for (const int parts : {1, 2, 3, 8}) {
    for (const bool in_place : {false, true}) {
      if (in_place && !may_be_in_place) continue;
      const std::string problem = run.Check(parts, in_place);
      if (problem.empty()) continue;
      return std::string(entry.name) + (in_place ? " in place" : "") + " in " + std::to_string(parts) +
             " parts: " + problem + "\n" + Describe(call);
    }
  }
  return "";
}

}  // namespace tally
