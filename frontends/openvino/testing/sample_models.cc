#include "frontends/openvino/testing/sample_models.h"

#include <cmath>

namespace tally::openvino {
namespace {

using Port = IrWriter::Port;

// Not all equal, and of both signs.
std::vector<float> Weights(int n) {
  std::vector<float> weights;
  for (int i = 0; i < n; ++i) weights.push_back(std::sin(static_cast<float>(3 * i + 1)));
  return weights;
}

IrWriter Image() {
  IrWriter ir;
  Port x = ir.Parameter("x", {1, 2, 6, 6});
  const Port w = ir.Constant("w", {4, 2, 3, 3}, Weights(72));
  const std::string windows = "strides=\"1,1\" dilations=\"1,1\" pads_begin=\"1,1\" pads_end=\"1,1\"";
  x = ir.Layer("Convolution", "conv", {x, w}, {{1, 4, 6, 6}}, windows)[0];
  x = ir.Layer("Add", "bias", {x, ir.Constant("b", {1, 4, 1, 1}, Weights(4))}, {{1, 4, 6, 6}})[0];
  x = ir.Layer("PReLU", "prelu", {x, ir.Constant("slope", {4}, Weights(4))}, {{1, 4, 6, 6}})[0];
  x = ir.Layer("GroupConvolution", "depthwise", {x, ir.Constant("v", {4, 1, 1, 3, 3}, Weights(36))},
               {{1, 4, 6, 6}}, windows)[0];
  x = ir.Layer(
      "MaxPool", "pool", {x}, {{1, 4, 3, 3}},
      "strides=\"2,2\" pads_begin=\"0,0\" pads_end=\"0,0\" kernel=\"2,2\" rounding_type=\"floor\"")[0];
  x = ir.Layer("Interpolate", "larger", {x, ir.Integers("size", {2}, {6, 6})}, {{1, 4, 6, 6}},
               "axes=\"2,3\" mode=\"nearest\" align_corners=\"false\"")[0];
  x = ir.Layer("ReduceMean", "mean", {x, ir.Integers("axes", {2}, {2, 3})}, {{1, 4}},
               "keep_dims=\"False\"")[0];
  x = ir.Layer("MatMul", "dense", {x, ir.Constant("m", {4, 3}, Weights(12))}, {{1, 3}})[0];
  ir.Result(ir.Layer("SoftMax", "y", {x}, {{1, 3}}, "axis=\"1\"")[0]);
  return ir;
}

IrWriter Shapes() {
  IrWriter ir;
  const Port x = ir.Parameter("x", {2, 3, 4});
  const auto parts =
      ir.Layer("VariadicSplit", "parts",
               {x, ir.Integers("axis", {}, {1}), ir.Integers("sizes", {2}, {1, -1})}, {{2, 1, 4}, {2, 2, 4}});
  const Port joined = ir.Layer("Concat", "joined", {parts[1], parts[0]}, {{2, 3, 4}}, "axis=\"1\"")[0];
  const Port shape = ir.Layer("ShapeOf", "shape", {joined}, {{3}})[0];
  const Port first =
      ir.Layer("StridedSlice", "first",
               {shape, ir.Integers("b", {1}, {0}), ir.Integers("e", {1}, {1}), ir.Integers("s", {1}, {1})},
               {{1}}, "begin_mask=\"0\" end_mask=\"0\"")[0];
  const Port wanted =
      ir.Layer("Concat", "wanted", {first, ir.Integers("rest", {1}, {-1})}, {{2}}, "axis=\"0\"")[0];
  const Port flat = ir.Layer("Reshape", "flat", {joined, wanted}, {{2, 12}}, "special_zero=\"true\"")[0];
  const Port best = ir.Layer("TopK", "best", {flat, ir.Integers("k", {}, {3})}, {{2, 3}, {2, 3}},
                             "axis=\"1\" mode=\"max\" sort=\"value\"")[0];
  const Port turned = ir.Layer("Transpose", "turned", {best, ir.Integers("order", {2}, {1, 0})}, {{3, 2}})[0];
  ir.Result(ir.Layer("Pad", "y", {turned, ir.Integers("pb", {2}, {0, 1}), ir.Integers("pe", {2}, {1, 0})},
                     {{4, 3}}, "pad_mode=\"constant\"")[0]);
  return ir;
}

IrWriter Sequence() {
  IrWriter ir;
  const Port x = ir.Parameter("x", {1, 3, 2}), zeros = ir.Constant("zeros", {1, 1, 2}, {0, 0});
  const auto y =
      ir.Layer("LSTMSequence", "lstm",
               {x, zeros, zeros, ir.Integers("lengths", {1}, {3}), ir.Constant("w", {1, 8, 2}, Weights(16)),
                ir.Constant("r", {1, 8, 2}, Weights(16)), ir.Constant("b", {1, 8}, Weights(8))},
               {{1, 1, 3, 2}, {1, 1, 2}, {1, 1, 2}}, "hidden_size=\"2\" direction=\"forward\"");
  const Port low = ir.Constant("low", {}, {-1}), high = ir.Constant("high", {}, {0.9921875f});
  ir.Result(
      ir.Layer("FakeQuantize", "codes", {y[0], low, high, low, high}, {{1, 1, 3, 2}}, "levels=\"256\"")[0]);
  ir.Result(ir.Layer("MVN", "normal", {y[1]}, {{1, 1, 2}}, "eps=\"0.001\" across_channels=\"true\"")[0]);
  return ir;
}

// h = tanh(h + x[t]) over three steps, by a body without constants.
IrWriter Loop() {
  IrWriter body;
  const Port step = body.Parameter("x", {1, 1, 2}), before = body.Parameter("h", {1, 1, 2});
  const Port sum = body.Layer("Add", "sum", {step, before}, {{1, 1, 2}})[0];
  body.Result(body.Layer("Tanh", "after", {sum}, {{1, 1, 2}})[0]);
  IrWriter ir;
  const std::string inner =
      "<port_map><input external_port_id=\"0\" internal_layer_id=\"0\" axis=\"1\" part_size=\"1\"/>"
      "<input external_port_id=\"1\" internal_layer_id=\"1\"/>"
      "<output external_port_id=\"2\" internal_layer_id=\"4\" axis=\"1\"/>"
      "<output external_port_id=\"3\" internal_layer_id=\"4\"/></port_map>"
      "<back_edges><edge from-layer=\"4\" to-layer=\"1\"/></back_edges><body>" +
      body.graph() + "</body>";
  const auto y = ir.Layer("TensorIterator", "y", {ir.Parameter("x", {1, 3, 2}), ir.Parameter("h", {1, 1, 2})},
                          {{1, 3, 2}, {1, 1, 2}}, "", "opset1", inner);
  ir.Result(y[0]);
  ir.Result(y[1]);
  return ir;
}

}  // namespace

std::vector<SampleModel> SampleModels() {
  return {{"image", Image()}, {"loop", Loop()}, {"sequence", Sequence()}, {"shapes", Shapes()}};
}

}  // namespace tally::openvino
