// The float graph: what importers produce, passes rewrite, calibration runs and lowering reads.
//
//   GraphBuilder builder("tiny");                             // quant/graph/graph_builder.h
//   ...
//   ASSIGN_OR_RETURN(const Graph graph, std::move(builder).Build());
//   for (const Node& node : graph.nodes) Lower(graph, node);  // insertion order is a topological order
//
// A graph is SSA: each value is a graph input or the one output of one node. Verify states every rule; a
// Graph that comes from GraphBuilder, an importer or a pass has passed it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/interval.h"
#include "quant/graph/op.h"
#include "quant/tensor/tensor.h"

namespace tally::quant {

using ValueId = int32_t;  // index into Graph::values

constexpr int32_t kGraphInput = -1;
constexpr size_t kMaxValues = size_t{1} << 20;
constexpr size_t kMaxValueNameBytes = 1024;  // the longest name of a value or an output

struct Value {
  std::string name;  // unique, printable UTF-8 (base/printable.h); the key of calibration files
  ValueType type;
  int32_t producer = kGraphInput;  // index into Graph::nodes, or kGraphInput
  // The interval of an integer input: what it may hold, where the file or a reader says so.
  std::optional<Interval> interval = {};
};

struct Node {
  Op op;
  std::vector<ValueId> operands;
  ValueId result = 0;
  std::string source;  // the user's name of it, for messages: "node 3 'conv1' (Conv)"
};

struct Output {
  std::string name;  // the user's name of it; unique, printable UTF-8
  ValueId value;
};

struct Graph {
  std::string name;
  std::vector<Value> values;
  std::vector<Node> nodes;
  std::vector<ValueId> inputs;
  std::vector<Output> outputs;
};

// The tensor after a value that a Constant node produces, else nullptr.
const Tensor* ConstantOf(const Graph& graph, ValueId value);

// The codes that such a constant has in its file, else nullptr.
const ConstantCodes* CodesOf(const Graph& graph, ValueId value);

// By value: how often it is read, as an operand or as an output.
std::vector<int> NumUses(const Graph& graph);

// Checks, in this order, and reports the first failure:
//   graph_values          at most kMaxValues values
//   graph_name            names are non-empty, printable UTF-8, of at most kMaxValueNameBytes, and unique
//   graph_producer        a graph input has no producer; any other value is the result of the node it names
//   graph_order           operands exist and are produced before they are used
//   graph_constant_data, graph_constant_operand, and those of InferType (infer_type.h), for every node
//   graph_type            a result's recorded type is the inferred one
//   graph_outputs         there is an output, every output exists, and their names are as those of values
absl::Status Verify(const Graph& graph);

// The part of Verify that looks at one node: constant data and constant operands, then the inferred type.
// `operands` are ids of `graph` that exist.
absl::StatusOr<ValueType> CheckNode(const Graph& graph, const Op& op, const std::vector<ValueId>& operands);

}  // namespace tally::quant
