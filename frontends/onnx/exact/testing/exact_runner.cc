#include "frontends/onnx/exact/testing/exact_runner.h"

#include <memory>

#include "base/status_macros.h"
#include "base/strings.h"
#include "engines/engine.h"
#include "frontends/onnx/exact/count.h"
#include "frontends/onnx/exact/graph.h"
#include "vm/module_builder.h"
#include "vm/validator.h"

namespace tally::onnx {

absl::StatusOr<ExactRun> RunExactly(const ::onnx::GraphProto& graph, int64_t opset,
                                    const std::vector<std::optional<ExactArgument>>& arguments) {
  Composition c(Profile::kCore);
  ModuleBuilder builder(Profile::kCore);
  std::vector<MaybeExactValue> values;
  std::vector<ValueId> params;
  std::vector<TensorView> views;
  for (const auto& argument : arguments) {
    MaybeExactValue& value = values.emplace_back();
    if (!argument) continue;
    const TensorView view = argument->tensor.view();
    const TensorType type = {view.shape, argument->interval.value_or(view.Bounds())};
    value = ExactValue{argument->is_constant ? c.Constant(argument->tensor) : c.Input(type),
                       argument->fraction_bits, argument->data_type};
    if (argument->is_constant) continue;
    params.push_back(builder.Param(absl::StrCat("x", params.size()), type));
    views.push_back(view);
  }
  ExactRun run;
  ASSIGN_OR_RETURN(run.facts, ImportExactly(graph, opset, values, c));
  std::vector<Value> results;
  for (const ExactValue& fact : run.facts) results.push_back(fact.value);
  for (const ExactValue& fact : run.facts) {
    if (fact.count) results.push_back(fact.count->number);
  }
  const std::vector<ValueId> ids = builder.Append(c, params, results);
  for (size_t i = 0; i < ids.size(); ++i) builder.Result(absl::StrCat("y", i), ids[i]);
  ASSIGN_OR_RETURN(ValidModule valid, Validate(std::move(builder).Build()));
  const auto shared = std::make_shared<const ValidModule>(std::move(valid));
  for (const std::string engine : {"formal", "reference"}) {
    ASSIGN_OR_RETURN(const auto plan, MakePlan(engine, shared));
    ASSIGN_OR_RETURN(const Outcome outcome, plan->Execute(views, {}));
    size_t next_count = run.facts.size();
    for (size_t i = 0; i < run.facts.size(); ++i) {
      const TensorView padded = outcome.results[i].view();
      const auto& count = run.facts[i].count;
      const int64_t slices = count ? outcome.results[next_count++].view().at(0) : 1;
      auto& result = run.results[engine].emplace_back();
      if (slices > 0) {
        result = count ? CutTo(padded, count->axis, slices) : Tensor::Copy(padded, padded.storage);
      }
    }
  }
  return run;
}

}  // namespace tally::onnx
