// Transformers as exporters write them, from the file to the integers: their ids, masks and norms.
#include "frontends/onnx/testing/transformers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.h"
#include "quant/lower/testing/measure_lowered.h"
#include "quant/passes/passes.h"

namespace tally::onnx {
namespace {

using quant::Graph;

size_t Count(const Graph& graph, std::string_view op) {
  return static_cast<size_t>(std::ranges::count_if(
      graph.nodes, [&](const quant::Node& node) { return quant::OpName(node.op) == op; }));
}

Graph Imported(const ModelBuilder& model) {
  auto graph = model.Import();
  EXPECT_TRUE(graph.ok()) << graph.status();
  graph = quant::RunPasses(*std::move(graph), {});
  EXPECT_TRUE(graph.ok()) << graph.status();
  EXPECT_TRUE(quant::Verify(*graph).ok()) << quant::Verify(*graph);
  return *std::move(graph);
}

class Transformers : public testing::TestWithParam<TransformerStyle> {};

TEST_P(Transformers, EncodersKeepTheirAccuracyAsIntegers) {
  const Graph graph = Imported(Encoder(GetParam()));
  EXPECT_EQ(Count(graph, "LayerNorm"), 5u);
  EXPECT_EQ(Count(graph, "Masked"), GetParam().mask == "none" ? 0u : 2u);
  EXPECT_EQ(Count(graph, "Unary"), 3u);  // two activations and the pooler's
  EXPECT_GT(quant::MeasureLowered(graph).error.sqnr_db(), 28);
}

TEST_P(Transformers, DecodersKeepTheirAccuracyAsIntegers) {
  const Graph graph = Imported(Decoder(GetParam()));
  EXPECT_EQ(Count(graph, "LayerNorm"), 5u);
  EXPECT_EQ(Count(graph, "Masked"), 2u);  // later elements and hidden ones, as one
  EXPECT_EQ(Count(graph, "Where"), 0u);
  EXPECT_GT(quant::MeasureLowered(graph).error.sqnr_db(), 28);
}

INSTANTIATE_TEST_SUITE_P(Exporters, Transformers,
                         testing::Values(TransformerStyle{11, "additive"}, TransformerStyle{12, "fill"},
                                         TransformerStyle{13, "least"}, TransformerStyle{14, "fill"},
                                         TransformerStyle{17, "additive"}, TransformerStyle{16, "sum"},
                                         TransformerStyle{17, "none"}),
                         [](const auto& info) { return info.param.mask + std::to_string(info.param.opset); });

// Positions that are counted at run time choose from their table.
TEST(TransformerPatterns, EncodersThatCountTheirPositions) {
  const Graph graph = Imported(CountingEncoder({14, "least"}));
  EXPECT_EQ(Count(graph, "CumulativeSum"), 1u);
  EXPECT_EQ(Count(graph, "Masked"), 1u);
  EXPECT_GT(quant::MeasureLowered(graph).error.sqnr_db(), 28);
}

// Angles and their functions are computed at import. Each feature passes through more sums and products of 8
// bits.
TEST(TransformerPatterns, DecodersThatTurnQueriesAndKeys) {
  const Graph graph = Imported(RotaryDecoder({14}));
  EXPECT_EQ(Count(graph, "RmsNorm"), 5u);
  EXPECT_EQ(Count(graph, "Masked"), 2u);
  EXPECT_EQ(Count(graph, "Unary"), 2u);
  EXPECT_GT(quant::MeasureLowered(graph).error.sqnr_db(), 25);
}

// The nodes that ONNX Runtime's optimizer makes of an attention: but for what moves elements, the operators
// that it stands for, on the same grids.
TEST(TransformerPatterns, FusedAttentionIsTheSameAttention) {
  for (const auto model : {&Encoder, &Decoder}) {
    const Graph apart = Imported(model({.opset = 13})),
                fused = Imported(model({.opset = 13, .is_fused = true}));
    EXPECT_EQ(fused.values[fused.inputs[1]].interval, (Interval{0, 1})) << "its mask";
    const auto computing = [](const Graph& graph) {
      std::vector<std::string> ops;
      for (const quant::Node& node : graph.nodes) {
        if (!quant::TraitsOf(node.op).moves) ops.emplace_back(quant::OpName(node.op));
      }
      return ops;
    };
    EXPECT_EQ(computing(fused), computing(apart));
    EXPECT_EQ(quant::MeasureLowered(fused).error.sqnr_db(), quant::MeasureLowered(apart).error.sqnr_db());
  }
}

TEST(TransformerInputs, IdsTakeWhatTheirTablesHaveAndMasksTakeFlags) {
  const Graph graph = Imported(Encoder({}));
  EXPECT_EQ(graph.values[graph.inputs[0]].interval, (Interval{0, kWords - 1}));
  EXPECT_EQ(graph.values[graph.inputs[1]].interval, (Interval{0, 1}));
  EXPECT_EQ(graph.values[graph.inputs[2]].interval, (Interval{0, 1}));
}

}  // namespace
}  // namespace tally::onnx
