#include "frontends/onnx/testing/quantized_net.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace tally::onnx {
namespace {

using boost::multiprecision::cpp_int;
using boost::multiprecision::cpp_rational;
using ::onnx::TensorProto;

constexpr int64_t kSize = 8, kPixels = kSize * kSize, kChannels = 4;
constexpr int64_t kPooled = kSize / 2;

// To the nearest integer, ties to the even one.
int64_t RoundHalfEven(const cpp_rational& x) {
  const cpp_int n = numerator(x), d = denominator(x);
  cpp_int floor = n / d;
  if (n < 0 && n % d != 0) --floor;
  const cpp_int twice = 2 * (n - floor * d);
  if (twice > d || (twice == d && floor % 2 != 0)) ++floor;
  return floor.convert_to<int64_t>();
}

int64_t ToByte(const cpp_rational& steps, int64_t zero) {
  return std::clamp<int64_t>(RoundHalfEven(steps) + zero, 0, 255);
}

// The integers at the taps of a 3 x 3 window around pixel (y, x), 0 outside.
template <typename Visit>
void ForTaps(int64_t y, int64_t x, Visit visit) {
  for (int64_t ky = 0; ky < 3; ++ky) {
    for (int64_t kx = 0; kx < 3; ++kx) {
      const int64_t iy = y + ky - 1, ix = x + kx - 1;
      if (iy >= 0 && iy < kSize && ix >= 0 && ix < kSize) visit(ky * 3 + kx, iy * kSize + ix);
    }
  }
}

}  // namespace

uint32_t QuantizedNet::Next() {
  state_ = state_ * 1664525u + 1013904223u;
  return state_ >> 8;
}

float QuantizedNet::NextScale(float about) {
  return about * (1 + static_cast<float>(Next() % 65536) / 65536.0f);
}

QuantizedNet::Layer QuantizedNet::RandomLayer(const std::string& name, int type, quant::Shape shape,
                                              bool per_channel, Grid to) {
  Layer layer = {.name = name, .type = type, .shape = std::move(shape), .to = to};
  const bool is_signed = type == TensorProto::INT8;
  layer.zero = is_signed ? 0 : 131;
  for (int64_t i = 0; i < quant::NumElements(layer.shape); ++i) {
    layer.codes.push_back(is_signed ? static_cast<int64_t>(Next() % 255) - 127
                                    : static_cast<int64_t>(Next() % 256));
  }
  const int64_t channels = layer.shape[0];
  for (int64_t c = 0; c < (per_channel ? channels : 1); ++c) layer.scales.push_back(NextScale(0.002f));
  for (int64_t c = 0; c < channels; ++c) layer.bias.push_back(static_cast<int64_t>(Next() % 8192) - 4096);
  return layer;
}

QuantizedNet::QuantizedNet(uint32_t seed) : state_(seed) {
  input_ = {NextScale(0.01f), 120};
  first_ = RandomLayer("first", TensorProto::INT8, {kChannels, 3, 3, 3}, true, {NextScale(0.02f), 0});
  depthwise_ =
      RandomLayer("depthwise", TensorProto::UINT8, {kChannels, 1, 3, 3}, false, {NextScale(0.03f), 117});
  sum_ = {NextScale(0.04f), 60};
  average_ = {NextScale(0.02f), 3};
  dense_ = RandomLayer("dense", TensorProto::INT8, {5, kChannels}, true, {NextScale(0.01f), 100});
}

void QuantizedNet::AddQdqLayer(ModelBuilder& model, const Layer& layer, const std::string& x,
                               const Grid& x_grid) const {
  const std::string& name = layer.name;
  const int64_t scales = std::ssize(layer.scales);
  std::vector<float> bias_scales;
  for (const float scale : layer.scales) bias_scales.push_back(x_grid.scale * scale);
  model.Weight(name + "_bias_scale", {{scales}, bias_scales})
      .Codes(name + "_bias_zero", TensorProto::INT32,
             {{scales}, std::vector<int64_t>(layer.scales.size(), 0)});
  model.Node("DequantizeLinear", {name + "_w", name + "_w_scale", name + "_w_zero"}, {name + "_w_real"})
      .Int("axis", 0);
  model
      .Node("DequantizeLinear", {name + "_bias", name + "_bias_scale", name + "_bias_zero"},
            {name + "_bias_real"})
      .Int("axis", 0);
  const std::vector<std::string> inputs = {x, name + "_w_real", name + "_bias_real"};
  if (layer.shape.size() == 2) {
    model.Node("Gemm", inputs, {name}).Int("transB", 1);
  } else {
    model.Node("Conv", inputs, {name})
        .Ints("pads", {1, 1, 1, 1})
        .Int("group", layer.shape[1] == 1 ? kChannels : 1);
  }
}

ModelBuilder QuantizedNet::Model(Form form) const {
  ModelBuilder model(13);
  const bool serves_codes = form == Form::kCodes;
  if (serves_codes) {
    model.IntegerInput("x", {1, 3, kSize, kSize}, TensorProto::UINT8);
  } else {
    model.Input("x", {1, 3, kSize, kSize});
  }
  model.Output("y");
  const auto add_grid = [&](const std::string& name, const Grid& grid) {
    model.Weight(name + "_scale", {{}, {grid.scale}})
        .Codes(name + "_zero", TensorProto::UINT8, {{}, {grid.zero}});
  };
  add_grid("x", input_);
  for (const Layer* layer : {&first_, &depthwise_, &dense_}) {
    const int64_t scales = std::ssize(layer->scales);
    add_grid(layer->name, layer->to);
    model.Codes(layer->name + "_w", layer->type, {layer->shape, layer->codes})
        .Codes(layer->name + "_w_zero", layer->type,
               {{scales}, std::vector<int64_t>(layer->scales.size(), layer->zero)})
        .Codes(layer->name + "_bias", TensorProto::INT32, {{std::ssize(layer->bias)}, layer->bias})
        .Weight(layer->name + "_w_scale", {{scales}, layer->scales});
  }
  add_grid("sum", sum_);
  add_grid("average", average_);

  const auto quantize = [&](const std::string& x, const std::string& grid, const std::string& y) {
    model.Node("QuantizeLinear", {x, grid + "_scale", grid + "_zero"}, {y});
  };
  const auto dequantize = [&](const std::string& x, const std::string& grid, const std::string& y) {
    model.Node("DequantizeLinear", {x, grid + "_scale", grid + "_zero"}, {y});
  };
  const auto round_trip = [&](const std::string& x, const std::string& grid) {
    quantize(x, grid, x + "_q");
    dequantize(x + "_q", grid, x + "_real");
  };
  if (form == Form::kQdq) {
    round_trip("x", "x");
    AddQdqLayer(model, first_, "x_real", input_);
    model.Node("Relu", {"first"}, {"relu"});
    round_trip("relu", "first");
    AddQdqLayer(model, depthwise_, "relu_real", first_.to);
    round_trip("depthwise", "depthwise");
    model.Node("Add", {"relu_real", "depthwise_real"}, {"sum"});
    round_trip("sum", "sum");
    model.Node("MaxPool", {"sum_real"}, {"largest"}).Ints("kernel_shape", {2, 2}).Ints("strides", {2, 2});
    round_trip("largest", "sum");
    model.Node("GlobalAveragePool", {"largest_real"}, {"average"});
    round_trip("average", "average");
    model.Node("Flatten", {"average_real"}, {"flat"});
    round_trip("flat", "average");
    AddQdqLayer(model, dense_, "flat_real", average_);
    quantize("dense", "dense", "dense_q");
    dequantize("dense_q", "dense", "y");
    return model;
  }
  const auto layer = [&](const std::string& op, const std::string& x, const std::string& grid,
                         const Layer& of) {
    const std::string& n = of.name;
    std::vector<std::string> inputs = {x,        grid + "_scale", grid + "_zero",
                                       n + "_w", n + "_w_scale",  n + "_w_zero"};
    const std::vector<std::string> to = {n + "_scale", n + "_zero"};
    if (op == "QGemm") inputs.push_back(n + "_bias");
    inputs.insert(inputs.end(), to.begin(), to.end());
    if (op == "QLinearConv") inputs.push_back(n + "_bias");
    return model.Node(op, inputs, {serves_codes && &of == &dense_ ? "y" : n + "_q"});
  };
  if (!serves_codes) quantize("x", "x", "x_q");
  layer("QLinearConv", serves_codes ? "x" : "x_q", "x", first_).Ints("pads", {1, 1, 1, 1});
  layer("QLinearConv", "first_q", "first", depthwise_).Ints("pads", {1, 1, 1, 1}).Int("group", kChannels);
  model
      .Node("QLinearAdd",
            {"first_q", "first_scale", "first_zero", "depthwise_q", "depthwise_scale", "depthwise_zero",
             "sum_scale", "sum_zero"},
            {"sum_q"})
      .Domain("com.microsoft");
  model.Node("MaxPool", {"sum_q"}, {"largest_q"}).Ints("kernel_shape", {2, 2}).Ints("strides", {2, 2});
  model
      .Node("QLinearGlobalAveragePool",
            {"largest_q", "sum_scale", "sum_zero", "average_scale", "average_zero"}, {"average_q"})
      .Domain("com.microsoft");
  model.Node("Flatten", {"average_q"}, {"flat_q"});
  layer("QGemm", "flat_q", "average", dense_).Int("transB", 1).Domain("com.microsoft");
  if (!serves_codes) dequantize("dense_q", "dense", "y");
  return model;
}

std::vector<int64_t> QuantizedNet::InputCodes(const quant::FloatTensor& x) const {
  std::vector<int64_t> codes;
  for (const float v : x.data) codes.push_back(ToByte(Rational(v) / Rational(input_.scale), input_.zero));
  return codes;
}

std::vector<int64_t> QuantizedNet::Rescaled(const std::vector<int64_t>& sums, const Layer& layer,
                                            const Grid& x, Gain gain) const {
  std::vector<int64_t> codes;
  const size_t inner = sums.size() / layer.bias.size();
  for (size_t i = 0; i < sums.size(); ++i) {
    const size_t c = i / inner;
    const float w_scale = layer.scales[layer.scales.size() == 1 ? 0 : c];
    const Rational real = Rational(x.scale) * Rational(w_scale) / Rational(layer.to.scale);
    const Rational factor = gain == Gain::kReal ? real : Rational(x.scale * w_scale / layer.to.scale);
    codes.push_back(ToByte(factor * (sums[i] + layer.bias[c]), layer.to.zero));
  }
  return codes;
}

std::vector<int64_t> QuantizedNet::OutputCodes(const std::vector<int64_t>& x, Gain gain) const {
  std::vector<int64_t> sums(kChannels * kPixels, 0);
  for (int64_t oc = 0; oc < kChannels; ++oc) {
    for (int64_t p = 0; p < kPixels; ++p) {
      for (int64_t ic = 0; ic < 3; ++ic) {
        ForTaps(p / kSize, p % kSize, [&](int64_t tap, int64_t pixel) {
          sums[oc * kPixels + p] +=
              (x[ic * kPixels + pixel] - input_.zero) * first_.codes[(oc * 3 + ic) * 9 + tap];
        });
      }
    }
  }
  const std::vector<int64_t> first = Rescaled(sums, first_, input_, gain);
  sums.assign(sums.size(), 0);
  for (int64_t c = 0; c < kChannels; ++c) {
    for (int64_t p = 0; p < kPixels; ++p) {
      ForTaps(p / kSize, p % kSize, [&](int64_t tap, int64_t pixel) {
        sums[c * kPixels + p] +=
            (first[c * kPixels + pixel] - first_.to.zero) * (depthwise_.codes[c * 9 + tap] - depthwise_.zero);
      });
    }
  }
  const std::vector<int64_t> depthwise = Rescaled(sums, depthwise_, first_.to, gain);
  std::vector<int64_t> pooled;
  for (int64_t c = 0; c < kChannels; ++c) {
    int64_t total = 0;
    for (int64_t p = 0; p < kPooled * kPooled; ++p) {
      int64_t largest = 0;
      for (const int64_t corner : {int64_t{0}, int64_t{1}, kSize, kSize + 1}) {
        const int64_t i = c * kPixels + p / kPooled * 2 * kSize + p % kPooled * 2 + corner;
        const Rational a = Rational(first_.to.scale) * (first[i] - first_.to.zero);
        const Rational b = Rational(depthwise_.to.scale) * (depthwise[i] - depthwise_.to.zero);
        largest = std::max(largest, ToByte((a + b) / Rational(sum_.scale), sum_.zero));
      }
      total += largest - sum_.zero;
    }
    pooled.push_back(
        ToByte(Rational(sum_.scale) * total / (Rational(average_.scale) * kPooled * kPooled), average_.zero));
  }
  sums.assign(dense_.bias.size(), 0);
  for (int64_t n = 0; n < std::ssize(dense_.bias); ++n) {
    for (int64_t k = 0; k < kChannels; ++k) {
      sums[n] += (pooled[k] - average_.zero) * dense_.codes[n * kChannels + k];
    }
  }
  return Rescaled(sums, dense_, average_, gain);
}

}  // namespace tally::onnx
