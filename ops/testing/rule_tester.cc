#include "ops/testing/rule_tester.h"

#include <cstdlib>
#include <exception>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/labels.h"
#include "ops/op_rules.h"
#include "ops/references.h"

namespace tally {
namespace {

template <typename Int>
std::vector<std::vector<int64_t>> RunReference(const OpCase& test, std::span<const TensorType> operand_types,
                                               std::span<const TensorType> result_types) {
  std::vector<Operand<Int>> operands;
  for (size_t i = 0; i < operand_types.size(); ++i) {
    const Tensor& tensor = test.operands[i].tensor;
    operands.emplace_back(operand_types[i], tensor.storage(), tensor.bytes().data(), nullptr);
  }
  std::vector<std::vector<Int>> objects;
  std::vector<Tensor> tensors;
  for (const TensorType& type : result_types) {
    objects.emplace_back(type.shape.num_elements());
    tensors.emplace_back(type.shape, type.storage());
  }
  std::vector<Result<Int>> results;
  for (size_t r = 0; r < result_types.size(); ++r) {
    results.emplace_back(result_types[r], tensors[r].mutable_bytes().data(), objects[r].data());
  }
  ReferenceOf<Int>(test.op)({&test.attributes, operands, results});
  std::vector<std::vector<int64_t>> values(result_types.size());
  for (size_t r = 0; r < result_types.size(); ++r) {
    for (int64_t i = 0; i < result_types[r].shape.num_elements(); ++i) {
      values[r].push_back(std::is_same_v<Int, FormalInt> ? static_cast<int64_t>(objects[r][i])
                                                         : tensors[r].view().at(i));
    }
  }
  return values;
}

absl::Status CheckReferences(const OpCase& test, std::span<const TensorType> operands, OpOutcome* outcome) {
  outcome->values = RunReference<FormalInt>(test, operands, outcome->types);
  for (size_t r = 0; r < outcome->types.size(); ++r) {
    for (const int64_t value : outcome->values[r]) {
      if (!outcome->types[r].interval.Contains(value)) {
        return MakeError(label::reference_disagreement,
                         absl::StrCat("value ", value, " outside ", outcome->types[r].interval.ToString()));
      }
    }
  }
  try {
    if (RunReference<int64_t>(test, operands, outcome->types) != outcome->values ||
        RunReference<TrappingInt>(test, operands, outcome->types) != outcome->values) {
      return MakeError(label::reference_disagreement, "int64 and cpp_int give different values");
    }
  } catch (const std::exception& overflow) {
    return MakeError(label::reference_disagreement, absl::StrCat("int64 overflows: ", overflow.what()));
  }
  return absl::OkStatus();
}

}  // namespace

TestOperand Values(std::initializer_list<int64_t> dims, std::vector<int64_t> values) {
  return {*Tensor::FromValues(*Shape::Create(dims), values)};
}

TestOperand Values(std::initializer_list<int64_t> dims, std::vector<int64_t> values, Interval interval) {
  return {*Tensor::FromValues(*Shape::Create(dims), values), interval};
}

TestOperand Constant(std::initializer_list<int64_t> dims, std::vector<int64_t> values) {
  TestOperand operand = Values(dims, std::move(values));
  operand.constant = true;
  return operand;
}

absl::StatusOr<OpOutcome> RunOp(const OpCase& test) {
  const OpInfo& info = InfoOf(test.op);
  const int count = static_cast<int>(test.operands.size());
  if (count < info.min_operands || count > info.max_operands) {
    return MakeError(label::operand_count, absl::StrCat(count, " operands"));
  }
  RETURN_IF_ERROR(CheckAttributes(info.attributes, test.attributes));

  std::vector<TensorType> types;
  std::vector<int> precisions;
  std::vector<TensorView> views;
  std::vector<const TensorView*> constants;
  views.reserve(test.operands.size());
  for (const TestOperand& operand : test.operands) {
    views.push_back(operand.tensor.view());
    types.push_back({operand.tensor.shape(), operand.interval.value_or(views.back().Bounds())});
    precisions.push_back(PrecisionOf(types.back().interval.Magnitude()));
    constants.push_back(operand.constant ? &views.back() : nullptr);
  }
  const InferContext context = {test.profile, &test.attributes, types, precisions, constants, {}, {}};
  const OpRules& rules = RulesOf(test.op);
  Inferred inferred;
  RETURN_IF_ERROR(rules.infer(context, &inferred));
  OpOutcome outcome = {.types = inferred.results, .accumulator = inferred.accumulator};
  if (test.profile == Profile::kCvm) outcome.precisions = rules.precision({&context, outcome.types});
  outcome.gas = rules.gas({&test.attributes, types, outcome.types});
  RETURN_IF_ERROR(CheckReferences(test, types, &outcome));
  return outcome;
}

std::string LabelOf(const OpCase& test) { return ErrorLabel(RunOp(test).status()); }

}  // namespace tally
