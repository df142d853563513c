#include <gtest/gtest.h>

#include <string>

#include "cli/layers/graph_picture.h"
#include "cli/layers/layer_page.h"
#include "cli/layers/layer_text.h"
#include "cli/layers/markup.h"

namespace tally::cli {
namespace {

using quant::LayerAccuracies;
using quant::LayerAccuracy;

// x -> "<conv>" -> y, and y reads x too; x is exact.
LayerAccuracies Three() {
  LayerAccuracies three = {.samples = 4, .layers = {}};
  for (const char* name : {"x", "<conv>", "y"}) {
    LayerAccuracy layer = {.name = name, .op = "Add", .source = "node \"1\" & so on", .shape = {1, 2}};
    layer.type = {.scale = 0.5, .zero_point = 1, .interval = {-128, 127}};
    layer.histogram.low = -80;
    layer.histogram.high = 80;
    layer.histogram.Add(1);
    layer.error.Add(1, name[0] == 'x' ? 1 : 1.1);
    layer.elements = 2;
    layer.saturated = 1;
    layer.largest_code = 127;
    layer.headroom_bits = 47;
    three.layers.push_back(layer);
  }
  three.layers[1].reads = {0};
  three.layers[2].reads = {0, 1};
  three.layers[2].loss_db = 1.25;
  three.layers[1].alone_db = 31.5;
  return three;
}

bool Has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(LayerText, LinesAndTables) {
  const LayerAccuracies three = Three();
  EXPECT_EQ(LayerLine(three.layers[0]), "'x' (Add): equal, 50.00 % clipped, 50 % of its grid used");
  EXPECT_EQ(LayerLine(three.layers[2]),
            "'y' (Add): 20.0 dB, 1.2 dB less than what it reads, 50.00 % clipped, 50 % of its grid used");
  EXPECT_TRUE(
      Has(LayerTable(three), "   20.0    1.2         1.00000      0.2   50.00%   50%    47  y (Add)"));
  EXPECT_TRUE(Has(LayerTable(three), "   20.0          31.5  1.00000"));
  EXPECT_TRUE(Has(LayerTable(three), "  equal"));
}

TEST(LayerText, JsonHasAll) {
  const Json json = LayersToJson(Three());
  ASSERT_EQ(json.size(), 3u);
  EXPECT_TRUE(json[0]["sqnr_db"].is_null());
  EXPECT_NEAR(json[1]["sqnr_db"].get<double>(), 20, 1e-6);
  EXPECT_TRUE(json[1]["loss_db"].is_null());
  EXPECT_EQ(json[2]["loss_db"], 1.25);
  EXPECT_EQ(json[1]["alone_db"], 31.5);
  EXPECT_TRUE(json[2]["alone_db"].is_null());
  EXPECT_EQ(json[2]["headroom_bits"], 47);
  EXPECT_EQ(json[2]["reads"], (Json{"x", "<conv>"}));
  EXPECT_EQ(json[2]["interval"], (Json{-128, 127}));
  EXPECT_EQ(json[2]["histogram"]["counts"].size(), 64u);
}

TEST(LayerText, CsvQuotesNames) {
  const std::string csv = LayersToCsv(Three());
  EXPECT_TRUE(csv.starts_with("name,operator,"));
  EXPECT_TRUE(Has(csv, "\r\n\"x\",Add,\"node \"\"1\"\" & so on\",1x2,,,,1,0,0.5,0.5,47,0.5,1,-128,127\r\n"));
}

TEST(LayerPage, LoadsNothingAndEscapesNames) {
  const std::string page = LayerPage({"<net>.onnx", "00ff"}, Three());
  EXPECT_FALSE(Has(page, "<conv>"));
  EXPECT_FALSE(Has(page, "<net>"));
  EXPECT_TRUE(Has(page, "&lt;conv&gt;"));
  EXPECT_TRUE(Has(page, "node &quot;1&quot; &amp; so on"));
  EXPECT_FALSE(Has(page, "<script"));
  EXPECT_FALSE(Has(page, "src="));
  EXPECT_FALSE(Has(page, "url("));
  EXPECT_FALSE(Has(page, "://"));
  EXPECT_TRUE(Has(page, "00ff"));
  EXPECT_TRUE(Has(page, "id=\"layer-2\""));
}

TEST(GraphPicture, HasABoxForEachLayerAndALineForEachRead) {
  const std::string svg = GraphPicture(Three());
  const auto count = [&](const std::string& part) {
    int found = 0;
    for (size_t at = svg.find(part); at != std::string::npos; at = svg.find(part, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count("<rect"), 3);
  EXPECT_EQ(count("<path"), 3);
  EXPECT_EQ(count("href=\"#layer-"), 3);
}

TEST(Markup, Numbers) {
  EXPECT_EQ(Coordinate(1.5), "1.5");
  EXPECT_EQ(Coordinate(2), "2");
  EXPECT_EQ(Coordinate(100), "100");
  EXPECT_EQ(Coordinate(0.126), "0.13");
  EXPECT_EQ(ColorOf(0), "hsl(0,70%,80%)");
  EXPECT_EQ(ColorOf(1e9), "hsl(120,70%,80%)");
}

}  // namespace
}  // namespace tally::cli
