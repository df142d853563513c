#include "frontends/onnx/model/subgraph.h"

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tally::onnx {
namespace {

using ::onnx::GraphProto;

using NewNames = std::unordered_map<std::string, std::string>;

template <typename Visit>
void ForEachGivenName(GraphProto& graph, Visit visit) {
  for (auto& input : *graph.mutable_input()) visit(*input.mutable_name());
  for (auto& initializer : *graph.mutable_initializer()) visit(*initializer.mutable_name());
  for (auto& node : *graph.mutable_node()) {
    for (std::string& output : *node.mutable_output()) visit(output);
  }
}

void Rename(const NewNames& names, std::string& name) {
  if (const auto found = names.find(name); found != names.end()) name = found->second;
}

void RenameWhatIsRead(GraphProto& graph, NewNames& names);

// In a graph within another, what it gives a name itself is not renamed. The names come back after it: a copy
// for each of many graphs would take quadratic time.
void RenameWithin(GraphProto& graph, NewNames& names) {
  std::vector<NewNames::node_type> hidden;
  ForEachGivenName(graph, [&](const std::string& own) {
    if (auto entry = names.extract(own)) hidden.push_back(std::move(entry));
  });
  RenameWhatIsRead(graph, names);
  for (auto& entry : hidden) names.insert(std::move(entry));
}

void RenameWhatIsRead(GraphProto& graph, NewNames& names) {
  for (auto& node : *graph.mutable_node()) {
    for (std::string& input : *node.mutable_input()) Rename(names, input);
    for (auto& attribute : *node.mutable_attribute()) {
      if (attribute.has_g()) RenameWithin(*attribute.mutable_g(), names);
      for (GraphProto& inner : *attribute.mutable_graphs()) RenameWithin(inner, names);
    }
  }
  for (auto& output : *graph.mutable_output()) Rename(names, *output.mutable_name());
}

}  // namespace

GraphProto WithPrefix(GraphProto graph, std::string_view prefix) {
  NewNames names;
  ForEachGivenName(graph, [&](std::string& name) {
    if (name.empty()) return;
    std::string renamed = std::string(prefix) + name;
    names.emplace(name, renamed);
    name = std::move(renamed);
  });
  RenameWhatIsRead(graph, names);
  return graph;
}

void AddNamesRead(const GraphProto& graph, std::unordered_set<std::string_view>& names) {
  for (const auto& node : graph.node()) {
    names.insert(node.input().begin(), node.input().end());
    ForEachSubgraph(node, [&](const std::string&, const GraphProto& inner) { AddNamesRead(inner, names); });
  }
  for (const auto& output : graph.output()) names.insert(output.name());
}

}  // namespace tally::onnx
