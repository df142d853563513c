// Runs a float graph: the truth that calibration measures and quantized results are compared with.
//
//   FloatExecutor executor(graph);  // packs the weights of large layers
//   ASSIGN_OR_RETURN(const std::vector<Tensor> outputs, executor.Run({image}));
//   executor.Run({image}, {.observer = [&](ValueId value, const FloatTensor& tensor) { ... }});
//
// Large layers run on oneDNN (heavy_layer.h), all else by the definitions of the operators. Two runs on one
// machine return the same bytes; what machines may disagree on is why a calibration is a file of its own.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "quant/graph/graph.h"
#include "quant/graph/heavy_layer.h"

namespace tally::quant {

// Told every graph input, then every float value as soon as it exists, in node order; never a constant.
using Observer = std::function<void(ValueId value, const FloatTensor& tensor)>;

// Given the same values before anything reads them, to change their elements.
using Adjuster = std::function<void(ValueId value, FloatTensor& tensor)>;

// Observers of a run, where they are set.
struct RunHooks {
  Observer observer = nullptr;
  // Told, by their values, what nodes compute inside, where they say so (OpTraits::inner).
  Observer inner = nullptr;
  Adjuster adjust = nullptr;
};

class FloatExecutor;

// Replacements for the work of nodes, by their number; nothing where they don't.
struct RunChanges {
  // Operand `index` as the node reads it.
  std::function<std::optional<Tensor>(size_t node, size_t index, const Tensor& operand)> operand;
  // Who computes the node; nullptr for the executor itself.
  std::function<FloatExecutor*(size_t node)> by;
};

class FloatExecutor {
 public:
  // `graph` has passed Verify, and outlives this.
  explicit FloatExecutor(const Graph& graph);

  // The outputs, in the graph's order. Each value is freed after its last use. What an integer input is given
  // are integers too. Errors: graph_run_inputs, when count, a shape or a number of elements differs from the
  // graph's inputs, or an integer input holds what is none or is outside of its interval.
  absl::StatusOr<std::vector<Tensor>> Run(std::span<const FloatTensor> inputs, const RunHooks& hooks = {});

  // All values of a run, by value of the graph; those of constants are empty. Errors: those of Run.
  absl::StatusOr<std::vector<Tensor>> RunKeeping(std::span<const FloatTensor> inputs);

  // One node, on operands of the types that the graph says.
  Tensor RunNode(size_t node, std::span<const Tensor* const> operands);

  // The outputs of a run that kept `values`, had nodes read and computed what `changes` says. Only what
  // depends on that is computed.
  std::vector<Tensor> Rerun(std::span<const Tensor> values, const RunChanges& changes);

 private:
  // All values, by value of the graph, those that nothing reads after the run only where it `keeps` them.
  absl::StatusOr<std::vector<Tensor>> Compute(std::span<const FloatTensor> inputs, const RunHooks& hooks,
                                              bool keeps);

  const Graph& graph_;
  std::vector<std::vector<ValueId>> to_free_;        // by node: the values that nothing reads after it
  std::vector<std::unique_ptr<HeavyLayer>> layers_;  // by node
};

// One run.
absl::StatusOr<std::vector<Tensor>> RunGraph(const Graph& graph, std::span<const FloatTensor> inputs,
                                             const Observer& observer = nullptr);

// One operator alone; `result` is the type that InferType returns for it. What it computes inside goes to
// `inner`, where it says so and there is one.
Tensor EvaluateNode(const Op& op, std::span<const Tensor* const> operands, const ValueType& result,
                    FloatTensor* inner = nullptr);

}  // namespace tally::quant
