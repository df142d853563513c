#include "vm/cvm_gas.h"

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/pooling/attrs.h"
#include "vm/labels.h"

namespace tally {
namespace {

constexpr int64_t kPerStoredElement = 5;

// The price of each element of the first result. get_valid_counts was to have a price of its own too, but
// cvm-runtime looks for it under another name. In profile cvm no product here leaves 64 bits.
int64_t GasPerElement(Opcode op, const Attributes& attributes, std::span<const Shape> operands,
                      const Shape& result) {
  switch (op) {
    case Opcode::kConv2d:
    case Opcode::kDense: {
      const int64_t terms = operands[1].num_elements() / operands[1][0];
      const bool has_bias = operands.size() == 3;
      return 3 * terms + (has_bias ? 1 : 0);
    }
    case Opcode::kMaxPool2d: {
      const auto pool = Unpack<MaxPool2dAttrs>(attributes).pool_size;
      return pool[0] * pool[1];
    }
    case Opcode::kSum: return operands[0].num_elements() / result.num_elements();
    case Opcode::kNonMaxSuppression: return 20 * operands[0][0];
    default: return 1;
  }
}

// Neither sum wraps: it is within its limit before, and what is added is less than 2^61.
absl::Status Charge(const char* what, int64_t gas, int64_t limit, int64_t& sum) {
  sum += gas;
  if (sum <= limit) return absl::OkStatus();
  return MakeError(label::cvm_gas_limit,
                   absl::StrCat("the gas of ", what, " reaches ", sum, ", the limit is ", limit));
}

}  // namespace

absl::StatusOr<int64_t> CvmBill::AddVariable(const Shape& shape) {
  const int64_t stored = kPerStoredElement * shape.num_elements();
  RETURN_IF_ERROR(Charge("memory", stored, kMaxCvmGasOfMemory, memory_));
  return stored;
}

absl::StatusOr<int64_t> CvmBill::AddOperator(Opcode op, const Attributes& attributes,
                                             std::span<const Shape> operands,
                                             std::span<const Shape> results) {
  const int64_t per_element = GasPerElement(op, attributes, operands, results[0]);
  if (per_element > kMaxCvmGasPerElement) {
    return MakeError(label::cvm_gas_limit, absl::StrCat("the gas of an element is ", per_element,
                                                        ", the limit is ", kMaxCvmGasPerElement));
  }
  const int64_t work = per_element * results[0].num_elements();
  RETURN_IF_ERROR(Charge("operators", work, kMaxCvmGasOfOperators, operators_));
  int64_t stored = 0;
  for (const Shape& result : results) stored += kPerStoredElement * result.num_elements();
  RETURN_IF_ERROR(Charge("memory", stored, kMaxCvmGasOfMemory, memory_));
  return work + stored;
}

absl::StatusOr<CvmGas> CvmGasOf(const ValidModule& module) {
  if (module.module().profile != Profile::kCvm) {
    return MakeError(label::cvm_gas_profile,
                     "gas of schedule cvm is defined for modules of profile cvm only");
  }
  // Nothing in profile cvm names a function, so the entry is the module.
  const FunctionFacts& facts = module.functions()[0];
  CvmBill bill;
  CvmGas gas = {0, std::vector<int64_t>(facts.types.size())};
  for (size_t p = 0; p < facts.params.size(); ++p) {
    ASSIGN_OR_RETURN(gas.values[p], bill.AddVariable(facts.types[p].shape));
  }
  for (size_t i = 0; i < facts.instructions.size(); ++i) {
    const Instruction& instruction = module.entry().body[i];
    const ValueId first = facts.instructions[i].first_result;
    if (instruction.op == Opcode::kConstant) {
      ASSIGN_OR_RETURN(gas.values[first], bill.AddVariable(facts.types[first].shape));
      continue;
    }
    std::vector<Shape> operands, results;
    for (const ValueId id : instruction.operands) operands.push_back(facts.types[id].shape);
    for (int r = 0; r < facts.instructions[i].num_results; ++r)
      results.push_back(facts.types[first + r].shape);
    ASSIGN_OR_RETURN(gas.values[first],
                     bill.AddOperator(instruction.op, instruction.attributes, operands, results));
  }
  gas.total = bill.total();
  return gas;
}

}  // namespace tally
