// Graphs within nodes: the branches of an If, the body of a Loop.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

#include "third_party/onnx/onnx.pb.h"

namespace tally::onnx {

// A copy in which all names that `graph` gives, to inputs, initializers and results, begin with `prefix`, so
// that it can be where its node is. Names of the graphs around it stay; a name that both give is its
// own.
::onnx::GraphProto WithPrefix(::onnx::GraphProto graph, std::string_view prefix);

// The names that nodes and outputs read, in the graphs of nodes too. They refer to `graph`.
void AddNamesRead(const ::onnx::GraphProto& graph, std::unordered_set<std::string_view>& names);

// Calls visit(name of the attribute, graph) for each graph in the attributes of `node`.
template <typename Visit>
void ForEachSubgraph(const ::onnx::NodeProto& node, Visit visit) {
  for (const ::onnx::AttributeProto& attribute : node.attribute()) {
    if (attribute.has_g()) visit(attribute.name(), attribute.g());
    for (const ::onnx::GraphProto& graph : attribute.graphs()) visit(attribute.name(), graph);
  }
}

}  // namespace tally::onnx
