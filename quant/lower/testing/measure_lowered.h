// How close the module of a float graph is to it, for tests.
//
//   const Graph graph = OneNode(Mul{}, {{2, 3}, {2, 3}});
//   EXPECT_GT(MeasureLowered(graph).error.sqnr_db(), 30);
#pragma once

#include <vector>

#include "quant/accuracy/measure_accuracy.h"
#include "quant/graph/graph.h"
#include "quant/lower/lower.h"

namespace tally::quant {

// Elements in [low, high) that look random, the same everywhere.
FloatTensor Random(const Shape& shape, uint32_t seed, double low = -2, double high = 3);

// A graph of one operator, on inputs x0, x1, .. of these shapes and then these constants.
Graph OneNode(const Op& op, const std::vector<Shape>& shapes, const std::vector<FloatTensor>& constants = {});

// An input of integers in `interval`, and one of floats.
inline Value IntegersIn(const Shape& shape, const Interval& interval) {
  return {"n", {ElementType::kInt64, shape}, kGraphInput, interval};
}
inline Value FloatsOf(const Shape& shape) { return {"x", {ElementType::kFloat32, shape}}; }
// A graph of one operator on these inputs.
Graph GraphOf(const Op& op, const std::vector<Value>& inputs);

struct LoweredSamples {
  double low = -2, high = 3;  // for the inputs that hold floats; integers come from their intervals
  LowerOptions options = {};
};

// Calibrates `graph` on random inputs, lowers and validates it, and runs both on further inputs: the first
// output. Engines reference and cpu have to agree.
OutputAccuracy MeasureLowered(const Graph& graph, const LoweredSamples& samples = {});

// Its signal to noise, in dB, and what an operator of 8 bits reaches on any grid.
inline double Sqnr(const Graph& graph, const LoweredSamples& samples = {}) {
  return MeasureLowered(graph, samples).error.sqnr_db();
}
inline constexpr double kGood = 30;  // dB
// The largest error of an operator.
inline double LargestError(const Op& op, const std::vector<Value>& inputs) {
  return MeasureLowered(GraphOf(op, inputs)).error.largest();
}

}  // namespace tally::quant
