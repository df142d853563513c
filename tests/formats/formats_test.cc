// A model of every row of a format's table, from its files to the cpu engine. What it computes is said by a
// definition in Python (write_cases.py); that no row is missing is checked here too.
//
// Inputs and weights are on grids of 8 bits, so that what differs comes of the rounding of results: at most
// half a unit of the output's grid, or, of layers that are several in the graph, as many units of 8 bits as
// the case says.
#include "frontends/formats.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "base/status_macros.h"
#include "quant/graph/float_executor.h"
#include "quant/passes/fold_inputs.h"
#include "tests/formats/case_files.h"
#include "tests/formats/quantize_graph.h"

namespace tally {
namespace {

using Json = nlohmann::json;
using quant::FloatTensor;
using quant::Graph;

// Scales have 24 bits, so that products of two are exact, and codes 16: what half a unit grows by.
constexpr double kHalfUnit = 0.5 + 1.0 / 256;

absl::StatusOr<Graph> Import(const Json& test) {
  ASSIGN_OR_RETURN(const frontend::Network network, ImportFiles(test, Bytes(test["model"])));
  std::vector<quant::InputMeaning> meanings;
  for (const frontend::PixelInput& input : network.pixels) {
    ASSIGN_OR_RETURN(meanings.emplace_back(), quant::MeaningOfPixels(input.name, input.scale, input.bias));
  }
  ASSIGN_OR_RETURN(quant::FoldedGraph folded, quant::FoldInputs(network.graph, meanings));
  return std::move(folded.graph);
}

// Arrays with the shapes of the graph, which may have a batch of 1 in front.
std::vector<FloatTensor> Tensors(const Json& arrays, const Graph& graph,
                                 const std::vector<quant::ValueId>& ids) {
  std::vector<FloatTensor> tensors;
  for (size_t i = 0; i < arrays.size(); ++i) {
    const quant::Shape& shape = graph.values[ids[i]].type.shape;
    quant::Shape stated = arrays[i]["shape"].get<quant::Shape>();
    if (stated.size() < shape.size()) stated.insert(stated.begin(), 1);
    EXPECT_EQ(shape, stated);
    tensors.push_back({shape, arrays[i]["data"].get<std::vector<float>>()});
    EXPECT_EQ(static_cast<size_t>(quant::NumElements(shape)), tensors.back().data.size());
  }
  return tensors;
}

void ExpectNear(const FloatTensor& actual, const FloatTensor& expected) {
  ASSERT_EQ(actual.shape, expected.shape);
  for (size_t i = 0; i < actual.data.size(); ++i) {
    ASSERT_NEAR(actual.data[i], expected.data[i], 1e-5 * (1 + std::abs(expected.data[i]))) << "element " << i;
  }
}

// How far the module is from the float graph on these inputs: the worst of all outputs.
struct Distance {
  double in_units = 0;            // one unit: a step of the output's grid
  double in_units_of_8_bits = 0;  // one unit: a 255th of what the output spans
};

Distance DistanceOf(Graph graph, const std::vector<FloatTensor>& inputs,
                    const std::vector<FloatTensor>& outputs) {
  const QuantizedGraph quantized = QuantizeGraph(std::move(graph), inputs);
  if (quantized.module == nullptr) return {};
  Distance worst;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto [low, high] = std::ranges::minmax(outputs[i].data);
    const double unit = (std::max(high, 0.0f) - std::min(low, 0.0f)) / 255;
    const double error = quantized.accuracy.outputs[i].error.largest();
    worst.in_units = std::max(worst.in_units, error / quantized.accuracy.outputs[i].step);
    worst.in_units_of_8_bits = std::max(worst.in_units_of_8_bits, error / unit);
  }
  return worst;
}

TEST(Formats, EveryModelIsWhatItsDefinitionSays) {
  std::map<std::string, std::vector<Distance>> worst;  // by row
  for (const Json& test : Cases()) {
    const std::string row = test["format"].get<std::string>() + " " + test["name"].get<std::string>() + ", " +
                            test["status"].get<std::string>();
    SCOPED_TRACE(row);
    const auto graph = Import(test);
    ASSERT_TRUE(graph.ok()) << graph.status();
    const std::vector<FloatTensor> inputs = Tensors(test["inputs"], *graph, graph->inputs);
    std::vector<quant::ValueId> outputs;
    for (const quant::Output& output : graph->outputs) outputs.push_back(output.value);
    const std::vector<FloatTensor> expected = Tensors(test["outputs"], *graph, outputs);
    const auto results = quant::RunGraph(*graph, inputs);
    ASSERT_TRUE(results.ok()) << results.status();
    for (size_t i = 0; i < expected.size(); ++i)
      ExpectNear(std::get<FloatTensor>((*results)[i]), expected[i]);
    const Distance off = DistanceOf(*graph, inputs, expected);
    const double composed = test["composed"];
    if (composed > 0) {
      EXPECT_LE(off.in_units_of_8_bits, composed);
    } else {
      EXPECT_LE(off.in_units, kHalfUnit);
    }
    worst[row + (composed > 0 ? ", composed" : "")].push_back(off);
  }
  for (const auto& [row, offs] : worst) {
    double units = 0, of_8_bits = 0;
    for (const Distance& off : offs) {
      units = std::max(units, off.in_units);
      of_8_bits = std::max(of_8_bits, off.in_units_of_8_bits);
    }
    std::cout << row << ": " << units << " units, " << of_8_bits << " of 8 bits\n";
  }
}

// The column `import`: a row counts by a case above.
TEST(Formats, TheColumnImportSaysWhatHasACase) {
  for (const auto& [format, path, rows] :
       {std::tuple("coreml", "docs/coverage/coreml.tsv", 250),
        std::tuple("ncnn", "docs/coverage/ncnn.tsv", 77),
        std::tuple("nhwc", "docs/coverage/nhwc_onnx.tsv", 37),
        std::tuple("openvino", "docs/coverage/openvino_opset1.tsv", 115)}) {
    std::ifstream table(path);
    int count = 0;
    std::string line;
    for (std::getline(table, line); std::getline(table, line); ++count) {
      std::vector<std::string> fields;
      std::istringstream stream(line + "\t");
      for (std::string field; std::getline(stream, field, '\t');) fields.push_back(field);
      ASSERT_EQ(fields.size(), 5u) << line;
      const bool has_case = std::ranges::any_of(
          Cases(), [&](const Json& test) { return test["format"] == format && test["name"] == fields[0]; });
      EXPECT_EQ(fields[3], has_case ? "floats" : "none") << line;
    }
    EXPECT_EQ(count, rows);
  }
}

}  // namespace
}  // namespace tally
