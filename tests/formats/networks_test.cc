// Whole networks with drawn weights, as ncnn, as ONNX, as OpenVINO's IR, as Core ML and in the NHWC dialect:
// the same floats, and from the same calibration the same module where the formats say the same.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
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
  const auto ir = n.ir().Import();
  ASSERT_TRUE(ir.ok()) << ir.status();
  ExpectNear(RunFloat(*ir, x), y);
  const QuantizedGraph from_ir = QuantizeGraph(*ir, {x});
  ASSERT_TRUE(from_ir.module);
  EXPECT_EQ(ModuleId(from_ir.module->module()), ModuleId(from_onnx.module->module()));
  for (coreml::CoremlWriter* form : {&n.coreml(), &n.coreml_five()}) {
    if (form == &n.coreml_five() && !n.has_five()) continue;
    const auto coreml = form->Import();
    ASSERT_TRUE(coreml.ok()) << coreml.status();
    ExpectNear(RunFloat(coreml->graph, x), y);
    const QuantizedGraph from_coreml = QuantizeGraph(coreml->graph, {x});
    ASSERT_TRUE(from_coreml.module);
    EXPECT_EQ(ModuleId(from_coreml.module->module()), ModuleId(from_onnx.module->module()));
  }
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

// A chain of drawn layers: what one writer wrote twice is read as one graph.
TEST(Networks, DrawnOnesAreTheSameGraph) {
  for (uint32_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto draw = [&](int64_t most) {
      return 1 + static_cast<int64_t>(random() % static_cast<uint32_t>(most));
    };
    NetworkWriter n(2 * draw(3), 4 + draw(8), seed);
    const Blob first = n.x();
    Blob x = first;
    for (int i = 0; i < 6; ++i) {
      switch (random() % 9) {
        case 0: x = n.Conv(x, 2 * draw(4), draw(3), draw(2)); break;
        case 1: x = n.Conv(x, x.channels, 3, draw(2), x.channels); break;
        case 2: x = n.Norm(x); break;
        case 3: x = n.Relu(x); break;
        case 4: x = n.Sigmoid(x); break;
        case 5: x = n.MaxPool(x, 1 + draw(2), draw(2)); break;
        case 6: x = n.Shuffle(x, 2); break;
        case 7: {
          const Blobs both = n.Split(x, 2);
          x = n.Add(n.HardSwish(both[0]), both[1]);
          break;
        }
        default: {
          const Blobs both = n.Split(x, 2);
          x = n.Concat({n.Relu6(both[0]), n.Part(both[1], 0, x.channels / 2)});
          if (x.channels % 2 == 1) x = n.Part(x, 0, x.channels - 1);
        }
      }
    }
    n.Output(n.Dense(n.GlobalPool(x), 3));
    const auto ncnn = n.ncnn().Import(), onnx = n.onnx().Import(), ir = n.ir().Import();
    ASSERT_TRUE(ncnn.ok()) << ncnn.status();
    ASSERT_TRUE(onnx.ok()) << onnx.status();
    ASSERT_TRUE(ir.ok()) << ir.status();
    EXPECT_EQ(onnx::OpsOf(*ncnn), onnx::OpsOf(*onnx));
    const FloatTensor image{{1, first.channels, first.size, first.size},
                            n.Drawn(first.channels * first.size * first.size, 1)};
    ExpectNear(RunFloat(*onnx, image), RunFloat(*ncnn, image));
    ExpectNear(RunFloat(*ir, image), RunFloat(*ncnn, image));
    const auto coreml = n.coreml().Import(), five = n.coreml_five().Import();
    ASSERT_TRUE(coreml.ok()) << coreml.status();
    ExpectNear(RunFloat(coreml->graph, image), RunFloat(*ncnn, image));
    if (!n.has_five()) continue;
    ASSERT_TRUE(five.ok()) << five.status();
    ExpectNear(RunFloat(five->graph, image), RunFloat(*ncnn, image));
  }
}

// Two maps of a MobileNet, each with boxes and classes for its cells, as Caffe's SSD has them. Boxes come out
// in an order of scores, so codes may change places: what has to be equal is which of the engines runs it.
TEST(Detectors, SsdOfTwoMaps) {
  constexpr int64_t kClasses = 4, kBoxes = 3;
  NetworkWriter n(3, kSize);
  ncnn::NcnnWriter& net = n.ncnn();
  const Blobs images = n.Split(n.x(), 3);
  Blob x = n.Relu(NormedConv(n, images[0], 8, 3, 2));
  x = n.Relu(NormedConv(n, n.Relu(NormedConv(n, x, 8, 3, 2, 8)), 16, 1));
  const Blobs first = n.Split(n.Relu(NormedConv(n, x, 24, 3, 2)), 4);
  const Blobs second = n.Split(n.Relu(NormedConv(n, first[3], 32, 3, 2)), 3);
  std::vector<std::string> places, scores, priors;
  for (const auto& [map, image, size] :
       {std::tuple{first, images[1], "8.0"}, std::tuple{second, images[2], "16.0"}}) {
    for (auto [list, in, each] : {std::tuple{&places, map[0], int64_t{4}}, {&scores, map[1], kClasses}}) {
      const std::string name = n.Conv(in, kBoxes * each, 3).ncnn;
      net.Layer("Permute", {name}, {name + "p"}, "0=3").Layer("Flatten", {name + "p"}, {name + "f"});
      list->push_back(name + "f");
    }
    priors.push_back("priors" + std::to_string(priors.size()));
    net.Layer("PriorBox", {map[2].ncnn, image.ncnn}, {priors.back()},
              "-23300=1," + std::string(size) + " -23302=1,2.0 7=1 9=-233 10=-233 13=0.5");
  }
  net.Layer("Concat", places, {"places"}, "0=0").Layer("Concat", scores, {"flat"}, "0=0");
  net.Layer("Concat", priors, {"priors"}, "0=1");
  net.Layer("Reshape", {"flat"}, {"rows"}, "0=4 1=-1").Layer("Softmax", {"rows"}, {"shares"}, "0=1 1=1");
  net.Layer("Flatten", {"shares"}, {"scores"});
  net.Layer("DetectionOutput", {"places", "scores", "priors"}, {"y"}, "0=4 1=0.45 2=60 3=20 4=0.2");
  const auto graph = net.Import();
  ASSERT_TRUE(graph.ok()) << graph.status();
  const FloatTensor image{{1, 3, kSize, kSize}, n.Drawn(3 * kSize * kSize, 1)};
  const FloatTensor rows = RunFloat(*graph, image);
  EXPECT_EQ(rows.shape, (quant::Shape{1, 20, 6}));
  EXPECT_GT(rows.data[1], 0.2f);  // the best score is above the threshold
  EXPECT_TRUE(QuantizeGraph(*graph, {image}).module);
}

// Two maps with three anchors each, as in YOLO v3 with few layers.
TEST(Detectors, YoloOfTwoMaps) {
  NetworkWriter n(3, kSize);
  Blob x = n.Relu(NormedConv(n, n.x(), 8, 3, 2));
  const Blobs first = n.Split(n.Relu(NormedConv(n, n.Relu(NormedConv(n, x, 16, 3, 2)), 24, 3, 2)), 2);
  const Blob second = n.Relu(NormedConv(n, first[0], 32, 3, 2));
  const Blob coarse = n.Conv(second, 3 * (5 + 4), 1), fine = n.Conv(first[1], 3 * (5 + 4), 1);
  n.ncnn().Layer("Yolov3DetectionOutput", {coarse.ncnn, fine.ncnn}, {"y"},
                 "0=4 1=3 2=0.3 3=0.45 -23304=12,2.0,3.0,4.0,4.0,6.0,5.0,8.0,9.0,12.0,10.0,16.0,20.0 "
                 "-23305=6,3,4,5,0,1,2 -23306=2,17.0,8.5");
  const auto graph = n.ncnn().Import();
  ASSERT_TRUE(graph.ok()) << graph.status();
  const FloatTensor image{{1, 3, kSize, kSize}, n.Drawn(3 * kSize * kSize, 1)};
  EXPECT_GT(RunFloat(*graph, image).data[1], 0.3f);
  EXPECT_TRUE(QuantizeGraph(*graph, {image}).module);
}

// Dosovitskiy et al., 2020: parts of an image as a sequence. Attention is one layer of ncnn, and products of
// matrices in ONNX.
TEST(Networks, AVisionTransformerIsTheSame) {
  constexpr int64_t kWidth = 16, kHeads = 2, kParts = 16;
  NetworkWriter n(3, kSize);
  ncnn::NcnnWriter& net = n.ncnn();
  onnx::ModelBuilder& model = n.onnx();
  const auto constant = [&](const std::string& name, const quant::Shape& shape, std::vector<float> data) {
    model.Weight(name, {shape, std::move(data)});
    return name;
  };
  const auto integers = [&](const std::string& name, std::vector<int64_t> list) {
    model.Integers(name, {{std::ssize(list)}, std::move(list)});
    return name;
  };
  const Blob patches = n.Conv(n.x(), kWidth, 8, 8);
  net.Layer("Reshape", {patches.ncnn}, {"columns"}, "0=16 1=16").Layer("Permute", {"columns"}, {"t"}, "0=1");
  model.Node("Reshape", {patches.onnx, integers("columns", {1, kWidth, kParts})}, {"cols"});
  model.Node("Transpose", {"cols"}, {"t"}).Ints("perm", {0, 2, 1});
  // Scale and bias of a norm, in both.
  const auto norm = [&](const std::string& x, const std::string& y) {
    const std::vector<float> scale = n.Drawn(kWidth, 0.2, 1), bias = n.Drawn(kWidth, 0.2);
    net.Layer("LayerNorm", {x}, {y}, "0=16 1=0.0078125").Raw(scale).Raw(bias);
    model
        .Node("LayerNormalization",
              {x, constant(y + "s", {kWidth}, scale), constant(y + "b", {kWidth}, bias)}, {y})
        .Int("axis", -1)
        .Float("epsilon", 1.0f / 128);
  };
  // y = x W^T + b of ONNX; the weight W and the bias.
  const auto linear = [&](const std::string& x, const std::string& y, int64_t in, int64_t out) {
    std::vector<float> weight = n.Drawn(in * out, 1 / std::sqrt(static_cast<double>(in))),
                       bias = n.Drawn(out, 0.1);
    model.Node("Transpose", {constant(y + "w", {out, in}, weight)}, {y + "t"}).Ints("perm", {1, 0});
    model.Node("MatMul", {x, y + "t"}, {y + "m"});
    model.Node("Add", {y + "m", constant(y + "b", {out}, bias)}, {y});
    return std::pair(weight, bias);
  };
  net.Layer("Split", {"t"}, {"t0", "t1"});
  model.Node("Identity", {"t"}, {"t0"});
  norm("t0", "n");
  net.Layer("MultiHeadAttention", {"n"}, {"a"}, "0=16 1=2 2=256");
  const std::string heads = integers("heads", {1, kParts, kHeads, kWidth / kHeads}),
                    joined = integers("joined", {1, kParts, kWidth});
  for (const std::string part : {"q", "k", "v"}) {
    const auto [weight, bias] = linear("n", part, kWidth, kWidth);
    net.Tagged(weight).Raw(bias);
    model.Node("Reshape", {part, heads}, {part + "h"});
    model.Node("Transpose", {part + "h"}, {part + "s"})
        .Ints("perm", part == "k" ? std::vector<int64_t>{0, 2, 3, 1} : std::vector<int64_t>{0, 2, 1, 3});
  }
  model.Node("MatMul", {"qs", "ks"}, {"products"});
  model.Node("Mul", {"products", constant("root", {}, {1 / std::sqrt(8.0f)})}, {"scaled"});
  model.Node("Softmax", {"scaled"}, {"shares"}).Int("axis", -1);
  model.Node("MatMul", {"shares", "vs"}, {"mixed"});
  model.Node("Transpose", {"mixed"}, {"turned"}).Ints("perm", {0, 2, 1, 3});
  model.Node("Reshape", {"turned", joined}, {"together"});
  const auto [weight, bias] = linear("together", "a", kWidth, kWidth);
  net.Tagged(weight).Raw(bias);
  net.Layer("BinaryOp", {"a", "t1"}, {"r"}).Layer("Split", {"r"}, {"r0", "r1"});
  model.Node("Add", {"a", "t"}, {"r"});
  model.Node("Identity", {"r"}, {"r0"});
  norm("r0", "o");
  const auto [wide, wide_bias] = linear("o", "wide", kWidth, 4 * kWidth);
  net.Layer("InnerProduct", {"o"}, {"wide"}, "0=64 1=1 2=1024").Tagged(wide).Raw(wide_bias);
  net.Layer("GELU", {"wide"}, {"bent"});
  model.Node("Div", {"wide", constant("two", {}, {std::sqrt(2.0f)})}, {"halved"});
  model.Node("Erf", {"halved"}, {"erf"});
  model.Node("Add", {"erf", constant("one", {}, {1})}, {"gate"});
  model.Node("Mul", {"wide", "gate"}, {"gated"});
  model.Node("Mul", {"gated", constant("half", {}, {0.5f})}, {"bent"});
  const auto [narrow, narrow_bias] = linear("bent", "narrow", 4 * kWidth, kWidth);
  net.Layer("InnerProduct", {"bent"}, {"narrow"}, "0=16 1=1 2=1024").Tagged(narrow).Raw(narrow_bias);
  net.Layer("BinaryOp", {"narrow", "r1"}, {"s"})
      .Layer("Reduction", {"s"}, {"mean"}, "0=3 1=0 -23303=1,0 5=1");
  model.Node("Add", {"narrow", "r"}, {"s"});
  model.Node("ReduceMean", {"s"}, {"mean"}).Ints("axes", {1}).Int("keepdims", 0);
  n.Output(n.Softmax(n.Dense({"mean", "mean", patches.nhwc, patches.ir, kWidth, 0}, 10)));
  const auto ncnn = net.Import(), onnx = model.Import();
  ASSERT_TRUE(ncnn.ok()) << ncnn.status();
  ASSERT_TRUE(onnx.ok()) << onnx.status();
  const FloatTensor image{{1, 3, kSize, kSize}, n.Drawn(3 * kSize * kSize, 1)};
  ExpectNear(RunFloat(*onnx, image), RunFloat(*ncnn, image));
  for (const Graph& graph : {*ncnn, *onnx})
    EXPECT_GT(QuantizeGraph(graph, {image}).accuracy.worst_sqnr_db(), 15);
}

}  // namespace
}  // namespace tally
