// A network from a model file: its graph, and what the file says of its inputs and outputs beside it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "quant/graph/graph.h"

namespace tally::frontend {

// An input that is served with pixels, integers from 0 to 255: in channel c (axis 1), or in all where there
// is one bias, pixel p means scale * p + bias[c].
struct PixelInput {
  std::string name;  // the graph's
  float scale = 1;
  std::vector<float> bias = {0};
  bool is_bgr = false;  // channels are blue, green and red
};

// The names of an output's elements: those along its last axis.
struct LabelledOutput {
  std::string name;
  std::vector<std::string> labels;
};

struct Network {
  // NOLINTNEXTLINE(google-explicit-constructor): most formats have nothing but a graph.
  Network(quant::Graph g) : graph(std::move(g)) {}

  quant::Graph graph;
  std::vector<PixelInput> pixels = {};
  std::vector<LabelledOutput> labels = {};
};

}  // namespace tally::frontend
