#include "frontends/onnx/model/sort_nodes.h"

#include <functional>
#include <queue>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "frontends/onnx/model/subgraph.h"

namespace tally::onnx {
namespace {

using ::onnx::GraphProto;
using ::onnx::NodeProto;

// For each node, those of the same graph that it reads, through the graphs within it too.
std::vector<std::vector<int>> NodesRead(const GraphProto& graph) {
  std::unordered_map<std::string_view, int> producers;
  for (int i = 0; i < graph.node_size(); ++i) {
    for (const std::string& output : graph.node(i).output()) {
      if (!output.empty()) producers.emplace(output, i);
    }
  }
  std::vector<std::vector<int>> read(static_cast<size_t>(graph.node_size()));
  for (int i = 0; i < graph.node_size(); ++i) {
    const NodeProto& node = graph.node(i);
    std::unordered_set<std::string_view> names(node.input().begin(), node.input().end());
    ForEachSubgraph(node, [&](const std::string&, const GraphProto& inner) { AddNamesRead(inner, names); });
    for (const std::string_view name : names) {
      const auto producer = producers.find(name);
      // A name that a node itself gives may be given by a graph within it too.
      if (producer != producers.end() && producer->second != i) {
        read[static_cast<size_t>(i)].push_back(producer->second);
      }
    }
  }
  return read;
}

bool IsSorted(const std::vector<std::vector<int>>& read) {
  for (size_t i = 0; i < read.size(); ++i) {
    for (const int other : read[i]) {
      if (other > static_cast<int>(i)) return false;
    }
  }
  return true;
}

// The first of the nodes that may come next, each time.
std::vector<int> Order(const std::vector<std::vector<int>>& read) {
  std::vector<std::vector<int>> readers(read.size());
  std::vector<size_t> num_missing(read.size());
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (size_t i = 0; i < read.size(); ++i) {
    for (const int other : read[i]) readers[static_cast<size_t>(other)].push_back(static_cast<int>(i));
    num_missing[i] = read[i].size();
    if (num_missing[i] == 0) ready.push(static_cast<int>(i));
  }
  std::vector<int> order;
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for (const int reader : readers[static_cast<size_t>(order.back())]) {
      if (--num_missing[static_cast<size_t>(reader)] == 0) ready.push(reader);
    }
  }
  for (size_t i = 0; i < read.size(); ++i) {
    if (num_missing[i] > 0) order.push_back(static_cast<int>(i));
  }
  return order;
}

}  // namespace

void SortNodes(GraphProto& graph) {
  for (NodeProto& node : *graph.mutable_node()) {
    for (auto& attribute : *node.mutable_attribute()) {
      if (attribute.has_g()) SortNodes(*attribute.mutable_g());
      for (GraphProto& inner : *attribute.mutable_graphs()) SortNodes(inner);
    }
  }
  const std::vector<std::vector<int>> read = NodesRead(graph);
  if (IsSorted(read)) return;
  google::protobuf::RepeatedPtrField<NodeProto> sorted;
  sorted.Reserve(graph.node_size());
  for (const int i : Order(read)) sorted.Add()->Swap(graph.mutable_node(i));
  graph.mutable_node()->Swap(&sorted);
}

}  // namespace tally::onnx
