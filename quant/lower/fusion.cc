#include "quant/lower/fusion.h"

#include <algorithm>
#include <variant>

namespace tally::quant {
namespace {

bool Requantizes(const Op& op) {
  return std::holds_alternative<Conv2d>(op) || std::holds_alternative<Dense>(op) ||
         std::holds_alternative<MatMul>(op) || std::holds_alternative<Add>(op) ||
         std::holds_alternative<AveragePool2d>(op) || std::holds_alternative<GlobalAveragePool>(op);
}

// Intersects the bounds of `fusion` with those of an activation; false when `op` is none.
bool Absorb(const Op& op, Fusion& fusion) {
  double low = 0, high = std::numeric_limits<double>::infinity();
  if (const auto* clip = std::get_if<Clip>(&op)) {
    low = clip->low;
    high = clip->high;
  } else if (!std::holds_alternative<Relu>(op)) {
    return false;
  }
  // min(max(x, low), high) applied last wins where the ranges are disjoint.
  fusion.low = std::clamp(fusion.low, low, high);
  fusion.high = std::clamp(fusion.high, low, high);
  return true;
}

}  // namespace

std::vector<Fusion> FuseActivations(const Graph& graph) {
  constexpr int32_t kNone = -1, kSeveral = -2;
  std::vector<int32_t> reader(graph.values.size(), kNone);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    for (const ValueId id : graph.nodes[n].operands) {
      reader[id] = reader[id] == kNone ? static_cast<int32_t>(n) : kSeveral;
    }
  }
  for (const Output& output : graph.outputs) reader[output.value] = kSeveral;

  std::vector<Fusion> fusions(graph.nodes.size());
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    Fusion& fusion = fusions[n];
    fusion.output = graph.nodes[n].result;
    if (!Requantizes(graph.nodes[n].op)) continue;
    for (int32_t next = reader[fusion.output]; next >= 0; next = reader[fusion.output]) {
      if (!Absorb(graph.nodes[next].op, fusion)) break;
      fusion.output = graph.nodes[next].result;
      fusions[next].absorbed = true;
    }
  }
  return fusions;
}

}  // namespace tally::quant
