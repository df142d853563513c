// Runs a float graph: the truth that calibration measures and quantized results are compared with.
//
//   ASSIGN_OR_RETURN(const std::vector<Tensor> outputs, RunGraph(graph, {image}));
//   RunGraph(graph, {image}, [&](ValueId value, const FloatTensor& tensor) { ... });
//
// Plain loops on one thread. Two runs return the same bytes; evaluate.h says how far machines agree.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "quant/graph/graph.h"

namespace tally::quant {

// Told every float value as soon as it exists, graph inputs first, then in node order; never a constant.
using Observer = std::function<void(ValueId value, const FloatTensor& tensor)>;

// The outputs, in the graph's order. `graph` has passed Verify. Each value is freed after its last use.
// Errors: graph_run_inputs, when count, a shape or a number of elements differs from the graph's inputs.
absl::StatusOr<std::vector<Tensor>> RunGraph(const Graph& graph, std::span<const FloatTensor> inputs,
                                             const Observer& observer = nullptr);

// One operator alone; `result` is the type that InferType returns for it.
Tensor EvaluateNode(const Op& op, std::span<const Tensor* const> operands, const ValueType& result);

}  // namespace tally::quant
