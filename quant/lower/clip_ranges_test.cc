#include "quant/lower/clip_ranges.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "quant/graph/graph_builder.h"

namespace tally::quant {
namespace {

// Sums that other sums read, and one that is a result; scores of a softmax; integers.
Graph Sample() {
  GraphBuilder builder("sample");
  const ValueId x = *builder.AddInput("x", {1, 8});
  builder.AddOutput(*builder.AddInput(Value{.name = "ids", .type = {ElementType::kInt64, {4}}}));
  const ValueId bytes = *builder.AddNode(Add{}, {x, x}, "bytes", "add");
  builder.AddOutput(*builder.AddNode(Add{}, {bytes, x}, "result", "add"));
  const ValueId scores = *builder.AddNode(Add{}, {bytes, bytes}, "scores", "add");
  builder.AddOutput(*builder.AddNode(Softmax{1}, {scores}, "probabilities", "softmax"));
  return *std::move(builder).Build();
}

// Every value has the same million elements in [-1, 1] and one further out.
Calibration Seen(const Graph& graph) {
  std::vector<float> elements;
  for (int i = 0; i < 10100; ++i) elements.push_back(static_cast<float>(i % 101 - 50) / 50);
  ValueHistogramBuilder builder;
  for (int i = 0; i < 100; ++i) builder.Add(elements);
  builder.Add(std::vector<float>{2});
  Calibration calibration{1};
  for (const Value& value : graph.values) {
    calibration.values[value.name] = {-1, 2, 1010001};
    calibration.histograms[value.name] = builder.Build();
  }
  return calibration;
}

TEST(ClipRanges, NarrowsWhatTakesEightBitsAndNothingElse) {
  const Graph graph = Sample();
  const Calibration seen = Seen(graph);
  for (const ClipMethod method : {ClipMethod::kMse, ClipMethod::kPercentile}) {
    const Calibration clipped = ClipRanges(graph, seen, method);
    for (const char* narrow : {"x", "bytes"}) {
      EXPECT_LT(clipped.values.at(narrow).max, 1.5) << narrow;
      EXPECT_GE(clipped.values.at(narrow).max, 0.98) << narrow;
    }
    for (const char* wide : {"result", "scores", "probabilities", "ids"}) {
      EXPECT_EQ(clipped.values.at(wide), seen.values.at(wide)) << wide;
    }
  }
  EXPECT_EQ(ClipRanges(graph, seen, ClipMethod::kAbsMax), seen);
}

TEST(ClipRanges, ARangeWithoutAHistogramIsObeyed) {
  const Graph graph = Sample();
  Calibration seen = Seen(graph);
  seen.histograms.erase("bytes");
  EXPECT_EQ(ClipRanges(graph, seen, ClipMethod::kMse).values.at("bytes"), seen.values.at("bytes"));
}

}  // namespace
}  // namespace tally::quant
