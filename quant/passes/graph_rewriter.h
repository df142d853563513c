// A new graph that is written beside an old one, for passes that add constants and nodes.
//
//   GraphRewriter rewriter(graph);
//   RETURN_IF_ERROR(rewriter.AddInputs());
//   for (const Node& node : graph.nodes) RETURN_IF_ERROR(rewriter.Copy(node));
//   return std::move(rewriter).Build();
//
// Values that are copied keep their names. A constant comes with its first reader, so that one without
// readers goes.
#pragma once

#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "quant/graph/graph.h"
#include "quant/graph/graph_builder.h"

namespace tally::quant {

// Errors of all its functions: those of GraphBuilder.
class GraphRewriter {
 public:
  // `graph` has passed Verify and stays where it is.
  explicit GraphRewriter(const Graph& graph);

  GraphBuilder& builder() { return builder_; }
  const std::string& NameOf(ValueId value) const { return graph_.values[value].name; }

  absl::Status AddInputs();

  // The counterpart of a value of the old graph, which has been copied or replaced, or is a constant.
  absl::StatusOr<ValueId> ValueInNewGraph(ValueId value);

  // Adds `node` as it is; a constant waits for its first reader.
  absl::Status Copy(const Node& node);

  // Lets `replacement`, of the new graph, stand for `value` of the old one.
  void Replace(ValueId value, ValueId replacement) { new_id_of_[value] = replacement; }

  // A name for a new value, `name` or longer, that no value of either graph has.
  std::string FreeName(std::string name);

  // The new graph, with the outputs of the old one.
  absl::StatusOr<Graph> Build() &&;

 private:
  const Graph& graph_;
  GraphBuilder builder_;
  std::vector<std::optional<ValueId>> new_id_of_;  // by value of graph_
  std::unordered_set<std::string> names_;
};

}  // namespace tally::quant
