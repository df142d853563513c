#include "frontends/onnx/testing/sample_models.h"

namespace tally::onnx {
namespace {

// Functions of one value, comparisons and reductions of x [2, 3, 4].
ModelBuilder ElementwiseModel() {
  ModelBuilder model(13);
  model.Input("x", {2, 3, 4}).Weight("slope", {{3, 1}, {0.25f, 0.5f, 0.125f}}).Weight("two", {{}, {2}});
  model.Integers("last", {{1}, {-1}}).Output("y").Output("large");
  const char* before = "x";
  for (const char* op : {"Sigmoid", "Tanh", "Exp", "Sqrt", "Erf", "Softplus", "HardSigmoid", "LeakyRelu"}) {
    model.Node(op, {before}, {op});
    before = op;
  }
  model.Node("PRelu", {before, "slope"}, {"p"});
  model.Node("Pow", {"p", "two"}, {"q"});
  model.Node("Div", {"q", "two"}, {"d"});
  model.Node("Sub", {"d", "x"}, {"s"});
  model.Node("Greater", {"s", "x"}, {"g"});
  model.Node("Where", {"g", "s", "x"}, {"w"});
  model.Node("ReduceSum", {"w", "last"}, {"r"}).Int("keepdims", 1);
  model.Node("ReduceMax", {"w"}, {"m"}).Ints("axes", {1}).Int("keepdims", 0);
  model.Node("Mul", {"r", "x"}, {"y"});
  model.Node("Neg", {"m"}, {"large"});
  return model;
}

// Ids [1, 4] that are embedded, normalized, and attend to each other after a mask of their own.
ModelBuilder AttentionModel() {
  ModelBuilder model(17);
  model.IntegerInput("ids", {1, 4}).IntegerInput("mask", {1, 4});
  model.Weight("embedding", SmallIntegers({6, 4}, 1)).Weight("scale", {{4}, {1, 2, 1, 2}});
  model.Weight("bias", {{4}, {0, 1, 0, -1}}).Weight("w", SmallIntegers({4, 4}, 2)).Weight("one", {{}, {1}});
  model.Weight("hides", {{}, {-10000}}).Integers("axes", {{2}, {1, 2}}).Output("y");
  model.Node("Gather", {"embedding", "ids"}, {"e"}).Int("axis", 0);
  model.Node("LayerNormalization", {"e", "scale", "bias"}, {"n"}).Int("axis", -1);
  model.Node("MatMul", {"n", "w"}, {"k"});
  model.Node("Transpose", {"k"}, {"t"}).Ints("perm", {0, 2, 1});
  model.Node("MatMul", {"n", "t"}, {"scores"});
  model.Node("Unsqueeze", {"mask", "axes"}, {"u"});
  model.Node("Cast", {"u"}, {"f"}).Int("to", ::onnx::TensorProto::FLOAT);
  model.Node("Sub", {"one", "f"}, {"i"});
  model.Node("Mul", {"i", "hides"}, {"h"});
  model.Node("Squeeze", {"h"}, {"z"});
  model.Node("Add", {"scores", "z"}, {"masked"});
  model.Node("Softmax", {"masked"}, {"p"}).Int("axis", -1);
  model.Node("MatMul", {"p", "n"}, {"y"});
  return model;
}

ModelBuilder RecurrentModel() {
  ModelBuilder model(14);
  model.Input("x", {3, 1, 2})
      .Weight("w", SmallIntegers({2, 8, 2}, 1))
      .Weight("r", SmallIntegers({2, 8, 2}, 2));
  model.Weight("b", SmallIntegers({2, 16}, 3)).Output("y").Output("h");
  model.Node("LSTM", {"x", "w", "r", "b"}, {"y", "h"})
      .Int("hidden_size", 2)
      .String("direction", "bidirectional");
  return model;
}

// Images [1, 2, 4, 4] that are resized, cut, joined and moved.
ModelBuilder LayoutModel() {
  ModelBuilder model(13);
  model.Input("x", {1, 2, 4, 4}).Weight("scales", {{4}, {1, 1, 2, 2}}).Output("y");
  model.Integers("starts", {{1}, {1}}).Integers("ends", {{1}, {7}}).Integers("axes", {{1}, {2}});
  model.Integers("pads", {{8}, {0, 0, 1, 1, 0, 0, 1, 1}}).Weight("w", SmallIntegers({4, 2, 2, 2}, 5));
  model.Node("Resize", {"x", "", "scales"}, {"r"}).String("mode", "linear");
  model.Node("Slice", {"r", "starts", "ends", "axes"}, {"s"});
  model.Node("Pad", {"s", "pads"}, {"p"});
  model.Node("Concat", {"p", "p"}, {"c"}).Int("axis", 1);
  model.Node("DepthToSpace", {"c"}, {"d"}).Int("blocksize", 2);
  model.Node("SpaceToDepth", {"d"}, {"b"}).Int("blocksize", 2);
  model.Node("ConvTranspose", {"b", "w"}, {"t"}).Ints("strides", {2, 2});
  model.Node("InstanceNormalization", {"t", "two", "two"}, {"y"});
  model.Weight("two", {{2}, {1, 2}});
  return model;
}

}  // namespace

ModelBuilder ImageModel(int64_t opset) {
  ModelBuilder model(opset);
  model.Input("x", {-1, 2, 6, 6}).Output("probabilities").Output("class");
  model.Weight("w", SmallIntegers({4, 2, 3, 3}, 1)).Weight("p", {{4}, {1, 2, 3, 4}});
  model.Weight("fc", SmallIntegers({3, 16}, 2)).Weight("fc_bias", SmallIntegers({3}, 3));
  model.Weight("side", SmallIntegers({3, 2}, 4)).Integers("zero", {{}, {0}}).Integers("rest", {{1}, {-1}});
  model.Integers("axes", {{1}, {0}}).Weight("six", {{}, {6}});
  model.Node("Conv", {"x", "w"}, {"c"}).Ints("pads", {1, 1, 1, 1}).Ints("strides", {1, 1}).Int("group", 1);
  model.Node("BatchNormalization", {"c", "p", "p", "p", "p"}, {"n"}).Float("epsilon", 1e-3f);
  model.Node("Relu", {"n"}, {"r"});
  model.Node("Add", {"r", "c"}, {"a"});
  model.Node("Dropout", {"a"}, {"d"});
  model.Node("MaxPool", {"d"}, {"m"})
      .Ints("kernel_shape", {2, 2})
      .Ints("strides", {2, 2})
      .Int("ceil_mode", 1);
  model.Node("AveragePool", {"m"}, {"v"}).Ints("kernel_shape", {2, 2}).String("auto_pad", "VALID");
  model.Node("Transpose", {"v"}, {"t"}).Ints("perm", {0, 2, 3, 1});
  model.Node("Shape", {"x"}, {"s"});
  model.Node("Gather", {"s", "zero"}, {"g"});
  model.Node("Constant", {}, {"k"}).Ints("value_ints", {1});
  model.Node("Reshape", {"g", "k"}, {"u"});
  model.Node("Concat", {"u", "rest"}, {"shape"}).Int("axis", 0);
  model.Node("Reshape", {"t", "shape"}, {"f"});
  model.Node("Gemm", {"f", "fc", "fc_bias"}, {"l"}).Int("transB", 1).Float("alpha", 0.5f);
  if (opset >= 11) {
    model.Node("Clip", {"l", "", "six"}, {"q"});
  } else {
    model.Node("Clip", {"l"}, {"q"}).Float("max", 6);
  }
  model.Node("MatMul", {"q", "side"}, {"b"});
  model.Node("Flatten", {"b"}, {"e"});
  model.Node("Softmax", {"e"}, {"probabilities"}).Int("axis", 1);
  model.Node("ArgMax", {"e"}, {"class"}).Int("axis", 1).Int("keepdims", 0);
  return model;
}

std::vector<SampleModel> SampleModels() {
  return {{"image_opset_10", ImageModel(10)},  {"image_opset_13", ImageModel(13)},
          {"elementwise", ElementwiseModel()}, {"attention", AttentionModel()},
          {"recurrent", RecurrentModel()},     {"layout", LayoutModel()}};
}

}  // namespace tally::onnx
