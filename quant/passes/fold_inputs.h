// Lets a float network read the integers that its module is served, such as the pixels of an image.
//
//   InputMeaning pixels = {.name = "image", .scale = {1, 255}, .interval = {0, 255},
//                          .mean = {{485, 1000}, {456, 1000}, {406, 1000}}, .std = {...}};
//   ASSIGN_OR_RETURN(const FoldedGraph folded, FoldInputs(graph, {pixels}));
//   folded.graph;              // reads x - zero instead of real[c] = (scale (x - zero_point) - mean[c]) / std[c]
//   folded.inputs[0].format;   // for LowerOptions::inputs
//
// Where only convolutions and dense layers read the input, scale, mean and std go into their weights and
// biases. These are computed as exact rationals and rounded once, to float32. A convolution pads with real 0,
// which is the integer mean[c] / scale + zero_point only where that is one and the same for all channels;
// else a constant channel after the others carries the difference, which its weights take off where the
// window is inside. For all other readers a layer of its own, one product and one sum for each channel,
// converts the integers first.
//
// A scale of at most 24 significant bits, without mean and std, is a grid that modules have; it folds
// nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/interval.h"
#include "quant/graph/graph.h"
#include "quant/grid/input_format.h"

namespace tally::quant {

struct Rational {
  int64_t numerator = 0;
  int64_t denominator = 1;  // positive
};

// The meaning of integers x in `interval`: channel c of them stands for (scale (x - zero_point) - mean[c]) /
// std[c].
struct InputMeaning {
  std::string name;
  Rational scale = {1, 1};
  int64_t zero_point = 0;
  Interval interval;
  // One for each channel (axis 1), or one for all of them; 0 and 1 when empty.
  std::vector<Rational> mean = {}, std = {};
};

// Pixels, integers from 0 to 255: p in channel c means scale * p + bias[c]. Errors: lower_input for numbers
// that are no fractions of 63 bits.
absl::StatusOr<InputMeaning> MeaningOfPixels(const std::string& name, float scale,
                                             const std::vector<float>& bias);

enum class FoldedInto {
  kGrid,      // nothing: the module's grid says it
  kLayers,    // the weights and biases of all that read the input
  kOwnLayer,  // a layer that converts the integers
};

struct FoldedInput {
  // The graph reads format.type.scale (x - format.type.zero_point).
  InputFormat format;
  FoldedInto into = FoldedInto::kGrid;
  std::string why;  // there is a layer of its own: what reads the input, for people
  // And of a real of the original network: factor[c] real + offset[c], of each channel or of all.
  std::vector<double> factor = {1}, offset = {0};
};

struct FoldedGraph {
  Graph graph;
  std::vector<FoldedInput> inputs;  // one for each meaning
};

// `graph` has passed Verify, and so has the result. Errors: lower_input (a meaning of no input, or one that
// none can have), and those of GraphBuilder.
absl::StatusOr<FoldedGraph> FoldInputs(const Graph& graph, const std::vector<InputMeaning>& meanings);

}  // namespace tally::quant
