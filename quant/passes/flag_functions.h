// Values of a graph that are computed of flags and other small integers alone, while a pass rewrites the
// graph.
//
//   FlagFunctions functions(graph, intervals, builder);
//   for each node, in order: functions.Visit(node, renamed);
//   if (const FlagFunction* f = functions.Of(value)) f->values...
//
// Each is a list of what it can be, and a code that says which of them each element is.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "quant/graph/graph_builder.h"
#include "quant/graph/integer_intervals.h"

namespace tally::quant {

struct FlagFunction {
  std::optional<ValueId> code;  // in the new graph, of [0, size of values); none where there is one value
  Tensor values;                // a list
  std::set<ValueId> leaves;     // the integers of the old graph that it is computed of
};

class FlagFunctions {
 public:
  // `builder` makes the new graph. All outlive this.
  FlagFunctions(const Graph& graph, const Intervals& intervals, GraphBuilder& builder);

  // `renamed` is the new graph's value for each old one. Adds what codes the result of `node` to the new
  // graph. Errors: those of GraphBuilder.
  absl::Status Visit(const Node& node, std::span<const ValueId> renamed);
  // Null for all other values.
  const FlagFunction* Of(ValueId value) const;

  // A value of the new graph with the name of an old value and a further word, free of what the old graph
  // has.
  std::string NameFor(ValueId value, std::string_view word);
  // `function` as a value of `type`, whose elements are those of `values` instead of its own.
  absl::StatusOr<ValueId> Emit(const FlagFunction& function, Tensor values, std::string_view name,
                               const std::string& source);

 private:
  absl::StatusOr<std::optional<FlagFunction>> OfElements(const Node& node, std::span<const ValueId> renamed);
  absl::StatusOr<std::optional<FlagFunction>> Moved(const Node& node, std::span<const ValueId> renamed);
  absl::StatusOr<std::optional<FlagFunction>> Leaf(ValueId value, std::span<const ValueId> renamed);
  absl::StatusOr<std::optional<FlagFunction>> OfOperand(ValueId value, std::span<const ValueId> renamed);
  absl::StatusOr<ValueId> Number(int64_t number, ValueId value);

  const Graph& graph_;
  const Intervals& intervals_;
  GraphBuilder& builder_;
  std::map<ValueId, FlagFunction> functions_;  // by value of the old graph
  std::set<std::string> names_;
};

}  // namespace tally::quant
