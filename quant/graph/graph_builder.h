// Builds a Graph in topological order, inferring and checking types as it goes.
//
//   GraphBuilder builder("dense");
//   ASSIGN_OR_RETURN(const ValueId x, builder.AddInput("x", {1, 4}));
//   ASSIGN_OR_RETURN(const ValueId w, builder.AddConstant("w", FloatTensor{{2, 4}, {...}}));
//   ASSIGN_OR_RETURN(const ValueId y, builder.AddNode(Dense{}, {x, w}, "y", "node 0 'fc' (Gemm)"));
//   builder.AddOutput(y);
//   ASSIGN_OR_RETURN(Graph graph, std::move(builder).Build());
//
// A name that is taken, empty, too long or not printable is changed, deterministically, into one that a graph
// may have.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "absl/status/statusor.h"
#include "quant/graph/graph.h"

namespace tally::quant {

class GraphBuilder {
 public:
  explicit GraphBuilder(std::string_view name);

  // Errors: graph_values, and those of CheckShape.
  absl::StatusOr<ValueId> AddInput(std::string_view name, Shape shape);
  // With the name, the type and the interval of `like`.
  absl::StatusOr<ValueId> AddInput(const Value& like);

  // Errors: graph_values, and those of CheckNode, prefixed with `source`.
  absl::StatusOr<ValueId> AddNode(Op op, std::vector<ValueId> operands, std::string_view name,
                                  std::string_view source);
  absl::StatusOr<ValueId> AddConstant(std::string_view name, std::shared_ptr<const Tensor> tensor,
                                      std::shared_ptr<const ConstantCodes> codes = nullptr);
  absl::StatusOr<ValueId> AddConstant(std::string_view name, Tensor tensor);

  // The name is changed where it is taken, as that of a new value.
  void Rename(ValueId value, std::string_view name);

  // Without a name, the output has the name of the value.
  void AddOutput(ValueId value, std::string_view name);
  void AddOutput(ValueId value) { AddOutput(value, graph_.values[value].name); }

  // The graph so far.
  const Graph& graph() const { return graph_; }

  // Errors: graph_outputs, when there is none.
  absl::StatusOr<Graph> Build() &&;

 private:
  absl::StatusOr<ValueId> AddValue(std::string_view name, ValueType type, int32_t producer);
  std::string FreeName(std::string_view wanted, std::unordered_set<std::string>& taken);

  Graph graph_;
  std::unordered_set<std::string> value_names_;
  std::unordered_set<std::string> output_names_;
  size_t next_suffix_ = 1;
};

}  // namespace tally::quant
