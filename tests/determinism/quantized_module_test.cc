// The same weights and the same calibration file give the same module, byte for byte, on every machine: its
// id is written here. It changes with what the quantizer chooses, and with nothing else.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <utility>
#include <variant>

#include "base/hash/digest.h"
#include "quant/calibrate/calibration.h"
#include "quant/calibrate/calibration_json.h"
#include "quant/graph/graph_builder.h"
#include "quant/lower/lower.h"
#include "serializer/module_id.h"

namespace tally::quant {
namespace {

// Weights of 64ths, exact on every machine.
FloatTensor Weights(const Shape& shape, uint32_t seed) {
  std::mt19937 random(seed);
  FloatTensor tensor{shape, {}};
  for (int64_t i = 0; i < NumElements(shape); ++i) {
    tensor.data.push_back(static_cast<float>(static_cast<int>(random() % 1001) - 500) / 64);
  }
  return tensor;
}

Graph Network() {
  GraphBuilder b("golden");
  const ValueId image = *b.AddInput("image", {1, 3, 6, 6});
  const ValueId w1 = *b.AddConstant("w1", Weights({8, 3, 3, 3}, 1)),
                b1 = *b.AddConstant("b1", Weights({8}, 2));
  const ValueId conv = *b.AddNode(Conv{{1, 1}, {1, 1}, {1, 1, 1, 1}, 1}, {image, w1, b1}, "conv", "conv");
  const ValueId relu = *b.AddNode(Relu{}, {conv}, "relu", "relu");
  const ValueId w2 = *b.AddConstant("w2", Weights({8, 1, 3, 3}, 3));
  const ValueId depthwise =
      *b.AddNode(Conv{{1, 1}, {1, 1}, {1, 1, 1, 1}, 8}, {relu, w2}, "depthwise", "depthwise");
  const ValueId sum = *b.AddNode(Add{}, {depthwise, relu}, "sum", "add");
  const ValueId pool = *b.AddNode(GlobalAveragePool{}, {sum}, "pool", "pool");
  const ValueId row = *b.AddNode(Reshape{{1, 8}}, {pool}, "row", "reshape");
  const ValueId w3 = *b.AddConstant("w3", Weights({5, 8}, 4)), b3 = *b.AddConstant("b3", Weights({5}, 5));
  b.AddOutput(*b.AddNode(Dense{}, {row, w3, b3}, "scores", "dense"));
  return *std::move(b).Build();
}

// A file with counts that fall off to both sides, and tails.
std::string CalibrationFile(const Graph& graph) {
  std::mt19937 random(6);
  Calibration calibration{32};
  for (const Value& value : graph.values) {
    if (value.producer != kGraphInput && std::holds_alternative<Constant>(graph.nodes[value.producer].op))
      continue;
    ValueHistogram histogram = {.exponent = -4, .zeros = 77, .first = -300, .counts = {}};
    int64_t count = histogram.zeros;
    for (int64_t bin = -300; bin < 1000; ++bin) {
      const int64_t near = std::max<int64_t>(300 - std::abs(bin - 20), 0);
      histogram.counts.push_back(near * near + static_cast<int64_t>(random() % 3));
      count += histogram.counts.back();
    }
    histogram.counts.front() += 1;
    histogram.counts.back() += 1;
    calibration.values[value.name] = {-18.75f, 62.5f, count + 2};
    calibration.histograms[value.name] = histogram;
  }
  for (const char* name : {"image", "relu"}) {
    const int64_t channels = name == std::string("image") ? 3 : 8;
    for (int64_t c = 0; c < channels; ++c)
      calibration.means[name].push_back(static_cast<float>(c) / 8 + 0.125f);
  }
  calibration.widths = {.values = {"sum", "relu"}, .products = {"depthwise"}, .weights = {"scores"}};
  return ToJson(calibration);
}

TEST(QuantizedModule, TheSameFilesGiveTheSameBytesOnEveryMachine) {
  const Graph graph = Network();
  const auto calibration = CalibrationFromJson(CalibrationFile(graph));
  ASSERT_TRUE(calibration.ok()) << calibration.status();
  const auto id_of = [&](ClipMethod method) {
    const auto module = LowerToModule(graph, *calibration, {.method = method});
    return module.ok() ? ToHex(ModuleId(*module)) : std::string(module.status().message());
  };
  EXPECT_EQ(id_of(ClipMethod::kMse), "d72750bec013fcbc57b065d087c31d38c97e14dcd6b44979560e63c0b022e605");
  EXPECT_EQ(id_of(ClipMethod::kPercentile),
            "416b860958254752e5dbeff0ba25fc0078a9b02ff87575cc9761fbb6bc1fc650");
  EXPECT_EQ(id_of(ClipMethod::kKl), "e5328a623f55dd7fb2744dcad0f29c34c88a06ac267e79cf3fe01e1d5006ae9a");
  EXPECT_EQ(id_of(ClipMethod::kAbsMax), "293165ab50d077c8b102933a43b2da602b879c062ae8d8d1d11edc815558ac54");
}

}  // namespace
}  // namespace tally::quant
