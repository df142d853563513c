#include "quant/lower/fusion.h"

#include <algorithm>

namespace tally::quant {
namespace {

// Intersects the bounds of `fusion` with those of an activation; false when `op` is none.
bool Absorb(const Op& op, Fusion& fusion) {
  if (!HasBounds(op)) return false;
  // min(max(x, low), high) applied last wins where the ranges are disjoint.
  const auto [low, high] = BoundsOf(op);
  fusion.bounds.low = std::clamp(fusion.bounds.low, low, high);
  fusion.bounds.high = std::clamp(fusion.bounds.high, low, high);
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
    if (!TraitsOf(graph.nodes[n].op).rounds) continue;
    for (int32_t next = reader[fusion.output]; next >= 0; next = reader[fusion.output]) {
      if (!Absorb(graph.nodes[next].op, fusion)) break;
      fusion.output = graph.nodes[next].result;
      fusions[next].absorbed = true;
    }
  }
  return fusions;
}

}  // namespace tally::quant
