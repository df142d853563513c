// Each layer type against what ncnn's document and code say of it, by hand.
#include "frontends/ncnn/import_ncnn.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "frontends/ncnn/testing/ncnn_writer.h"

namespace tally::ncnn {
namespace {

using Floats = std::vector<float>;
using Blob = std::vector<int64_t>;
using Write = std::function<void(NcnnWriter&)>;

NcnnWriter Net(const std::string& type, const std::string& params, const Blob& blob, const Write& weights) {
  NcnnWriter net;
  net.Input("x", blob).Layer(type, {"x"}, {"y"}, params);
  if (weights) weights(net);
  return net;
}

Floats Of(const std::string& type, const std::string& params, const Blob& blob, const Floats& x,
          const Write& weights = {}) {
  const auto outputs = Net(type, params, blob, weights).Run({x});
  return outputs.empty() ? Floats() : outputs[0];
}

void ExpectNear(const Floats& actual, const Floats& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i)
    EXPECT_NEAR(actual[i], expected[i], 1e-5 * (1 + std::abs(expected[i]))) << i;
}

// A function of each element.
void ExpectFunction(const std::string& type, const std::string& params, double (*f)(double),
                    const Floats& x = {-2, -0.5f, 0, 0.75f, 3}) {
  Floats expected;
  for (const float v : x) expected.push_back(static_cast<float>(f(v)));
  SCOPED_TRACE(type + " " + params);
  ExpectNear(Of(type, params, {static_cast<int64_t>(x.size())}, x), expected);
}

TEST(ImportNcnn, FunctionsOfOneElement) {
  ExpectFunction("AbsVal", "", [](double x) { return std::abs(x); });
  ExpectFunction("BNLL", "", [](double x) { return std::log1p(std::exp(x)); });
  ExpectFunction("Clip", "0=-1.0 1=2.0", [](double x) { return std::min(std::max(x, -1.0), 2.0); });
  ExpectFunction("ELU", "", [](double x) { return x >= 0 ? x : 0.1 * std::expm1(x); });
  ExpectFunction("ELU", "0=1.0", [](double x) { return x >= 0 ? x : std::expm1(x); });
  ExpectFunction("Erf", "", [](double x) { return std::erf(x); });
  ExpectFunction("Exp", "", [](double x) { return std::exp(x); });
  ExpectFunction("Exp", "0=2.0 1=3.0 2=0.5", [](double x) { return std::pow(2, 0.5 + 3 * x); });
  ExpectFunction("GELU", "", [](double x) { return x * std::erfc(-x / std::sqrt(2)) / 2; });
  ExpectFunction("GELU", "0=1",
                 [](double x) { return x / 2 * (1 + std::tanh(0.79788452 * (x + 0.044715 * x * x * x))); });
  ExpectFunction("HardSigmoid", "", [](double x) { return std::min(std::max(0.2 * x + 0.5, 0.0), 1.0); });
  ExpectFunction("HardSwish", "", [](double x) { return x * std::min(std::max(0.2 * x + 0.5, 0.0), 1.0); });
  ExpectFunction("Log", "1=2.0 2=5.0", [](double x) { return std::log(5 + 2 * x); });
  ExpectFunction("Log", "0=2.0 1=2.0 2=5.0", [](double x) { return std::log2(5 + 2 * x); });
  ExpectFunction("Mish", "", [](double x) { return x * std::tanh(std::log1p(std::exp(x))); });
  ExpectFunction("Power", "0=2.0 1=3.0 2=1.0", [](double x) { return (1 + 3 * x) * (1 + 3 * x); });
  ExpectFunction("Power", "1=3.0 2=1.0", [](double x) { return 1 + 3 * x; });
  ExpectFunction("ReLU", "", [](double x) { return std::max(x, 0.0); });
  ExpectFunction("ReLU", "0=0.25", [](double x) { return x < 0 ? x / 4 : x; });
  ExpectFunction("SELU", "", [](double x) { return 1.050700987 * (x < 0 ? 1.67326324 * std::expm1(x) : x); });
  ExpectFunction("Sigmoid", "", [](double x) { return 1 / (1 + std::exp(-x)); });
  ExpectFunction("Softplus", "", [](double x) { return std::log1p(std::exp(x)); });
  ExpectFunction("Swish", "", [](double x) { return x / (1 + std::exp(-x)); });
  ExpectFunction("TanH", "", [](double x) { return std::tanh(x); });
  ExpectFunction("Threshold", "0=0.75", [](double x) { return x > 0.75 ? 1.0 : 0.0; });
  ExpectFunction("Dropout", "", [](double x) { return x; });
  ExpectFunction("Dropout", "0=0.5", [](double x) { return x / 2; });
  ExpectFunction("Cast", "0=1 1=2", [](double x) { return x; });
  using Function = double (*)(double);
  const std::vector<std::pair<int, Function>> unary = {
      {0, [](double x) { return std::abs(x); }},
      {1, [](double x) { return -x; }},
      {2, std::floor},
      {3, std::ceil},
      {4, [](double x) { return x * x; }},
      {7, std::exp},
      {9, std::sin},
      {10, std::cos},
      {11, std::tan},
      {14, std::atan},
      {16, std::tanh},
      {18, [](double x) { return std::nearbyint(x); }},
      {20, [](double x) { return x > 0   ? 1.0
                                 : x < 0 ? -1.0
                                         : 0.0; }},
      {22, std::sinh},
      {23, std::asinh},
      {24, std::cosh}};
  for (const auto& [type, f] : unary) ExpectFunction("UnaryOp", "0=" + std::to_string(type), f);
  const std::vector<std::pair<int, Function>> of_positive = {
      {5, std::sqrt},  {6, [](double x) { return 1 / std::sqrt(x); }}, {8, std::log},    {12, std::asin},
      {13, std::acos}, {15, [](double x) { return 1 / x; }},           {17, std::log10}, {26, std::atanh}};
  for (const auto& [type, f] : of_positive)
    ExpectFunction("UnaryOp", "0=" + std::to_string(type), f, {0.1f, 0.5f, 0.9f});
  ExpectFunction("UnaryOp", "0=25", std::acosh, {1, 1.5f, 4});
  EXPECT_EQ(Net("UnaryOp", "0=19", {2}, {}).ImportLabel(), "model_unsupported_attribute");
  EXPECT_EQ(Net("Cast", "1=3", {2}, {}).ImportLabel(), "model_unsupported_type");
  EXPECT_EQ(Net("Exp", "0=-3.0", {2}, {}).ImportLabel(), "model_malformed");
}

TEST(ImportNcnn, ListsAlongTheChannels) {
  const Floats x = {1, 2, -3, 4};  // two channels of 1 x 2
  EXPECT_EQ(Of("Bias", "0=2", {2, 1, 2}, x, [](auto& n) { n.Raw({10, 20}); }), (Floats{11, 12, 17, 24}));
  EXPECT_EQ(Of("Scale", "0=2 1=1", {2, 1, 2}, x,
               [](auto& n) {
                 n.Raw({2, 3}).Raw({10, 20});
               }),
            (Floats{12, 14, 11, 32}));
  EXPECT_EQ(Of("Scale", "0=2", {2, 1, 2}, x, [](auto& n) { n.Raw({2, 3}); }), (Floats{2, 4, -9, 12}));
  EXPECT_EQ(Of("PReLU", "0=2", {2, 1, 2}, x, [](auto& n) { n.Raw({5, 0.5f}); }), (Floats{1, 2, -1.5f, 4}));
  EXPECT_EQ(Of("PReLU", "0=1", {2, 1, 2}, x, [](auto& n) { n.Raw({2}); }), (Floats{1, 2, -6, 4}));
  // slope (x - mean) / sqrt(variance + epsilon) + bias; a variance of 0 counts as 1e-8.
  ExpectNear(Of("BatchNorm", "0=2 1=0.0", {2, 1, 2}, x,
                [](auto& n) {
                  n.Raw({2, 1e-4f}).Raw({1, 0}).Raw({4, 0}).Raw({10, 20});
                }),
             {10, 11, 17, 24});
  NcnnWriter by_input;
  by_input.Input("x", {2, 1, 2}).Input("s", {2}).Layer("Scale", {"x", "s"}, {"y"}, "0=-233");
  EXPECT_EQ(by_input.Run({x, {2, 3}})[0], (Floats{2, 4, -9, 12}));
}

Floats OfTwo(const std::string& params, const Blob& a, const Floats& x, const Blob& b, const Floats& y) {
  NcnnWriter net;
  net.Input("a", a).Input("b", b).Layer("BinaryOp", {"a", "b"}, {"y"}, params);
  return net.Run({x, y}).at(0);
}

// A blob of fewer axes meets the outer ones, and a list those that have its length.
TEST(ImportNcnn, OperationsOfTwoBlobs) {
  const Floats a = {1, 2, 3, 4}, b = {8, 4, 2, 1};
  const std::vector<Floats> expected = {
      {9, 6, 5, 5}, {-7, -2, 1, 3}, {8, 8, 6, 4},   {0.125f, 0.5f, 1.5f, 4}, {8, 4, 3, 4},
      {1, 2, 2, 1}, {1, 16, 9, 4},  {7, 2, -1, -3}, {8, 2, 2.0f / 3, 0.25f}};
  for (size_t i = 0; i < expected.size(); ++i)
    ExpectNear(OfTwo("0=" + std::to_string(i), {4}, a, {4}, b), expected[i]);
  const Blob image = {2, 3, 2};
  const Floats ones(12, 1);
  NcnnWriter no_fit;  // neither the outer nor the inner axis
  no_fit.Input("a", image).Input("b", {3}).Layer("BinaryOp", {"a", "b"}, {"y"});
  EXPECT_EQ(no_fit.ImportLabel(), "model_shape");
  EXPECT_EQ(OfTwo("", image, ones, {2}, {10, 20}), (Floats{11, 11, 11, 11, 11, 11, 21, 21, 21, 21, 21, 21}));
  EXPECT_EQ(OfTwo("", {3, 1, 2}, Floats(6, 1), {2}, {10, 20}), (Floats{11, 21, 11, 21, 11, 21}));
  EXPECT_EQ(OfTwo("", image, ones, {2, 3}, {1, 2, 3, 4, 5, 6}), (Floats{2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7}));
  EXPECT_EQ(OfTwo("0=1", {1}, {100}, image, ones), Floats(12, 99));
  EXPECT_EQ(Of("BinaryOp", "0=7 1=1 2=10.0", {2}, {1, 2}), (Floats{9, 8}));
  EXPECT_EQ(Of("BinaryOp", "0=3 1=1 2=4.0", {2}, {1, 2}), (Floats{0.25f, 0.5f}));
  EXPECT_EQ(Net("BinaryOp", "0=19 1=1", {2}, {}).ImportLabel(), "model_malformed");
}

TEST(ImportNcnn, ElementwiseOfManyInputs) {
  const auto eltwise = [](const std::string& params) {
    NcnnWriter net;
    net.Input("a", {2}).Input("b", {2}).Input("c", {2}).Layer("Eltwise", {"a", "b", "c"}, {"y"}, params);
    return net;
  };
  const std::vector<Floats> inputs = {{1, 2}, {3, -4}, {5, 6}};
  EXPECT_EQ(eltwise("0=0").Run(inputs)[0], (Floats{15, -48}));
  EXPECT_EQ(eltwise("0=1").Run(inputs)[0], (Floats{9, 4}));
  EXPECT_EQ(eltwise("0=1 -23301=3,1.0,2.0,-1.0").Run(inputs)[0], (Floats{2, -12}));
  EXPECT_EQ(eltwise("0=2").Run(inputs)[0], (Floats{5, 6}));
  EXPECT_EQ(eltwise("0=1 -23301=2,1.0,2.0").ImportLabel(), "model_malformed");
}

TEST(ImportNcnn, ConvolutionsOfEachRank) {
  const auto bias = [](auto& n) { n.Tagged({1, 2, 3}).Raw({100}); };
  EXPECT_EQ(Of("Convolution1D", "0=1 1=3 5=1 6=3", {1, 5}, {1, 1, 1, 2, 2}, bias), (Floats{106, 109, 111}));
  EXPECT_EQ(Of("Convolution1D", "0=1 1=3 4=1 15=0 3=2 5=1 6=3", {1, 5}, {1, 1, 1, 2, 2}, bias),
            (Floats{105, 109}));
  EXPECT_EQ(Of("Convolution", "0=1 1=3 11=1 5=1 6=3", {1, 1, 5}, {1, 1, 1, 2, 2}, bias),
            (Floats{106, 109, 111}));
  EXPECT_EQ(Of("Convolution", "0=1 1=3 11=1 4=-233 5=1 6=3 9=1", {1, 1, 5}, {1, 1, 1, 2, 2},
               [](auto& n) {
                 n.Tagged({1, 2, 3}).Raw({-9});
               }),
            (Floats{0, 0, 0, 2, 0}));
  EXPECT_EQ(Of("Convolution", "0=1 1=1 6=1 4=1 14=0 16=0 15=0 18=7.0", {1, 1, 2}, {1, 2},
               [](auto& n) { n.Tagged({2}); }),
            (Floats{14, 2, 4}));
  EXPECT_EQ(Of("Convolution3D", "0=1 1=1 11=1 21=2 6=2", {1, 3, 1, 1}, {1, 10, 100},
               [](auto& n) {
                 n.Tagged({1, 2});
               }),
            (Floats{21, 210}));
  const auto two = [](auto& n) { n.Tagged({2, 3}); };
  EXPECT_EQ(Of("ConvolutionDepthWise", "0=2 1=1 6=2 7=2", {2, 1, 2}, {1, 2, 3, 4}, two),
            (Floats{2, 4, 9, 12}));
  EXPECT_EQ(Of("ConvolutionDepthWise1D", "0=2 1=1 6=2 7=2", {2, 2}, {1, 2, 3, 4}, two),
            (Floats{2, 4, 9, 12}));
  EXPECT_EQ(Of("ConvolutionDepthWise3D", "0=2 1=1 6=2 7=2", {2, 1, 1, 2}, {1, 2, 3, 4}, two),
            (Floats{2, 4, 9, 12}));
  EXPECT_EQ(Net("Convolution", "0=1 1=3 6=4", {1, 1, 5}, {}).ImportLabel(), "model_malformed");
  EXPECT_EQ(Net("Convolution", "0=1 1=0 6=4", {1, 1, 5}, {}).ImportLabel(), "model_malformed");
  EXPECT_EQ(Net("Convolution", "0=1 1=1 6=1", {5}, two).ImportLabel(), "model_shape");
}

TEST(ImportNcnn, ActivationsWithinConvolutions) {
  const auto activated = [](const std::string& params) {
    return Of("Convolution", "0=1 1=1 6=1 " + params, {1, 1, 3}, {-2, 0.5f, 9},
              [](auto& n) { n.Tagged({1}); });
  };
  EXPECT_EQ(activated("9=1"), (Floats{0, 0.5f, 9}));
  EXPECT_EQ(activated("9=2 -23310=1,0.25"), (Floats{-0.5f, 0.5f, 9}));
  EXPECT_EQ(activated("9=3 -23310=2,-1.0,6.0"), (Floats{-1, 0.5f, 6}));
  ExpectNear(activated("9=4"),
             {1 / (1 + std::exp(2.0f)), 1 / (1 + std::exp(-0.5f)), 1 / (1 + std::exp(-9.0f))});
  ExpectNear(activated("9=6 -23310=2,0.5,0.5"), {0, 0.375f, 9});
  EXPECT_EQ(Net("Convolution", "0=1 1=1 6=1 9=3", {1, 1, 3}, [](auto& n) { n.Tagged({1}); }).ImportLabel(),
            "model_malformed");
}

// x in steps of 1/4, codes of two channels with scales of their own.
TEST(ImportNcnn, CodesKeepTheirScales) {
  const auto net = Net("Convolution", "0=2 1=1 6=2 8=102", {1, 1, 2}, [](auto& n) {
    n.Codes({10, -20}).Raw({100, 50}).Raw({4}).Raw({8});
  });
  EXPECT_EQ(net.Run({{0.6f, -100}})[0], (Floats{0, -3.125f, -0.25f, 12.75f}));
  // 0.6 is 2 steps; -100 is the least code, -127 steps; each result is in steps of 1/8, ties away from 0.
  EXPECT_EQ(Net("Convolution", "0=1 1=1 6=1", {1, 1, 2}, [](auto& n) { n.Codes({1}); }).ImportLabel(),
            "model_malformed");
}

// 0.6 is 2 steps of 1/4 and 0.3 one; the results are sums.
TEST(ImportNcnn, CodesOfProducts) {
  const auto dense = Net("InnerProduct", "0=2 1=1 2=4 8=1", {2}, [](auto& n) {
    n.Codes({10, -20, 5, 0}).Raw({1, 2}).Raw({100, 50}).Raw({4});
  });
  ExpectNear(dense.Run({{0.6f, 0.3f}})[0], {1 + 0.5f * 0.1f - 0.25f * 0.2f, 2 + 0.5f * 0.1f});
  EXPECT_EQ(Net("InnerProduct", "0=1 2=2", {2},
                [](auto& n) {
                  n.Codes({1, 2});
                })
                .ImportLabel(),
            "model_malformed");
}

TEST(ImportNcnn, TransposedConvolutionsOfEachRank) {
  const auto w = [](auto& n) { n.Tagged({1, 2, 3}); };
  EXPECT_EQ(Of("Deconvolution1D", "0=1 1=3 3=2 6=3", {1, 2}, {1, 10}, w), (Floats{1, 2, 13, 20, 30}));
  EXPECT_EQ(Of("Deconvolution", "0=1 1=3 11=1 3=2 13=1 4=1 14=0 6=3", {1, 1, 2}, {1, 10}, w),
            (Floats{2, 13, 20}));
  EXPECT_EQ(Of("Deconvolution3D", "0=1 1=3 11=1 21=1 3=2 13=1 23=1 6=3 18=0", {1, 1, 1, 2}, {1, 10}, w),
            (Floats{1, 2, 13, 20, 30}));
  const auto two = [](auto& n) { n.Tagged({2, 3}); };
  EXPECT_EQ(Of("DeconvolutionDepthWise", "0=2 1=1 6=2 7=2", {2, 1, 2}, {1, 2, 3, 4}, two),
            (Floats{2, 4, 9, 12}));
  EXPECT_EQ(Of("DeconvolutionDepthWise1D", "0=2 1=1 6=2 7=2", {2, 2}, {1, 2, 3, 4}, two),
            (Floats{2, 4, 9, 12}));
  EXPECT_EQ(Of("DeconvolutionDepthWise3D", "0=2 1=1 6=2 7=2", {2, 1, 1, 2}, {1, 2, 3, 4}, two),
            (Floats{2, 4, 9, 12}));
  // Weights have the results' channels first: of two inputs and two results w[o][i].
  EXPECT_EQ(Of("Deconvolution", "0=2 1=1 6=4", {2, 1, 1}, {1, 10},
               [](auto& n) {
                 n.Tagged({1, 2, 3, 4});
               }),
            (Floats{21, 43}));
}

TEST(ImportNcnn, PoolsOfEachRank) {
  const Floats row = {1, 5, 2, 8, 3};
  EXPECT_EQ(Of("Pooling1D", "0=0 1=2 2=2", {1, 5}, row), (Floats{5, 8, 3}));   // the last window is padded
  EXPECT_EQ(Of("Pooling1D", "0=0 1=2 2=2 5=1", {1, 5}, row), (Floats{5, 8}));  // or left out
  EXPECT_EQ(Of("Pooling", "0=1 1=2 11=1 2=2 12=1", {1, 1, 5}, row), (Floats{3, 5, 3}));
  EXPECT_EQ(Of("Pooling", "0=1 1=3 11=1 3=1 13=0 5=1", {1, 1, 5}, row),
            (Floats{3, 8.0f / 3, 5, 13.0f / 3, 5.5f}));
  EXPECT_EQ(Of("Pooling", "0=1 1=3 11=1 3=1 13=0 5=1 6=1", {1, 1, 5}, row),
            (Floats{2, 8.0f / 3, 5, 13.0f / 3, 11.0f / 3}));
  EXPECT_EQ(Of("Pooling", "0=1 1=2 11=1 5=2", {1, 1, 5}, row),
            (Floats{3, 3.5f, 5, 5.5f, 1.5f}));  // zeros count
  EXPECT_EQ(Of("Pooling", "0=0 4=1", {1, 1, 5}, row), Floats{8});
  EXPECT_EQ(Of("Pooling", "0=1 4=1 1=7", {1, 1, 5}, row), Floats{3.8f});
  EXPECT_EQ(Of("Pooling", "0=0 7=1 8=3 18=1", {1, 1, 5}, row), (Floats{5, 8, 8}));
  EXPECT_EQ(Of("Pooling3D", "0=0 1=1 21=2 2=1", {1, 3, 1, 1}, {1, 9, 4}), (Floats{9, 9}));
  EXPECT_EQ(Net("Pooling", "0=7 1=1", {1, 1, 5}, {}).ImportLabel(), "model_malformed");
}

TEST(ImportNcnn, MovesElements) {
  const Floats x = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  EXPECT_EQ(Of("Flatten", "", {2, 3, 2}, x), x);
  EXPECT_EQ(Of("Reshape", "0=4 1=-1", {2, 3, 2}, x), x);
  EXPECT_EQ(Net("Reshape", "0=5 1=-1", {2, 3, 2}, {}).ImportLabel(), "model_shape");
  // CWH: w of the result are the channels, then the old rows' elements, then rows.
  EXPECT_EQ(Of("Permute", "0=3", {2, 3, 2}, x), (Floats{0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11}));
  EXPECT_EQ(Of("Permute", "0=1", {2, 3, 2}, x), (Floats{0, 2, 4, 1, 3, 5, 6, 8, 10, 7, 9, 11}));
  EXPECT_EQ(Of("Permute", "0=1", {2, 3}, {0, 1, 2, 3, 4, 5}), (Floats{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(Net("Permute", "0=6", {2, 3, 2}, {}).ImportLabel(), "model_malformed");
  EXPECT_EQ(Of("PixelShuffle", "0=2", {4, 1, 1}, {1, 2, 3, 4}), (Floats{1, 2, 3, 4}));
  EXPECT_EQ(Of("PixelShuffle", "0=2", {8, 1, 1}, {1, 2, 3, 4, 5, 6, 7, 8}), (Floats{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(Of("PixelShuffle", "0=2 1=1", {8, 1, 1}, {1, 2, 3, 4, 5, 6, 7, 8}),
            (Floats{1, 3, 5, 7, 2, 4, 6, 8}));
  EXPECT_EQ(Of("Reorg", "0=2", {1, 2, 3}, {1, 2, 3, 4, 5, 6}),
            (Floats{1, 2, 4, 5}));  // a column is left over
  EXPECT_EQ(Of("Reorg", "0=2 1=1", {2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), (Floats{1, 5, 2, 6, 3, 7, 4, 8}));
  EXPECT_EQ(Of("ShuffleChannel", "0=2", {6, 1, 1}, {0, 1, 2, 3, 4, 5}), (Floats{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(Of("ShuffleChannel", "0=2 1=1", {6, 1, 1}, {0, 1, 2, 3, 4, 5}), (Floats{0, 2, 4, 1, 3, 5}));
  EXPECT_EQ(Of("Tile", "0=0 1=2", {2, 1}, {1, 2}), (Floats{1, 2, 1, 2}));
  EXPECT_EQ(Of("Tile", "-23302=2,2,1", {2}, {1, 2}), (Floats{1, 2, 1, 2}));
  EXPECT_EQ(Of("Padding", "2=1 3=2 5=7.0", {2}, {1, 2}), (Floats{7, 1, 2, 7, 7}));
  EXPECT_EQ(Of("Padding", "2=1 3=1 4=1", {2}, {1, 2}), (Floats{1, 1, 2, 2}));
  EXPECT_EQ(Of("Padding", "2=1 3=1 4=2", {3}, {1, 2, 3}), (Floats{2, 1, 2, 3, 2}));
  EXPECT_EQ(Of("Padding", "7=1 8=0", {1, 1, 2}, {1, 2}), (Floats{0, 0, 1, 2}));  // channels
  EXPECT_EQ(Net("Padding", "3=1 6=3", {2, 1, 2},
                [](auto& n) {
                  n.Raw({1, 2, 3});
                })
                .ImportLabel(),
            "model_malformed");  // values for three channels of two
  EXPECT_EQ(Of("Packing", "0=4", {2}, {1, 2}), (Floats{1, 2}));
  EXPECT_EQ(Of("Crop", "0=1 1=0 2=1 3=1 4=2 5=1", {2, 3, 2}, x), (Floats{7, 9}));
  EXPECT_EQ(Of("Crop", "0=1 6=0 7=1", {2, 3, 2}, x), (Floats{1, 3, 7, 9}));
  EXPECT_EQ(Of("Crop", "-23309=1,1 -23310=1,-233 -23311=1,1", {2, 3, 2}, x),
            (Floats{2, 3, 4, 5, 8, 9, 10, 11}));
  EXPECT_EQ(Net("Crop", "3=9", {2}, {}).ImportLabel(), "model_malformed");
  EXPECT_EQ(Of("Interp", "0=1 1=2.0 2=2.0", {1, 1, 2}, {1, 2}), (Floats{1, 1, 2, 2, 1, 1, 2, 2}));
  ExpectNear(Of("Interp", "0=2 3=1 4=4", {1, 1, 2}, {0, 4}), {0, 1, 3, 4});
  ExpectNear(Of("Interp", "0=2 3=1 4=3 6=1", {1, 1, 2}, {0, 4}), {0, 2, 4});
  EXPECT_EQ(Of("Interp", "0=3 3=1 4=2", {1, 1, 2}, {0, 4}), (Floats{0, 4}));
  EXPECT_EQ(Of("Interp", "0=2 3=1 4=2", {2}, {3, 4}), (Floats{3, 3, 4, 4}));
}

TEST(ImportNcnn, JoinsAndParts) {
  NcnnWriter net;
  net.Input("x", {3, 2})
      .Layer("Split", {"x"}, {"a", "b"})
      .Layer("Slice", {"a"}, {"c", "d"}, "-23300=2,1,-233");
  net.Layer("MemoryData", {}, {"m"}, "0=2 1=1").Raw({7, 8});
  net.Layer("Concat", {"d", "b", "m"}, {"y"}, "0=-2").Layer("Noop", {"c", "y"}, {"o", "p"});
  const auto outputs = net.Run({{1, 2, 3, 4, 5, 6}});
  EXPECT_EQ(outputs.at(0), (Floats{1, 2}));
  EXPECT_EQ(outputs.at(1), (Floats{3, 4, 5, 6, 1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(Net("Slice", "-23300=1,9", {3, 2}, {}).ImportLabel(), "model_malformed");
}

TEST(ImportNcnn, Norms) {
  const Floats x = {1, 3, 2, 6};
  const auto affine = [](auto& n) { n.Raw({1, 2}).Raw({0, 10}); };
  ExpectNear(Of("InstanceNorm", "0=2 1=0.0", {2, 1, 2}, x, affine), {-1, 1, 8, 12});
  ExpectNear(Of("InstanceNorm", "0=2 1=0.0 2=0", {2, 1, 2}, x), {-1, 1, -1, 1});
  ExpectNear(Of("GroupNorm", "0=2 1=2 2=0.0", {2, 1, 2}, x, affine), {-1, 1, 8, 12});
  ExpectNear(Of("LayerNorm", "0=2 1=0.0", {2, 2}, x, affine), {-1, 12, -1, 12});
  ExpectNear(Of("MVN", "2=0.0", {2, 1, 2}, x), {-1, 1, -2, 2});
  ExpectNear(Of("MVN", "0=1 2=1.0", {2, 1, 2}, x), {-0.5f, 0.5f, -2.0f / 3, 2.0f / 3});
  ExpectNear(Of("MVN", "1=1 2=0.0", {2, 1, 2}, x), {-2, 0, -1, 3});
  ExpectNear(Of("Normalize", "1=1 2=0.0 3=1", {2, 1, 2}, {3, 1, 4, 0}, [](auto& n) { n.Raw({10}); }),
             {6, 10, 8, 0});
  ExpectNear(Of("Normalize", "0=1 2=0.0 3=2 4=0", {2, 1, 2}, {3, 4, 6, 8},
                [](auto& n) {
                  n.Raw({10, 1});
                }),
             {6, 8, 0.6f, 0.8f});
  ExpectNear(Of("LRN", "1=3 2=3.0 3=1.0 4=1.0", {2, 1, 1}, {1, 2}), {1.0f / 6, 2.0f / 6});
  const float e = std::exp(1.0f);
  ExpectNear(Of("Softmax", "0=0", {2, 1}, {0, 1}), {1 / (1 + e), e / (1 + e)});
  ExpectNear(Of("Softmax", "0=1 1=1", {1, 2}, {0, 1}), {1 / (1 + e), e / (1 + e)});
  EXPECT_EQ(Net("Softmax", "0=1", {1, 2}, {}).ImportLabel(), "model_malformed");
  EXPECT_EQ(Net("LRN", "0=2", {2, 1, 1}, {}).ImportLabel(), "model_malformed");
}

TEST(ImportNcnn, Reductions) {
  const Floats x = {1, -2, 3, 4};
  const std::vector<double> all = {6, 10, 30, 1.5, 4, -2, -24, 10, std::sqrt(30.0)};
  for (size_t i = 0; i < all.size(); ++i) {
    ExpectNear(Of("Reduction", "0=" + std::to_string(i), {2, 2}, x), {static_cast<float>(all[i])});
  }
  ExpectNear(Of("Reduction", "0=2 2=0.5", {2, 2}, x), {15});  // the coefficient is the result's
  EXPECT_EQ(Of("Reduction", "0=0 1=0 -23303=1,1 5=1", {2, 2}, x), (Floats{-1, 7}));
  EXPECT_EQ(Of("Reduction", "0=4 1=0 -23303=1,0 4=1 5=1", {2, 2}, x), (Floats{3, 4}));
  ExpectNear(Of("Reduction", "0=9", {2}, {1, 2}), {std::log(3.0f)});
  ExpectNear(Of("Reduction", "0=10", {2}, {1, 2}), {std::log(std::exp(1.0f) + std::exp(2.0f))});
  EXPECT_EQ(Net("Reduction", "0=0 1=0 -23303=1,1", {2, 2}, {}).ImportLabel(), "model_malformed");
  // The last of equal elements is first.
  EXPECT_EQ(Of("ArgMax", "1=3", {2, 2}, {5, 9, 5, 1}), (Floats{1, 2, 0}));
  EXPECT_EQ(Of("ArgMax", "0=1 1=2", {4}, {5, 9, 5, 1}), (Floats{9, 5, 1, 2}));
}

TEST(ImportNcnn, Products) {
  const auto w = [](auto& n) { n.Tagged({1, 2, 3, 4}).Raw({10, 20}); };
  EXPECT_EQ(Of("InnerProduct", "0=2 1=1 2=4", {2}, {1, 1}, w), (Floats{13, 27}));
  EXPECT_EQ(Of("InnerProduct", "0=2 1=1 2=4 9=3 -23310=2,0.0,20.0", {1, 1, 2}, {1, 1}, w), (Floats{13, 20}));
  EXPECT_EQ(Of("InnerProduct", "0=2 1=1 2=4", {3, 2}, {1, 1, 0, 1, 1, 0}, w),
            (Floats{13, 27, 12, 24, 11, 23}));
  EXPECT_EQ(Net("InnerProduct", "0=2 1=1 2=4", {3}, w).ImportLabel(), "model_shape");
  EXPECT_EQ(Net("InnerProduct", "0=3 2=4", {2}, {}).ImportLabel(), "model_malformed");
  NcnnWriter gemm;  // 2 (A B + 3 C), C a list as long as there are columns
  gemm.Input("a", {1, 2})
      .Input("b", {2, 2})
      .Input("c", {2})
      .Layer("Gemm", {"a", "b", "c"}, {"y"}, "0=2.0 1=3.0");
  EXPECT_EQ(gemm.Run({{1, 2}, {1, 2, 3, 4}, {10, 100}})[0], (Floats{74, 620}));
  EXPECT_EQ(Of("Gemm", "3=1 5=1 6=1 8=2 9=2 10=4", {1, 2}, {1, 2},
               [](auto& n) {
                 n.Tagged({1, 2, 3, 4}).Tagged({10, 100});
               }),
            (Floats{15, 111}));
  // One head; keys do not tell queries apart, so each row is the mean of the values.
  ExpectNear(Of("MultiHeadAttention", "0=1 1=1 2=1", {2, 1}, {1, 3},
                [](auto& n) {
                  n.Tagged({0}).Raw({0}).Tagged({1}).Raw({0}).Tagged({2}).Raw({1}).Tagged({10}).Raw({5});
                }),
             {55, 55});
}

// One unit, one input, two steps.
TEST(ImportNcnn, RecurrentLayers) {
  const double h1 = std::tanh(2.0 + 0.5), h2 = std::tanh(2 * 0.5 + 3 * h1 + 0.5);
  ExpectNear(
      Of("RNN", "0=1 1=1", {2, 1}, {1, 0.5f}, [](auto& n) { n.Tagged({2}).Tagged({0.5f}).Tagged({3}); }),
      {static_cast<float>(h1), static_cast<float>(h2)});
  const auto s = [](double x) { return 1 / (1 + std::exp(-x)); };
  // Gates i, f, o, g with weights 1, 2, 3, 4 and biases a tenth of these, without recurrence.
  const auto lstm = [&](double x, double c) {
    const double kept = s(2 * x + 0.2) * c + s(x + 0.1) * std::tanh(4 * x + 0.4);
    return std::pair(kept, s(3 * x + 0.3) * std::tanh(kept));
  };
  const auto [c1, y1] = lstm(1, 0);
  const auto y2 = lstm(0.5, c1).second;
  ExpectNear(Of("LSTM", "0=1 1=4", {2, 1}, {1, 0.5f},
                [](auto& n) {
                  n.Tagged({1, 2, 3, 4}).Tagged({0.1f, 0.2f, 0.3f, 0.4f}).Tagged({0, 0, 0, 0});
                }),
             {static_cast<float>(y1), static_cast<float>(y2)});
  // Gates r, u, n; the reset gate multiplies R h and its bias, the fourth row.
  const auto gru = [&](double x, double h) {
    const double r = s(x + 0.1), u = s(2 * x + 0.2), n = std::tanh(3 * x + 0.3 + r * (5 * h + 0.4));
    return (1 - u) * n + u * h;
  };
  const double g1 = gru(1, 0), g2 = gru(0.5, g1);
  ExpectNear(Of("GRU", "0=1 1=3", {2, 1}, {1, 0.5f},
                [](auto& n) {
                  n.Tagged({1, 2, 3}).Tagged({0.1f, 0.2f, 0.3f, 0.4f}).Tagged({0, 0, 5});
                }),
             {static_cast<float>(g1), static_cast<float>(g2)});
  EXPECT_EQ(Net("GRU", "0=1 1=4", {2, 1}, {}).ImportLabel(), "model_malformed");
}

TEST(ImportNcnn, CodesBetweenLayers) {
  EXPECT_EQ(Of("Quantize", "", {4}, {0.625f, -0.625f, 100, -100}, [](auto& n) { n.Raw({4}); }),
            (Floats{0.75f, -0.75f, 31.75f, -31.75f}));
  EXPECT_EQ(Net("Dequantize", "", {2}, {}).ImportLabel(), "model_unsupported_operator");
  EXPECT_EQ(Net("Requantize", "", {2}, {}).ImportLabel(), "model_unsupported_operator");
}

// One cell, one anchor of half of an image of 2 pixels, two classes.
TEST(ImportNcnn, YoloHeads) {
  const std::string params = "0=2 1=1 2=0.1 3=0.5 -23304=2,1.0,1.0 -23305=1,0 -23306=1,2.0";
  const auto net = Net("Yolov3DetectionOutput", params, {7, 1, 1}, {});
  const auto outputs = net.Run({{0, 0, 0, 0, 20, -9, 20}});
  ASSERT_EQ(outputs.size(), 1u);
  ExpectNear(outputs[0], {2, 1, 0.25f, 0.25f, 0.75f, 0.75f});
  EXPECT_EQ(Net("Yolov3DetectionOutput", params, {6, 1, 1}, {}).ImportLabel(), "model_malformed");
}

// The same, whose classes exclude each other: equal ones have half each, above a threshold of 0.4.
TEST(ImportNcnn, YoloHeadsOfVersion2) {
  const std::string params = "0=2 1=1 2=0.4 3=0.5 -23304=2,0.5,1.0";
  const auto outputs = Net("YoloDetectionOutput", params, {7, 1, 1}, {}).Run({{0, 0, 0, 0, 20, 3, 3}});
  ASSERT_EQ(outputs.size(), 1u);
  ExpectNear(outputs[0], {1, 0.5f, 0.25f, 0, 0.75f, 1});
  EXPECT_EQ(Net("YoloDetectionOutput", params, {6, 1, 1}, {}).ImportLabel(), "model_malformed");
  EXPECT_EQ(Net("YoloDetectionOutput", "0=2 1=1", {7, 1, 1}, {}).ImportLabel(), "model_malformed");
}

// Boxes of a map of one row and two columns, of an image of 20 x 10 pixels.
TEST(ImportNcnn, PriorsOfEachCell) {
  const auto priors = [](const std::string& params) {
    NcnnWriter net;
    net.Input("x", {3, 1, 2}).Input("image", {3, 10, 20}).Layer("PriorBox", {"x", "image"}, {"p"}, params);
    net.Layer("MemoryData", {}, {"zero"}, "0=1").Raw({0}).Layer("BinaryOp", {"p", "zero"}, {"y"});
    return net;
  };
  // A square of 4 pixels around (5, 5) and (15, 5), the steps are 10; then its mean with 9, and both ratios.
  ExpectNear(priors("-23300=1,4.0 9=-233 10=-233 13=0.5").Run({Floats(6), Floats(600)}).at(0),
             {0.15f, 0.3f, 0.35f, 0.7f, 0.65f, 0.3f, 0.85f, 0.7f,  //
              0.1f, 0.1f, 0.2f, 0.2f, 0.1f, 0.1f, 0.2f, 0.2f});
  ExpectNear(priors("-23300=1,4.0 -23301=1,9.0 -23302=1,4.0 9=20 10=10 11=100.0 12=4.0 3=1.0")
                 .Run({Floats(6), Floats(600)})
                 .at(0),
             {-0.1f, -0.2f, 0.1f, 0.2f, -0.15f, -0.3f, 0.15f, 0.3f,
              -0.2f, -0.1f, 0.2f, 0.1f, -0.05f, -0.4f, 0.05f, 0.4f,  //
              4.9f,  -0.2f, 5.1f, 0.2f, 4.85f,  -0.3f, 5.15f, 0.3f,
              4.8f,  -0.1f, 5.2f, 0.1f, 4.95f,  -0.4f, 5.05f, 0.4f,  //
              1,     0.1f,  0.2f, 0.2f, 1,      0.1f,  0.2f,  0.2f,
              1,     0.1f,  0.2f, 0.2f, 1,      0.1f,  0.2f,  0.2f,  //
              1,     0.1f,  0.2f, 0.2f, 1,      0.1f,  0.2f,  0.2f,
              1,     0.1f,  0.2f, 0.2f, 1,      0.1f,  0.2f,  0.2f});
  // Cut to the image; a step of whole pixels; a first middle that is a pixel less.
  ExpectNear(priors("-23300=1,8.0 7=0 8=1 9=15 10=10 13=0.5 14=1 15=1").Run({Floats(6), Floats(600)}).at(0),
             {0, 0.05f, 0.5f, 0.85f, 0.5f, 0.05f, 1, 0.85f,  //
              0.1f, 0.1f, 0.2f, 0.2f, 0.1f, 0.1f, 0.2f, 0.2f});
  for (const char* wrong :
       {"9=20 10=10", "-23300=1,-4.0 9=20 10=10", "-23300=1,4.0", "-23300=1,4.0 9=20 10=-1",
        "-23300=2,4.0,5.0 -23301=1,9.0 9=20 10=10", "-23300=1,4.0 9=20 10=10 11=3e38 13=90.0"}) {
    EXPECT_EQ(priors(wrong).ImportLabel(), "model_malformed") << wrong;
  }
  NcnnWriter large;  // a small file cannot ask for many
  large.Input("x", {1, 30000, 30000}).Layer("PriorBox", {"x"}, {"y"}, "-23300=1,4.0 9=20 10=10");
  EXPECT_EQ(large.ImportLabel(), "model_too_large");
  NcnnWriter mxnet;  // parts of the image: two sizes, then another ratio of the first
  mxnet.Input("x", {3, 1, 2})
      .Layer("PriorBox", {"x"}, {"p"}, "-23300=2,0.4,0.8 -23302=2,1.0,4.0 9=-233 10=-233 13=0.5");
  mxnet.Layer("MemoryData", {}, {"zero"}, "0=1").Raw({0}).Layer("BinaryOp", {"p", "zero"}, {"y"});
  ExpectNear(mxnet.Run({Floats(6)}).at(0),
             {0.15f, 0.3f, 0.35f, 0.7f, 0.05f, 0.1f, 0.45f, 0.9f, 0.05f, 0.4f, 0.45f, 0.6f,  //
              0.65f, 0.3f, 0.85f, 0.7f, 0.55f, 0.1f, 0.95f, 0.9f, 0.55f, 0.4f, 0.95f, 0.6f});
}

// Two priors with two classes and the background; deltas move the first box by its whole width and double the
// second's.
TEST(ImportNcnn, DetectionsOfPriors) {
  const Floats deltas = {10, 0, 0, 0, 0, 0, 5 * std::log(2.0f), 0};
  const Floats boxes = {0.1f, 0.1f, 0.3f, 0.3f, 0.5f, 0.5f, 0.7f, 0.7f};
  const auto detect = [&](const std::string& params) {
    NcnnWriter net;
    net.Input("d", {8}).Input("s", {6}).Layer("MemoryData", {}, {"p"}, "0=8 1=2");
    net.Raw(boxes).Raw({0.1f, 0.1f, 0.2f, 0.2f, 0.1f, 0.1f, 0.2f, 0.2f});
    return net.Layer("DetectionOutput", {"d", "s", "p"}, {"y"}, params);
  };
  const Floats scores = {0, 0.25f, 0.75f, 0.375f, 0.625f, 0};
  const Floats first = {2, 0.75f, 0.3f, 0.1f, 0.5f, 0.3f}, second = {1, 0.625f, 0.4f, 0.5f, 0.8f, 0.7f};
  Floats both = first;
  both.insert(both.end(), second.begin(), second.end());
  ExpectNear(detect("0=3 1=0.5 2=10 3=2 4=0.5").Run({deltas, scores}).at(0), both);
  ExpectNear(detect("0=3 1=0.5 2=10 3=1 4=0.5").Run({deltas, scores}).at(0), first);
  EXPECT_EQ(detect("0=3 3=0").ImportLabel(), "model_malformed");
  EXPECT_EQ(detect("0=4").ImportLabel(), "model_shape");
  EXPECT_EQ(detect("0=-1").ImportLabel(), "model_malformed");
  NcnnWriter mxnet;  // scores class by class, variances of the layer
  mxnet.Input("d", {8}).Input("s", {3, 2}).Layer("MemoryData", {}, {"p"}, "0=4 1=2").Raw(boxes);
  mxnet.Layer("DetectionOutput", {"d", "s", "p"}, {"y"}, "0=-233 1=0.5 2=10 3=2 4=0.5");
  ExpectNear(mxnet.Run({deltas, {0, 0.375f, 0.25f, 0.625f, 0.75f, 0}}).at(0), both);
}

TEST(ImportNcnn, RefusalsNameTheLayerAsTheFileDoes) {
  const absl::Status status = Net("Convolution", "0=1 1=1 6=1", {1, 1, 5}, {}).Import().status();
  EXPECT_EQ(ErrorLabel(status), "model_malformed");
  EXPECT_NE(status.message().find("layer 1 'layer1' (Convolution)"), std::string::npos) << status;
  EXPECT_EQ(Net("Unknown", "", {2}, {}).ImportLabel(), "model_unsupported_operator");
  EXPECT_EQ(Net("ReLU", "7=3", {2}, {}).ImportLabel(), "model_unsupported_attribute");
  EXPECT_EQ(Net("ReLU", "", {2}, [](auto& n) { n.Raw({1}); }).ImportLabel(),
            "model_malformed");  // a weight too many
  NcnnWriter cycle;
  cycle.Layer("ReLU", {"b"}, {"a"}).Layer("ReLU", {"a"}, {"b"});
  EXPECT_EQ(cycle.ImportLabel(), "model_malformed");
  NcnnWriter open;
  open.Input("x", {}).Layer("ReLU", {"x"}, {"y"});
  EXPECT_EQ(open.ImportLabel(), "model_open_dimension");
}

// It is not known how many weights a layer has that is refused: what follows is looked at all the same.
TEST(ImportNcnn, AReportGoesOnAfterARefusal) {
  NcnnWriter net;
  net.Input("x", {1, 1, 2}).Layer("Split", {"x"}, {"a", "b"}).Layer("Unknown", {"a"}, {"c"});
  net.Layer("Convolution", {"b"}, {"d"}, "0=1 1=1 6=1").Tagged({1});
  const std::string text = net.param();
  const std::vector<uint8_t> weights = net.weights();
  const auto report = CheckNcnn({{reinterpret_cast<const uint8_t*>(text.data()), text.size()}, weights}, {});
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_EQ(report->layers.size(), 3u);
  EXPECT_EQ(report->layers[1].fate, frontend::LayerReport::kRefused);
  EXPECT_EQ(report->layers[2].fate, frontend::LayerReport::kImported);
  EXPECT_EQ(report->weights, 0);  // those after the refused layer are not known
  NcnnWriter whole;
  whole.Input("x", {1, 1, 2})
      .Layer("Convolution", {"x"}, {"y"}, "0=2 1=1 5=1 6=2")
      .Tagged({1, 2})
      .Raw({3, 4});
  const std::string param = whole.param();
  const std::vector<uint8_t> bin = whole.weights();
  const auto all = CheckNcnn({{reinterpret_cast<const uint8_t*>(param.data()), param.size()}, bin}, {});
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_EQ(all->weights, 2);
  EXPECT_EQ(all->weight_elements, 4);
}

// After all tests of this program.
class EveryTypeHasACase : public testing::Environment {
 public:
  void TearDown() override {
    if (testing::GTEST_FLAG(filter) != "*") return;
#define NCNN_LAYER(name, importer) EXPECT_TRUE(NcnnWriter::Seen().contains(#name)) << #name;
#include "frontends/ncnn/operators.inc"
#undef NCNN_LAYER
  }
};
[[maybe_unused]] testing::Environment* const kEveryType =
    testing::AddGlobalTestEnvironment(new EveryTypeHasACase);

}  // namespace
}  // namespace tally::ncnn
