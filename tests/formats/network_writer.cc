#include "tests/formats/network_writer.h"

#include <cmath>
#include <utility>

namespace tally {

using coreml::Floats;
using coreml::Message;
using quant::Shape;

namespace {

std::string Param(int id, int64_t value) { return " " + std::to_string(id) + "=" + std::to_string(value); }
std::string Param(int id, float value) {
  char text[64];
  std::snprintf(text, sizeof text, " %d=%#.9g", id, static_cast<double>(value));
  return text;
}

const Message kHardSigmoid = Message().Add(41, Message().Add(1, 1.0f / 6).Add(2, 0.5f));

// Decimals of ncnn's files are read as ncnn does, not to the nearest float: these are exact.
constexpr float kEpsilon = 1.0f / 128;

std::vector<int64_t> Both(int64_t size) { return {size, size}; }

int64_t Sized(int64_t size, int64_t stride) { return (size + stride - 1) / stride; }

}  // namespace

NetworkWriter::NetworkWriter(int64_t channels, int64_t size, uint32_t seed)
    : onnx_(14), nhwc_(8), random_(seed), x_{"x", "x", "x", {}, channels, size} {
  onnx_.Input("x", {1, channels, size, size});
  nhwc_.Input("x", {1, size, size, channels});
  ncnn_.Input("x", {channels, size, size});
  x_.ir = ir_.Parameter("x", x_.dims());
  exact_.Array("x", x_.dims());
  five_.Array("x", {channels, size, size});
}

std::vector<float> NetworkWriter::Drawn(int64_t count, double deviation, double mean) {
  std::normal_distribution<double> distribution(mean, deviation);
  std::vector<float> data;
  for (int64_t i = 0; i < count; ++i) data.push_back(static_cast<float>(distribution(random_)));
  return data;
}

Blob NetworkWriter::New(int64_t channels, int64_t size) {
  const std::string name = "v" + std::to_string(next_++);
  return {name, name, name, {}, channels, size};
}

void NetworkWriter::InIr(Blob& y, const std::string& type, std::vector<openvino::IrWriter::Port> inputs,
                         const std::string& data, const std::string& version) {
  y.ir = ir_.Layer(type, y.onnx, inputs, {y.dims()}, data, version)[0];
}

void NetworkWriter::InCoreml(int type, const std::vector<std::string>& inputs, const std::string& output,
                             const Message& params) {
  exact_.Layer(type, inputs, {output}, params);
  five_.Layer(type, inputs, {output}, params);
}

openvino::IrWriter::Port NetworkWriter::IrConstant(const Shape& shape, const std::vector<float>& data) {
  return ir_.Constant("w" + std::to_string(next_++), shape, data);
}

openvino::IrWriter::Port NetworkWriter::IrList(const std::vector<int64_t>& list) {
  return ir_.Integers("s" + std::to_string(next_++), {std::ssize(list)}, list);
}

std::string NetworkWriter::Weight(onnx::ModelBuilder& model, const Shape& shape, std::vector<float> data) {
  const std::string name = "w" + std::to_string(next_++);
  model.Weight(name, {shape, std::move(data)});
  return name;
}

// Layers that do nothing give the names that a test asks for.
void NetworkWriter::Output(const Blob& y) {
  onnx_.Node("Identity", {y.onnx}, {"y"});
  onnx_.Output("y");
  const Shape shape = y.size == 0 ? Shape{1, y.channels} : Shape{1, y.size, y.size, y.channels};
  nhwc_.Integers("shape", {{std::ssize(shape)}, shape}).Node("Reshape", {y.nhwc, "shape"}, {"y"});
  nhwc_.Output("y");
  ncnn_.Layer("Noop", {y.ncnn}, {"y"});
  InCoreml(130, {y.onnx}, "y", Message().Add(5, Message().Add(1, 1.0f)));
  exact_.Output("y", y.dims());
  const std::vector<int64_t> dims = y.dims();
  five_.Output("y", {dims.begin() + 1, dims.end()});
  ir_.Result(ir_.Layer("Reshape", "y", {y.ir, IrList(y.dims())}, {y.dims()}, "special_zero=\"false\"")[0]);
}

std::vector<Blob> NetworkWriter::Split(const Blob& x, int64_t count) {
  std::vector<Blob> copies(static_cast<size_t>(count), x);
  std::vector<std::string> names;
  for (Blob& copy : copies) names.push_back(copy.ncnn = "v" + std::to_string(next_++));
  ncnn_.Layer("Split", {x.ncnn}, names);
  return copies;
}

Blob NetworkWriter::Simple(const std::string& op, const std::string& layer, const std::string& operation,
                           const std::vector<Blob>& inputs, const std::string& params) {
  Blob y = New(inputs[0].channels, inputs[0].size);
  std::vector<std::string> names, blobs, others;
  for (const Blob& input : inputs) {
    names.push_back(input.onnx);
    blobs.push_back(input.ncnn);
    others.push_back(input.nhwc);
  }
  onnx_.Node(op, names, {y.onnx});
  nhwc_.Node(op, others, {y.nhwc});
  ncnn_.Layer(layer, blobs, {y.ncnn}, params);
  std::vector<openvino::IrWriter::Port> ports;
  for (const Blob& input : inputs) ports.push_back(input.ir);
  InIr(y, operation, ports);
  return y;
}

Blob NetworkWriter::Conv(const Blob& x, int64_t out, int64_t kernel, int64_t stride, int64_t groups) {
  Blob y = New(out, Sized(x.size, stride));
  const int64_t in = x.channels / groups, taps = kernel * kernel;
  const std::vector<float> weight = Drawn(out * in * taps, std::sqrt(2.0 / static_cast<double>(in * taps)));
  const std::vector<float> bias = Drawn(out, 0.1);
  onnx_
      .Node("Conv", {x.onnx, Weight(onnx_, {out, in, kernel, kernel}, weight), Weight(onnx_, {out}, bias)},
            {y.onnx})
      .Int("group", groups)
      .Ints("strides", {stride, stride})
      .String("auto_pad", "SAME_UPPER");
  const std::string common = Param(0, out) + Param(1, kernel) + Param(3, stride) + Param(4, int64_t{-233}) +
                             Param(5, int64_t{1}) + Param(6, std::ssize(weight));
  ncnn_.Layer(groups == 1 ? "Convolution" : "ConvolutionDepthWise", {x.ncnn}, {y.ncnn},
              groups == 1 ? common : common + Param(7, groups));
  ncnn_.Tagged(weight).Raw(bias);
  InCoreml(100, {x.onnx}, y.onnx,
           Message()
               .Add(1, out)
               .Add(2, in)
               .Add(10, groups)
               .Add(20, Both(kernel))
               .Add(30, Both(stride))
               .Add(51, Message())
               .Add(70, 1)
               .Add(90, Floats(weight))
               .Add(91, Floats(bias)));
  const std::string steps = std::to_string(stride) + "," + std::to_string(stride);
  Blob product = New(out, y.size);
  InIr(product, groups == 1 ? "Convolution" : "GroupConvolution",
       {x.ir, groups == 1 ? IrConstant({out, in, kernel, kernel}, weight)
                          : IrConstant({groups, out / groups, in, kernel, kernel}, weight)},
       "strides=\"" + steps +
           "\" dilations=\"1,1\" pads_begin=\"0,0\" pads_end=\"0,0\" auto_pad=\"same_upper\"");
  InIr(y, "Add", {product.ir, IrConstant({1, out, 1, 1}, bias)});
  const bool is_depthwise = groups == x.channels && groups > 1;
  std::vector<float> turned;  // [kH, kW, C, multiplier], or [M, kH, kW, C]
  const auto at = [&](int64_t o, int64_t i, int64_t t) {
    return weight[static_cast<size_t>((o * in + i) * taps + t)];
  };
  if (is_depthwise) {
    for (int64_t t = 0; t < taps; ++t) {
      for (int64_t o = 0; o < out; ++o) turned.push_back(at(o, 0, t));
    }
    const Blob product = New(out, y.size);
    nhwc_
        .Node("DepthwiseConv2d", {x.nhwc, Weight(nhwc_, {kernel, kernel, groups, out / groups}, turned)},
              {product.nhwc})
        .Ints("strides", {1, stride, stride, 1})
        .String("pads", "SAME");
    nhwc_.Node("AddBias", {product.nhwc, Weight(nhwc_, {out}, bias)}, {y.nhwc});
    return y;
  }
  for (int64_t o = 0; o < out; ++o) {
    for (int64_t t = 0; t < taps; ++t) {
      for (int64_t i = 0; i < in; ++i) turned.push_back(at(o, i, t));
    }
  }
  nhwc_
      .Node("Conv", {x.nhwc, Weight(nhwc_, {out, kernel, kernel, in}, turned), Weight(nhwc_, {out}, bias)},
            {y.nhwc})
      .Int("group", groups)
      .Ints("strides", {stride, stride})
      .String("pads", "SAME");
  return y;
}

Blob NetworkWriter::Norm(const Blob& x) {
  Blob y = New(x.channels, x.size);
  const std::vector<float> scale = Drawn(x.channels, 0.2, 1), bias = Drawn(x.channels, 0.1);
  const std::vector<float> mean = Drawn(x.channels, 0.1);
  std::vector<float> variance = Drawn(x.channels, 0.1, 1);
  for (float& v : variance) v = std::abs(v) + 0.1f;
  for (auto [model, in, out] : {std::tuple{&onnx_, x.onnx, y.onnx}, std::tuple{&nhwc_, x.nhwc, y.nhwc}}) {
    std::vector<std::string> inputs = {in};
    for (const std::vector<float>* list : {&scale, &bias, &mean, &std::as_const(variance)}) {
      inputs.push_back(Weight(*model, {x.channels}, *list));
    }
    model->Node("BatchNormalization", inputs, {out}).Float("epsilon", kEpsilon);
  }
  ncnn_.Layer("BatchNorm", {x.ncnn}, {y.ncnn}, Param(0, x.channels) + Param(1, kEpsilon));
  ncnn_.Raw(scale).Raw(mean).Raw(variance).Raw(bias);
  InCoreml(160, {x.onnx}, y.onnx,
           Message()
               .Add(1, x.channels)
               .Add(10, kEpsilon)
               .Add(15, Floats(scale))
               .Add(16, Floats(bias))
               .Add(17, Floats(mean))
               .Add(18, Floats(variance)));
  std::vector<openvino::IrWriter::Port> inputs = {x.ir};
  for (const std::vector<float>* list : {&scale, &bias, &mean, &std::as_const(variance)})
    inputs.push_back(IrConstant({x.channels}, *list));
  InIr(y, "BatchNormInference", inputs, "epsilon=\"0.0078125\"", "opset5");
  return y;
}

Blob NetworkWriter::Relu(const Blob& x) {
  Blob y = Simple("Relu", "ReLU", "ReLU", {x});
  InCoreml(130, {x.onnx}, y.onnx, Message().Add(10, Message()));
  return y;
}
Blob NetworkWriter::Sigmoid(const Blob& x) {
  Blob y = Simple("Sigmoid", "Sigmoid", "Sigmoid", {x});
  InCoreml(130, {x.onnx}, y.onnx, Message().Add(40, Message()));
  return y;
}
Blob NetworkWriter::Add(const Blob& a, const Blob& b) {
  Blob y = Simple("Add", "BinaryOp", "Add", {a, b});
  exact_.Layer(880, {a.onnx, b.onnx}, {y.onnx});
  five_.Layer(230, {a.onnx, b.onnx}, {y.onnx});
  return y;
}

Blob NetworkWriter::Relu6(const Blob& x) {
  Blob y = New(x.channels, x.size);
  onnx_.Node("Clip", {x.onnx, Weight(onnx_, {}, {0}), Weight(onnx_, {}, {6})}, {y.onnx});
  nhwc_.Node("Relu6", {x.nhwc}, {y.nhwc});
  ncnn_.Layer("Clip", {x.ncnn}, {y.ncnn}, "0=0.0 1=6.0");
  InIr(y, "Clamp", {x.ir}, "min=\"0\" max=\"6\"");
  exact_.Layer(660, {x.onnx}, {y.onnx}, Message().Add(1, 0.0f).Add(2, 6.0f));
  // As converters write it: -max(-max(x, 0), -6).
  const Message negate = Message().Add(5, Message().Add(1, -1.0f));
  five_.Layer(130, {x.onnx}, {y.onnx + "r"}, Message().Add(10, Message()));
  five_.Layer(130, {y.onnx + "r"}, {y.onnx + "n"}, negate);
  five_.Layer(220, {y.onnx + "n"}, {y.onnx + "c"}, Message().Add(1, 7).Add(2, -6.0f).Add(5, 1.0f));
  five_.Layer(130, {y.onnx + "c"}, {y.onnx}, negate);
  return y;
}

Blob NetworkWriter::HardSwish(const Blob& x) {
  has_nhwc_ = false;
  Blob y = Simple("HardSwish", "HardSwish", "HSwish", {x}, Param(0, 1.0f / 6) + Param(1, 0.5f));
  InCoreml(130, {x.onnx}, y.onnx + "g", kHardSigmoid);
  InCoreml(231, {x.onnx, y.onnx + "g"}, y.onnx);
  return y;
}

Blob NetworkWriter::HardSigmoid(const Blob& x) {
  has_nhwc_ = false;
  Blob y = New(x.channels, x.size);
  onnx_.Node("HardSigmoid", {x.onnx}, {y.onnx}).Float("alpha", 1.0f / 6).Float("beta", 0.5f);
  ncnn_.Layer("HardSigmoid", {x.ncnn}, {y.ncnn}, Param(0, 1.0f / 6) + Param(1, 0.5f));
  InIr(y, "HardSigmoid", {x.ir, IrConstant({}, {1.0f / 6}), IrConstant({}, {0.5f})});
  InCoreml(130, {x.onnx}, y.onnx, kHardSigmoid);
  return y;
}

Blob NetworkWriter::MaxPool(const Blob& x, int64_t kernel, int64_t stride) {
  Blob y = New(x.channels, Sized(x.size, stride));
  onnx_.Node("MaxPool", {x.onnx}, {y.onnx})
      .Ints("kernel_shape", {kernel, kernel})
      .Ints("strides", {stride, stride})
      .String("auto_pad", "SAME_UPPER");
  nhwc_.Node("MaxPool", {x.nhwc}, {y.nhwc})
      .Ints("kernel_shape", {kernel, kernel})
      .Ints("strides", {stride, stride})
      .String("pads", "SAME");
  ncnn_.Layer("Pooling", {x.ncnn}, {y.ncnn}, Param(1, kernel) + Param(2, stride) + Param(5, int64_t{2}));
  InCoreml(120, {x.onnx}, y.onnx, Message().Add(10, Both(kernel)).Add(20, Both(stride)).Add(31, Message()));
  const std::string sides = std::to_string(kernel) + "," + std::to_string(kernel),
                    steps = std::to_string(stride) + "," + std::to_string(stride);
  InIr(y, "MaxPool", {x.ir},
       "kernel=\"" + sides + "\" strides=\"" + steps +
           "\" pads_begin=\"0,0\" pads_end=\"0,0\" auto_pad=\"same_upper\"");
  return y;
}

Blob NetworkWriter::GlobalPool(const Blob& x) {
  Blob image = New(x.channels, 1), y = New(x.channels, 0);
  InIr(image, "ReduceMean", {x.ir, IrList({2, 3})}, "keep_dims=\"true\"");
  InIr(y, "Reshape", {image.ir, IrList({1, -1})}, "special_zero=\"false\"");
  onnx_.Node("GlobalAveragePool", {x.onnx}, {image.onnx});
  onnx_.Node("Flatten", {image.onnx}, {y.onnx});
  nhwc_.Node("GlobalAveragePool", {x.nhwc}, {image.nhwc});
  nhwc_.Node("Flatten", {image.nhwc}, {y.nhwc});
  ncnn_.Layer("Pooling", {x.ncnn}, {y.ncnn}, "0=1 4=1");
  InCoreml(120, {x.onnx}, image.onnx, Message().Add(1, 1).Add(60, 1));
  exact_.Layer(1130, {image.onnx}, {y.onnx}, Message().Add(1, 1));
  five_.Layer(301, {image.onnx}, {y.onnx});
  return y;
}

Blob NetworkWriter::Gate(const Blob& x, const Blob& list) {
  has_nhwc_ = false;
  Blob image = New(list.channels, 1), y = New(x.channels, x.size);
  InIr(image, "Reshape", {list.ir, IrList({1, list.channels, 1, 1})}, "special_zero=\"false\"");
  InIr(y, "Multiply", {x.ir, image.ir});
  const std::string shape = "s" + std::to_string(next_++);
  onnx_.Integers(shape, {{4}, {1, list.channels, 1, 1}});
  onnx_.Node("Reshape", {list.onnx, shape}, {image.onnx});
  onnx_.Node("Mul", {x.onnx, image.onnx}, {y.onnx});
  ncnn_.Layer("BinaryOp", {x.ncnn, list.ncnn}, {y.ncnn}, "0=2");
  exact_.Layer(1125, {list.onnx}, {image.onnx}, Message().Add(1, std::vector<int64_t>{2, 3}));
  exact_.Layer(900, {x.onnx, image.onnx}, {y.onnx});
  five_.Layer(231, {x.onnx, list.onnx}, {y.onnx});
  return y;
}

Blob NetworkWriter::Concat(const std::vector<Blob>& parts) {
  Blob y = New(0, parts[0].size);
  std::vector<std::string> names, blobs, others;
  for (const Blob& part : parts) {
    y.channels += part.channels;
    names.push_back(part.onnx);
    blobs.push_back(part.ncnn);
    others.push_back(part.nhwc);
  }
  onnx_.Node("Concat", names, {y.onnx}).Int("axis", 1);
  nhwc_.Node("Concat", others, {y.nhwc}).Int("axis", 3);
  ncnn_.Layer("Concat", blobs, {y.ncnn}, "0=0");
  InCoreml(320, names, y.onnx);
  std::vector<openvino::IrWriter::Port> ports;
  for (const Blob& part : parts) ports.push_back(part.ir);
  InIr(y, "Concat", ports, "axis=\"1\"");
  return y;
}

Blob NetworkWriter::Part(const Blob& x, int64_t begin, int64_t end) {
  Blob y = New(end - begin, x.size);
  InIr(y, "StridedSlice", {x.ir, IrList({0, begin}), IrList({0, end}), IrList({1, 1})},
       "begin_mask=\"1,0\" end_mask=\"1,0\"");
  InCoreml(350, {x.onnx}, y.onnx, Message().Add(1, begin).Add(2, end).Add(3, 1));
  const std::string from = "s" + std::to_string(next_++), to = "s" + std::to_string(next_++),
                    axis = from + to;
  onnx_.Integers(from, {{1}, {begin}}).Integers(to, {{1}, {end}}).Integers(axis, {{1}, {1}});
  onnx_.Node("Slice", {x.onnx, from, to, axis}, {y.onnx});
  nhwc_.Node("Slice", {x.nhwc}, {y.nhwc}).Ints("axes", {3}).Ints("starts", {begin}).Ints("ends", {end});
  ncnn_.Layer("Crop", {x.ncnn}, {y.ncnn},
              " -23309=1," + std::to_string(begin) + " -23310=1," + std::to_string(end) + " -23311=1,0");
  return y;
}

Blob NetworkWriter::Shuffle(const Blob& x, int64_t groups) {
  Blob y = New(x.channels, x.size);
  InIr(y, "ShuffleChannels", {x.ir}, "axis=\"1\" group=\"" + std::to_string(groups) + "\"");
  const int64_t each = x.channels / groups;
  const auto rearrange = [&](onnx::ModelBuilder& model, const std::string& in, const std::string& out,
                             const Shape& split, const std::vector<int64_t>& order, const Shape& joined) {
    const std::string a = "s" + std::to_string(next_++), b = "s" + std::to_string(next_++);
    model.Integers(a, {{std::ssize(split)}, split}).Integers(b, {{std::ssize(joined)}, joined});
    model.Node("Reshape", {in, a}, {a + "_split"});
    model.Node("Transpose", {a + "_split"}, {a + "_moved"}).Ints("perm", order);
    model.Node("Reshape", {a + "_moved", b}, {out});
  };
  rearrange(onnx_, x.onnx, y.onnx, {1, groups, each, x.size, x.size}, {0, 2, 1, 3, 4},
            {1, x.channels, x.size, x.size});
  rearrange(nhwc_, x.nhwc, y.nhwc, {1, x.size, x.size, groups, each}, {0, 1, 2, 4, 3},
            {1, x.size, x.size, x.channels});
  has_five_ = false;
  exact_.Layer(1140, {x.onnx}, {y.onnx + "s"},
               Message().Add(1, std::vector<int64_t>{1, groups, each, x.size, x.size}));
  exact_.Layer(985, {y.onnx + "s"}, {y.onnx + "m"}, Message().Add(1, std::vector<int64_t>{0, 2, 1, 3, 4}));
  exact_.Layer(1140, {y.onnx + "m"}, {y.onnx}, Message().Add(1, y.dims()));
  ncnn_.Layer("ShuffleChannel", {x.ncnn}, {y.ncnn}, Param(0, groups));
  return y;
}

Blob NetworkWriter::Dense(const Blob& list, int64_t out) {
  Blob y = New(out, 0);
  const int64_t in = list.channels;
  const std::vector<float> weight = Drawn(out * in, std::sqrt(1.0 / static_cast<double>(in)));
  const std::vector<float> bias = Drawn(out, 0.1);
  onnx_.Node("Gemm", {list.onnx, Weight(onnx_, {out, in}, weight), Weight(onnx_, {out}, bias)}, {y.onnx})
      .Int("transB", 1);
  InCoreml(140, {list.onnx}, y.onnx,
           Message().Add(1, in).Add(2, out).Add(10, 1).Add(20, Floats(weight)).Add(21, Floats(bias)));
  std::vector<float> turned;  // [in, out]
  for (int64_t i = 0; i < in; ++i) {
    for (int64_t o = 0; o < out; ++o) turned.push_back(weight[static_cast<size_t>(o * in + i)]);
  }
  nhwc_.Node("Dense", {list.nhwc, Weight(nhwc_, {in, out}, turned), Weight(nhwc_, {out}, bias)}, {y.nhwc});
  Blob product = New(out, 0);
  InIr(product, "MatMul", {list.ir, IrConstant({out, in}, weight)}, "transpose_b=\"true\"");
  InIr(y, "Add", {product.ir, IrConstant({1, out}, bias)});
  ncnn_.Layer("InnerProduct", {list.ncnn}, {y.ncnn},
              Param(0, out) + Param(1, int64_t{1}) + Param(2, std::ssize(weight)));
  ncnn_.Tagged(weight).Raw(bias);
  return y;
}

Blob NetworkWriter::Softmax(const Blob& list) {
  Blob y = New(list.channels, 0);
  InIr(y, "SoftMax", {list.ir}, "axis=\"1\"");
  onnx_.Node("Softmax", {list.onnx}, {y.onnx}).Int("axis", 1);
  nhwc_.Node("Softmax", {list.nhwc}, {y.nhwc}).Int("axis", 1);
  ncnn_.Layer("Softmax", {list.ncnn}, {y.ncnn}, "0=0 1=1");
  exact_.Layer(950, {list.onnx}, {y.onnx}, Message().Add(1, 1));
  five_.Layer(175, {list.onnx}, {y.onnx});
  return y;
}

}  // namespace tally
