// Whole networks with drawn weights, as ncnn, as ONNX and in the NHWC dialect: the same floats, and from the
// same calibration the same module where the formats say the same.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "quant/calibrate/calibrate.h"
#include "quant/graph/float_executor.h"
#include "quant/lower/lower.h"
#include "quant/passes/passes.h"
#include "serializer/module_id.h"
#include "tests/formats/network_writer.h"
#include "tests/formats/quantize_graph.h"

namespace tally {
namespace {

using quant::FloatTensor;
using quant::Graph;
using Blobs = std::vector<Blob>;

Blob NormedConv(NetworkWriter& n, const Blob& x, int64_t out, int64_t kernel, int64_t stride = 1,
                int64_t groups = 1) {
  return n.Norm(n.Conv(x, out, kernel, stride, groups));
}

void Classify(NetworkWriter& n, const Blob& x) { n.Output(n.Softmax(n.Dense(n.GlobalPool(x), 10))); }

// Iandola et al., 2016.
void SqueezeNet(NetworkWriter& n) {
  const auto fire = [&](const Blob& x, int64_t squeezed, int64_t expanded) {
    const Blobs both = n.Split(n.Relu(n.Conv(x, squeezed, 1)), 2);
    return n.Concat({n.Relu(n.Conv(both[0], expanded, 1)), n.Relu(n.Conv(both[1], expanded, 3))});
  };
  Blob x = n.MaxPool(n.Relu(n.Conv(n.x(), 16, 3, 2)), 3, 2);
  x = n.MaxPool(fire(fire(x, 4, 16), 4, 16), 3, 2);
  x = n.MaxPool(fire(fire(x, 8, 32), 8, 32), 3, 2);
  x = fire(fire(x, 12, 48), 16, 64);
  n.Output(n.Softmax(n.GlobalPool(n.Relu(n.Conv(x, 10, 1)))));
}

// Howard et al., 2017.
void MobileNetV1(NetworkWriter& n) {
  Blob x = n.Relu(NormedConv(n, n.x(), 8, 3, 2));
  for (const auto& [out, stride] : std::vector<std::pair<int64_t, int64_t>>{
           {16, 1}, {32, 2}, {32, 1}, {64, 2}, {64, 1}, {64, 1}, {128, 2}, {128, 1}}) {
    x = n.Relu6(NormedConv(n, x, x.channels, 3, stride, x.channels));
    x = n.Relu6(NormedConv(n, x, out, 1));
  }
  Classify(n, x);
}

// Sandler et al., 2018: a wide layer between narrow ones, around which the input is added.
Blob InvertedResidual(NetworkWriter& n, const Blob& x, int64_t wide, int64_t out, int64_t kernel,
                      int64_t stride, const std::function<Blob(const Blob&)>& f, bool gated = false) {
  const bool adds = stride == 1 && out == x.channels;
  const Blobs both = adds ? n.Split(x, 2) : Blobs{x};
  Blob y = f(NormedConv(n, both[0], wide, 1));
  y = f(NormedConv(n, y, wide, kernel, stride, wide));
  if (gated) {
    const Blobs gate = n.Split(y, 2);
    const Blob squeezed = n.Relu(n.Dense(n.GlobalPool(gate[0]), wide / 4));
    y = n.Gate(gate[1], n.HardSigmoid(n.Dense(squeezed, wide)));
  }
  y = NormedConv(n, y, out, 1);
  return adds ? n.Add(y, both[1]) : y;
}

void MobileNetV2(NetworkWriter& n) {
  const auto f = [&](const Blob& x) { return n.Relu6(x); };
  Blob x = f(NormedConv(n, n.x(), 8, 3, 2));
  for (const auto& [out, stride] : std::vector<std::pair<int64_t, int64_t>>{
           {8, 1}, {12, 2}, {12, 1}, {16, 2}, {16, 1}, {24, 2}, {24, 1}}) {
    x = InvertedResidual(n, x, 6 * x.channels, out, 3, stride, f);
  }
  Classify(n, f(NormedConv(n, x, 96, 1)));
}

// Howard et al., 2019.
void MobileNetV3(NetworkWriter& n) {
  const auto relu = [&](const Blob& x) { return n.Relu(x); };
  const auto swish = [&](const Blob& x) { return n.HardSwish(x); };
  Blob x = swish(NormedConv(n, n.x(), 8, 3, 2));
  x = InvertedResidual(n, x, 16, 8, 3, 2, relu, true);
  x = InvertedResidual(n, x, 24, 12, 3, 2, relu);
  x = InvertedResidual(n, x, 40, 12, 5, 1, swish, true);
  x = InvertedResidual(n, x, 48, 24, 5, 2, swish, true);
  x = InvertedResidual(n, x, 96, 24, 5, 1, swish, true);
  Classify(n, swish(NormedConv(n, x, 96, 1)));
}

// Zhang et al., 2017: 1x1 layers by groups, between which channels change places.
void ShuffleNetV1(NetworkWriter& n) {
  Blob x = n.MaxPool(n.Relu(NormedConv(n, n.x(), 24, 3, 2)), 3, 2);
  for (int i = 0; i < 3; ++i) {
    const Blobs both = n.Split(x, 2);
    Blob y = n.Shuffle(n.Relu(NormedConv(n, both[0], 12, 1, 1, 3)), 3);
    y = NormedConv(n, y, 12, 3, 1, 12);
    x = n.Relu(n.Add(NormedConv(n, y, 24, 1, 1, 3), both[1]));
  }
  Classify(n, x);
}

// Ma et al., 2018.
void ShuffleNetV2(NetworkWriter& n) {
  Blob x = n.MaxPool(n.Relu(NormedConv(n, n.x(), 24, 3, 2)), 3, 2);
  for (int i = 0; i < 3; ++i) {
    const Blobs both = n.Split(x, 2);
    Blob y = n.Relu(NormedConv(n, n.Part(both[1], 12, 24), 12, 1));
    y = n.Relu(NormedConv(n, NormedConv(n, y, 12, 3, 1, 12), 12, 1));
    x = n.Shuffle(n.Concat({n.Part(both[0], 0, 12), y}), 2);
  }
  Classify(n, x);
}

// He et al., 2015.
void ResNet(NetworkWriter& n, const std::vector<int>& blocks, bool bottleneck) {
  Blob x = n.MaxPool(n.Relu(NormedConv(n, n.x(), 8, 7, 2)), 3, 2);
  int64_t width = 8;
  for (size_t stage = 0; stage < blocks.size(); ++stage, width *= 2) {
    for (int i = 0; i < blocks[stage]; ++i) {
      const int64_t stride = stage > 0 && i == 0 ? 2 : 1, out = bottleneck ? 4 * width : width;
      const Blobs both = n.Split(x, 2);
      Blob y = bottleneck ? NormedConv(n, n.Relu(NormedConv(n, both[0], width, 1)), width, 3, stride)
                          : NormedConv(n, both[0], width, 3, stride);
      y = NormedConv(n, n.Relu(y), out, bottleneck ? 1 : 3);
      const bool same = stride == 1 && x.channels == out;
      x = n.Relu(n.Add(y, same ? both[1] : NormedConv(n, both[1], out, 1, stride)));
    }
  }
  Classify(n, x);
}

// Szegedy et al., 2014.
void GoogLeNet(NetworkWriter& n) {
  const auto inception = [&](const Blob& x, int64_t w) {
    const Blobs four = n.Split(x, 4);
    return n.Concat({n.Relu(n.Conv(four[0], w, 1)), n.Relu(n.Conv(n.Relu(n.Conv(four[1], w, 1)), 2 * w, 3)),
                     n.Relu(n.Conv(n.Relu(n.Conv(four[2], w / 2, 1)), w, 5)),
                     n.Relu(n.Conv(n.MaxPool(four[3], 3, 1), w, 1))});
  };
  Blob x = n.MaxPool(n.Relu(n.Conv(n.x(), 8, 7, 2)), 3, 2);
  x = n.MaxPool(inception(inception(x, 4), 6), 3, 2);
  x = n.MaxPool(inception(inception(inception(x, 8), 8), 8), 3, 2);
  Classify(n, inception(x, 12));
}

const std::vector<std::pair<std::string, void (*)(NetworkWriter&)>> kNetworks = {
    {"SqueezeNet", SqueezeNet},
    {"MobileNetV1", MobileNetV1},
    {"MobileNetV2", MobileNetV2},
    {"MobileNetV3", MobileNetV3},
    {"ShuffleNetV1", ShuffleNetV1},
    {"ShuffleNetV2", ShuffleNetV2},
    {"ResNet18",
     [](NetworkWriter& n) {
       ResNet(n, {2, 2, 2, 2}, false);
     }},
    {"ResNet50",
     [](NetworkWriter& n) {
       ResNet(n, {3, 4, 6, 3}, true);
     }},
    {"GoogLeNet", GoogLeNet},
};

constexpr int64_t kSize = 32;

FloatTensor ChannelsLast(const FloatTensor& x) {
  const int64_t c = x.shape[1], pixels = x.shape[2] * x.shape[3];
  FloatTensor y{{1, x.shape[2], x.shape[3], c}, {}};
  for (int64_t p = 0; p < pixels; ++p) {
    for (int64_t i = 0; i < c; ++i) y.data.push_back(x.data[static_cast<size_t>(i * pixels + p)]);
  }
  return y;
}

FloatTensor RunFloat(const Graph& graph, const FloatTensor& x) {
  const auto results = quant::RunGraph(graph, std::vector<FloatTensor>{x});
  EXPECT_TRUE(results.ok()) << results.status();
  return results.ok() ? std::get<FloatTensor>((*results)[0]) : FloatTensor();
}

void ExpectNear(const FloatTensor& actual, const FloatTensor& expected) {
  ASSERT_EQ(actual.shape, expected.shape);
  for (size_t i = 0; i < actual.data.size(); ++i) ASSERT_NEAR(actual.data[i], expected.data[i], 1e-5) << i;
}

class Networks : public testing::TestWithParam<int> {};

TEST_P(Networks, AreTheSameInEachFormat) {
  NetworkWriter n(3, kSize);
  kNetworks[static_cast<size_t>(GetParam())].second(n);
  const FloatTensor x{{1, 3, kSize, kSize}, n.Drawn(3 * kSize * kSize, 1)};
  const auto ncnn = n.ncnn().Import();
  ASSERT_TRUE(ncnn.ok()) << ncnn.status();
  const auto onnx = n.onnx().Import();
  ASSERT_TRUE(onnx.ok()) << onnx.status();
  const FloatTensor y = RunFloat(*ncnn, x);
  ExpectNear(RunFloat(*onnx, x), y);
  const QuantizedGraph from_ncnn = QuantizeGraph(*ncnn, {x}), from_onnx = QuantizeGraph(*onnx, {x});
  ASSERT_TRUE(from_ncnn.module && from_onnx.module);
  EXPECT_GT(from_ncnn.accuracy.worst_sqnr_db(), 15);
  EXPECT_EQ(ModuleId(from_ncnn.module->module()), ModuleId(from_onnx.module->module()));
  if (!n.has_nhwc()) return;
  const auto nhwc = n.nhwc().Import({.dialect = onnx::Dialect::kNhwc});
  ASSERT_TRUE(nhwc.ok()) << nhwc.status();
  ExpectNear(RunFloat(*nhwc, ChannelsLast(x)), y);
  // Its input is another one, so its module is too: as accurate, with one transpose, or none in a list.
  const QuantizedGraph from_nhwc = QuantizeGraph(*nhwc, {ChannelsLast(x)});
  ASSERT_TRUE(from_nhwc.module);
  EXPECT_GT(from_nhwc.accuracy.worst_sqnr_db(), 15);
}

INSTANTIATE_TEST_SUITE_P(All, Networks, testing::Range(0, static_cast<int>(kNetworks.size())),
                         [](const auto& info) { return kNetworks[static_cast<size_t>(info.param)].first; });

}  // namespace
}  // namespace tally
