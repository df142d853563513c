// The operators of a graph in order, without constants, as text that a test compares: "Conv Relu".
#pragma once

#include <string>

#include "quant/graph/graph.h"

namespace tally::quant {

inline std::string OpsOf(const Graph& graph) {
  std::string ops;
  for (const Node& node : graph.nodes) {
    if (std::holds_alternative<Constant>(node.op)) continue;
    ops += (ops.empty() ? "" : " ") + std::string(OpName(node.op));
  }
  return ops;
}

}  // namespace tally::quant
