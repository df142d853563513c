#include "tests/vectors/run_case.h"

#include <exception>
#include <memory>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "engines/compile/lower_operators.h"
#include "tests/vectors/case_module.h"
#include "tests/vectors/every_plan.h"
#include "tests/vectors/round_trips.h"
#include "vm/module_builder.h"
#include "vm/validator.h"

namespace tally {
namespace {

absl::Status Fail(absl::string_view message) { return absl::InternalError(message); }

absl::Status CheckFacts(const ValidModule& module, const VectorCase& test) {
  const auto& results = module.entry().results;
  if (results.size() != test.results.size()) return Fail("the case has another number of results");
  for (size_t r = 0; r < results.size(); ++r) {
    const TensorType& inferred = module.types()[results[r]];
    if (inferred != test.results[r].type) {
      return Fail(absl::StrCat("result ", r, " is ", inferred.ToString(), " instead of ",
                               test.results[r].type.ToString()));
    }
  }
  if (const int64_t gas = module.facts().back().gas; gas != test.gas) {
    return Fail(absl::StrCat("gas ", gas, " instead of ", test.gas));
  }
  return absl::OkStatus();
}

absl::Status CheckOutcome(const Outcome& outcome, const VectorCase& test) {
  for (size_t r = 0; r < test.results.size(); ++r) {
    const TensorView actual = outcome.results[r].view(), expected = test.results[r].tensor.view();
    if (actual.shape != expected.shape) {
      return Fail(absl::StrCat("result ", r, " has shape ", actual.shape.ToString()));
    }
    for (int64_t i = 0; i < actual.shape.num_elements(); ++i) {
      if (actual.at(i) == expected.at(i)) continue;
      return Fail(absl::StrCat("element ", i, " of result ", r, " is ", actual.at(i), " instead of ",
                               expected.at(i)));
    }
  }
  return absl::OkStatus();
}

absl::Status RunOn(const Plan& plan, const VectorCase& test) {
  std::vector<TensorView> inputs;
  for (const VectorTensor& operand : test.operands) {
    if (!operand.constant) inputs.push_back(operand.tensor.view());
  }
  try {
    ASSIGN_OR_RETURN(const Outcome outcome, plan.Execute(inputs, {}));
    return CheckOutcome(outcome, test);
  } catch (const std::exception& trap) {
    return Fail(absl::StrCat("traps: ", trap.what()));
  }
}

absl::Status Named(absl::string_view name, const absl::Status& status) {
  return status.ok() ? status : Fail(absl::StrCat(name, ": ", status.ToString()));
}

// Validates and runs; null when the refusal is the one that the case names.
absl::StatusOr<std::shared_ptr<const ValidModule>> CheckModule(Module module, const VectorCase& test) {
  auto validated = Validate(std::move(module));
  if (!test.error.empty() && ErrorLabel(validated.status()) == test.error) return nullptr;
  if (!validated.ok()) return validated.status();
  if (!test.error.empty()) return Fail(absl::StrCat("accepted instead of refused with ", test.error));
  const auto valid = std::make_shared<const ValidModule>(*std::move(validated));
  RETURN_IF_ERROR(ForEveryPlan(valid, [&](const Plan& plan) { return RunOn(plan, test); }));
  return valid;
}

// Values are the same where all operands but the first are constants, as weights are, which engines prepare.
// A case whose types say otherwise then is not one.
absl::Status CheckConstants(const OpInfo& op, VectorCase test) {
  for (size_t i = 1; i < test.operands.size(); ++i) test.operands[i].constant = true;
  auto validated = Validate(ModuleOfCase(op, test));
  if (!validated.ok()) return absl::OkStatus();
  const auto valid = std::make_shared<const ValidModule>(*std::move(validated));
  return ForEveryPlan(valid, [&](const Plan& plan) { return RunOn(plan, test); });
}

// The lowered module has the results of the module, with the same types.
absl::Status CheckLowered(const ValidModule& valid, const VectorCase& test) {
  ASSIGN_OR_RETURN(LoweredModule lowered, LowerOperators(valid));
  ASSIGN_OR_RETURN(const auto checked, CheckModule(std::move(lowered.module), test));
  for (size_t r = 0; r < test.results.size(); ++r) {
    const TensorType& type = checked->types()[checked->entry().results[r]];
    if (type != test.results[r].type) return Fail(absl::StrCat("result ", r, " is ", type.ToString()));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RunCase(const OpInfo& op, const VectorCase& test) {
  const Module built = ModuleOfCase(op, test);
  // The forms have no place for a wrong number of operands; only Validate can see one.
  const int count = static_cast<int>(built.entry().body.back().operands.size());
  const bool expressible = op.min_operands <= count && count <= op.max_operands;
  for (const RoundTrip& trip : AllRoundTrips()) {
    if (!expressible && !trip.any_module) continue;
    ASSIGN_OR_RETURN(Module module, trip.take(built));
    const auto valid = CheckModule(std::move(module), test);
    RETURN_IF_ERROR(Named(ToAbsl(trip.name), valid.status()));
    if (*valid == nullptr) continue;
    RETURN_IF_ERROR(Named(ToAbsl(trip.name), CheckFacts(**valid, test)));
    const bool changed = &trip != &AllRoundTrips().front();
    const bool lowers = FindLowering(op.name) != nullptr || !test.functions.empty();
    if (!changed && lowers) RETURN_IF_ERROR(Named("lowered", CheckLowered(**valid, test)));
    if (!changed) RETURN_IF_ERROR(Named("with constants", CheckConstants(op, test)));
  }
  return absl::OkStatus();
}

absl::Status RunCase(const LoweringInfo& lowering, const VectorCase& test) {
  ModuleBuilder b(test.profile);
  Composition c(test.profile);
  std::vector<ValueId> params;
  std::vector<Value> operands;
  for (const VectorTensor& operand : test.operands) {
    operands.push_back(operand.constant ? c.Constant(operand.tensor) : c.Input(operand.type));
    if (!operand.constant) params.push_back(b.Param(absl::StrCat("x", params.size()), operand.type));
  }
  const auto results = Lower(c, lowering.name, operands, test.attributes);
  if (!test.error.empty() && ErrorLabel(results.status()) == test.error) return absl::OkStatus();
  if (!results.ok()) return results.status();
  if (results->size() != test.results.size()) return Fail("the case has another number of results");
  const std::vector<ValueId> ids = b.Append(c, params, *results);
  for (size_t r = 0; r < ids.size(); ++r) b.Result(absl::StrCat("y", r), ids[r]);
  return CheckModule(std::move(b).Build(), test).status();
}

}  // namespace tally
