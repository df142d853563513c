// QuantizeLinear, DequantizeLinear and operators on quantized tensors: what becomes of them, and what is
// refused.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <sstream>
#include <string>
#include <variant>

#include "base/error.h"
#include "frontends/onnx/float/import_onnx.h"
#include "frontends/onnx/testing/model_builder.h"
#include "quant/lower/lower.h"
#include "quant/lower/pinned_grids.h"

namespace tally::onnx {
namespace {

using ::onnx::TensorProto;
using quant::FloatTensor;
using quant::Int64Tensor;
using quant::QuantizedType;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

FloatTensor Scalar(float x) { return {{}, {x}}; }
Int64Tensor Scalar64(int64_t x) { return {{}, {x}}; }

// A model with x [1, 4] and a grid of uint8, "s" and "z".
ModelBuilder WithGrid(int64_t opset = 13) {
  ModelBuilder model(opset);
  model.Input("x", {1, 4}).Weight("s", Scalar(0.5f)).Codes("z", TensorProto::UINT8, Scalar64(130));
  return model;
}

// The grids of a graph's quantizers, in order.
std::vector<QuantizedType> GridsOf(const quant::Graph& graph) {
  std::vector<QuantizedType> grids;
  for (const quant::Node& node : graph.nodes) {
    if (const auto* quantize = std::get_if<quant::FakeQuantize>(&node.op)) grids.push_back(quantize->grid);
  }
  return grids;
}

QuantizedType Even(double scale, int64_t zero, Interval interval) {
  return {scale, zero, interval, Rounding::kHalfEven};
}

const quant::ConstantCodes* WeightCodes(const quant::Graph& graph) {
  for (const quant::Node& node : graph.nodes) {
    if (quant::TraitsOf(node.op).has_weights) return quant::CodesOf(graph, node.operands[1]);
  }
  return nullptr;
}

TEST(ImportQuantize, APairOnAnActivationIsAGridOfSignedIntegers) {
  ModelBuilder model = WithGrid();
  model.Output("y").Node("QuantizeLinear", {"x", "s", "z"}, {"q"});
  model.Node("DequantizeLinear", {"q", "s", "z"}, {"y"});
  const auto graph = model.Import();
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(OpsOf(*graph), "FakeQuantize");
  EXPECT_EQ(GridsOf(*graph), std::vector{Even(0.5, 2, {-128, 127})});
  // Ties to even; -65 and 62.5 are the ends.
  const auto y = model.Run({{{1, 4}, {0.25f, 0.75f, 1000, -1000}}});
  EXPECT_EQ(std::get<FloatTensor>(y.at(0)).data, (std::vector<float>{0, 1, 62.5f, -65}));
}

TEST(ImportQuantize, GridsAreThoseOfTheTypes) {
  const auto grid = [](int type, int64_t zero) {
    ModelBuilder model(21);
    model.Input("x", {1, 4}).Output("y").Weight("s", Scalar(1));
    if (type == 21 || type == 22) {  // two in a byte
      auto* codes = model.graph().add_initializer();
      codes->set_name("z");
      codes->set_data_type(type);
      codes->set_raw_data(std::string(1, static_cast<char>(zero & 15)));
    } else {
      model.Codes("z", type, Scalar64(zero));
    }
    model.Node("QuantizeLinear", {"x", "s", "z"}, {"q"});
    model.Node("DequantizeLinear", {"q", "s", "z"}, {"y"});
    const auto graph = model.Import();
    EXPECT_TRUE(graph.ok()) << graph.status();
    return graph.ok() ? GridsOf(*graph).at(0) : QuantizedType{};
  };
  EXPECT_EQ(grid(TensorProto::INT8, -128), Even(1, -128, {-128, 127}));
  EXPECT_EQ(grid(TensorProto::UINT8, 255), Even(1, 127, {-128, 127}));
  EXPECT_EQ(grid(TensorProto::INT16, 5), Even(1, 5, {-32768, 32767}));
  EXPECT_EQ(grid(TensorProto::UINT16, 0), Even(1, -32768, {-32768, 32767}));
  EXPECT_EQ(grid(21, 9), Even(1, 9, {0, 15}));
  EXPECT_EQ(grid(22, -3), Even(1, -3, {-8, 7}));
}

TEST(ImportQuantize, WithoutAZeroPointCodesAreBytesFrom0) {
  ModelBuilder model(13);
  model.Input("x", {1, 4}).Output("y").Weight("s", Scalar(1));
  model.Node("QuantizeLinear", {"x", "s"}, {"q"});
  model.Node("DequantizeLinear", {"q", "s"}, {"y"});
  EXPECT_EQ(GridsOf(*model.Import()), std::vector{Even(1, -128, {-128, 127})});
}

TEST(ImportQuantize, InputsAndOutputsOfBytesAreServedAsBytes) {
  ModelBuilder model(13);
  model.IntegerInput("x", {1, 4}, TensorProto::UINT8).Output("y");
  model.Weight("s", Scalar(0.5f)).Codes("z", TensorProto::UINT8, Scalar64(130));
  model.Node("Flatten", {"x"}, {"flat"});
  model.Node("DequantizeLinear", {"flat", "s", "z"}, {"real"});
  model.Node("Relu", {"real"}, {"positive"});
  model.Node("QuantizeLinear", {"positive", "s", "z"}, {"y"});
  const auto graph = model.Import();
  ASSERT_TRUE(graph.ok()) << graph.status();
  const auto module = quant::LowerToModule(*graph, {}, {});
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->entry().params[0].interval, (Interval{0, 255}));
  EXPECT_EQ(module->metadata.params[0].quantization->zero_point, 130);
  EXPECT_EQ(module->metadata.results[0].quantization->zero_point, 130);
  const auto report = CheckOnnx(model.Bytes());
  EXPECT_EQ(report->inputs, std::vector<std::string>{"x uint8[1, 4]"});
  EXPECT_EQ(report->outputs, std::vector<std::string>{"y uint8[1, 4]"});
}

TEST(ImportQuantize, ConstantsKeepCodesAndScalesAlongTheirAxis) {
  ModelBuilder model = WithGrid();
  model.Output("y").Weight("ws", {{3}, {0.5f, 0.25f, 2}});
  model.Codes("w", TensorProto::INT8, {{4, 3}, {1, 2, 3, -128, 5, 6, 7, 8, 127, 0, -1, -2}});
  model.Codes("wz", TensorProto::INT8, {{3}, {0, 1, 0}});
  model.Node("DequantizeLinear", {"w", "ws", "wz"}, {"real"}).Int("axis", -1);
  model.Node("MatMul", {"x", "real"}, {"y"});
  const auto graph = model.Import();
  ASSERT_TRUE(graph.ok()) << graph.status();
  const quant::ConstantCodes* codes = WeightCodes(*graph);
  ASSERT_NE(codes, nullptr);
  // As [3, 4], less the zero points.
  EXPECT_EQ(codes->codes, (std::vector<int32_t>{1, -128, 7, 0, 1, 4, 7, -2, 3, 6, 127, -2}));
  EXPECT_EQ(codes->scales, (std::vector<double>{0.5, 0.25, 2}));
  EXPECT_EQ(codes->axis, 0);
  const auto y = model.Run({{{1, 4}, {1, 0, 0, 1}}});
  EXPECT_EQ(std::get<FloatTensor>(y.at(0)).data, (std::vector<float>{0.5f, -0.25f, 2}));
}

TEST(ImportQuantize, CodesStayWithARowOfAConvolutionAndGoWhereChannelsMix) {
  const auto codes_after = [](const std::string& op, std::vector<int64_t> shape) {
    ModelBuilder model(13);
    model.Input("x", {1, 2, 6}).Output("y").Weight("ws", {{2}, {0.5f, 0.25f}});
    model.Codes("w", TensorProto::INT8, {{2, 2, 1}, {1, 2, 3, 4}});
    model.Integers("shape", {{std::ssize(shape)}, shape});
    model.Node("DequantizeLinear", {"w", "ws"}, {"real"}).Int("axis", 0);
    model.Node(op, {"real", "shape"}, {"moved"});
    model.Node("Conv", {"x", "moved"}, {"y"});
    const auto graph = model.Import();
    EXPECT_TRUE(graph.ok()) << graph.status();
    const quant::ConstantCodes* codes = graph.ok() ? WeightCodes(*graph) : nullptr;
    return codes == nullptr ? std::vector<double>() : codes->scales;
  };
  EXPECT_EQ(codes_after("Reshape", {2, 2, 1}), (std::vector<double>{0.5, 0.25}));
  EXPECT_EQ(codes_after("Reshape", {1, 2, 2}),
            (std::vector<double>{0.5, 0.25}));  // [1, 2, 1, 2]: along its inputs
}

TEST(ImportQuantize, AQuantizedFloatWeightHasCodesToo) {
  ModelBuilder model = WithGrid();
  model.Output("y").Weight("w", {{2, 4}, {0.1f, 0.5f, -7, 300, 1, 2, 3, 4}}).Weight("ws", {{2}, {1, 0.5f}});
  model.Codes("wz", TensorProto::INT8, {{2}, {0, 0}});
  model.Node("QuantizeLinear", {"w", "ws", "wz"}, {"q"}).Int("axis", 0);
  model.Node("DequantizeLinear", {"q", "ws", "wz"}, {"real"}).Int("axis", 0);
  model.Node("Gemm", {"x", "real"}, {"y"}).Int("transB", 1);
  const auto graph = model.Import();
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(WeightCodes(*graph)->codes, (std::vector<int32_t>{0, 0, -7, 127, 2, 4, 6, 8}));
}

// x -> `op` on quantized tensors, of n operands that are all x -> y.
quant::Graph OfQuantized(const std::string& op, int n, const std::string& domain = "com.microsoft") {
  ModelBuilder model = WithGrid();
  model.Output("y").Weight("t", Scalar(0.25f)).Node("QuantizeLinear", {"x", "s", "z"}, {"q"});
  std::vector<std::string> inputs;
  if (op == "QLinearConcat") inputs = {"t", "z"};
  for (int i = 0; i < n; ++i) inputs.insert(inputs.end(), {"q", "s", "z"});
  if (op != "QLinearConcat") inputs.insert(inputs.end(), {"t", "z"});
  NodeBuilder node = model.Node(op, inputs, {"qy"});
  node.Domain(domain);
  if (op == "QLinearConcat") node.Int("axis", 1);
  model.Node("DequantizeLinear", {"qy", "t", "z"}, {"y"});
  const auto graph = model.Import();
  EXPECT_TRUE(graph.ok()) << graph.status();
  EXPECT_TRUE(CheckOnnx(model.Bytes())->imports());
  return graph.ok() ? *graph : quant::Graph();
}

TEST(ImportQuantize, OperatorsOnQuantizedTensorsAreFloatOperatorsBetweenGrids) {
  EXPECT_EQ(OpsOf(OfQuantized("QLinearAdd", 2)), "FakeQuantize Add FakeQuantize");
  EXPECT_EQ(OpsOf(OfQuantized("QLinearMul", 2)), "FakeQuantize Mul FakeQuantize");
  EXPECT_EQ(OpsOf(OfQuantized("QLinearConcat", 3)), "FakeQuantize Concat FakeQuantize");
  EXPECT_EQ(OpsOf(OfQuantized("QLinearSigmoid", 1)), "FakeQuantize Unary FakeQuantize");
  EXPECT_EQ(OpsOf(OfQuantized("QLinearLeakyRelu", 1)), "FakeQuantize Slopes FakeQuantize");
  EXPECT_EQ(OpsOf(OfQuantized("QLinearSoftmax", 1)), "FakeQuantize Softmax FakeQuantize");
  const quant::Graph add = OfQuantized("QLinearAdd", 2);
  EXPECT_EQ(GridsOf(add).at(1), Even(0.25, 2, {-128, 127}));
  EXPECT_TRUE(quant::ValuesToCalibrate(add, {}).empty());
}

TEST(ImportQuantize, AGemmOnQuantizedTensorsKeepsTheCodesOfItsBias) {
  for (const quant::Shape& shape : {quant::Shape{2}, quant::Shape{1, 2}}) {
    ModelBuilder model = WithGrid();
    model.Output("y").Weight("ws", {{2}, {1, 0.5f}}).Codes("c", TensorProto::INT32, {shape, {100000001, -7}});
    model.Codes("w", TensorProto::INT8, {{4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}})
        .Codes("wz", TensorProto::INT8, {{2}, {0, 0}});
    model.Node("QuantizeLinear", {"x", "s", "z"}, {"q"});
    model.Node("QGemm", {"q", "s", "z", "w", "ws", "wz", "c"}, {"y"})
        .Domain("com.microsoft")
        .Float("alpha", 2);
    const auto graph = model.Import();
    ASSERT_TRUE(graph.ok()) << graph.status();
    const quant::Node& dense = graph->nodes.back();
    ASSERT_TRUE(std::holds_alternative<quant::Dense>(dense.op));
    const quant::ConstantCodes* bias = quant::CodesOf(*graph, dense.operands[2]);
    ASSERT_NE(bias, nullptr);
    EXPECT_EQ(bias->codes, (std::vector<int32_t>{100000001, -7}));
    EXPECT_EQ(bias->scales, (std::vector<double>{1, 0.5}));  // alpha, 0.5 and those of the weights
    EXPECT_EQ(WeightCodes(*graph)->codes, (std::vector<int32_t>{1, 3, 5, 7, 2, 4, 6, 8}));
    EXPECT_EQ(WeightCodes(*graph)->scales, (std::vector<double>{2, 1}));
  }
}

// Exporters write weights as [outputs, inputs] codes and transpose what they stand for.
TEST(ImportQuantize, WeightsAfterATransposeOrAReshapeKeepTheirCodes) {
  for (const std::string moves :
       {"Transpose", "Reshape Transpose", "Transpose Reshape Transpose Transpose"}) {
    ModelBuilder model = WithGrid();
    model.Output("y").Weight("ws", {{2}, {1, 0.5f}});
    model.Codes("w", TensorProto::INT8, {{2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}});
    model.Codes("wz", TensorProto::INT8, {{2}, {0, 0}});
    model.Integers("columns", {{2}, {4, 2}}).Integers("rows", {{2}, {2, 4}});
    model.Node("DequantizeLinear", {"w", "ws", "wz"}, {"moved"}).Int("axis", 0);
    std::string last = "moved";
    std::istringstream words(moves);
    bool is_columns = false;
    for (std::string word; words >> word;) {
      const std::string next = last + "_";
      if (word == "Transpose") is_columns = !is_columns;
      std::vector<std::string> reads = {last};
      if (word == "Reshape") reads.push_back(is_columns ? "columns" : "rows");
      model.Node(word, reads, {next});
      last = next;
    }
    ASSERT_TRUE(is_columns);
    model.Node("QuantizeLinear", {"x", "s", "z"}, {"q"});
    model.Node("DequantizeLinear", {"q", "s", "z"}, {"real"});
    model.Node("MatMul", {"real", last}, {"y"});
    const auto graph = model.Import();
    ASSERT_TRUE(graph.ok()) << graph.status();
    const quant::ConstantCodes* codes = WeightCodes(*graph);
    ASSERT_NE(codes, nullptr) << moves;
    EXPECT_EQ(codes->codes, (std::vector<int32_t>{1, 2, 3, 4, 5, 6, 7, 8})) << moves;  // a dense layer's
    EXPECT_EQ(codes->scales, (std::vector<double>{1, 0.5})) << moves;
    EXPECT_EQ(codes->axis, 0) << moves;
    EXPECT_EQ(std::get<FloatTensor>(model.Run({{{1, 4}, {1, 2, 3, 4}}})[0]).data,
              (std::vector<float>{30, 35}));
  }
}

// Refusals, each made by a change to a model that imports.
std::string LabelWith(const std::function<void(ModelBuilder&)>& spoil, int64_t opset = 21) {
  ModelBuilder model = WithGrid(opset);
  model.Output("y")
      .Weight("ws", {{2}, {1, 0.5f}})
      .Codes("w", TensorProto::INT8, {{2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}});
  model.Codes("wz", TensorProto::INT8, {{2}, {0, 0}});
  model.Node("QuantizeLinear", {"x", "s", "z"}, {"q"});                      // node 0
  model.Node("DequantizeLinear", {"q", "s", "z"}, {"real"});                 // node 1
  model.Node("DequantizeLinear", {"w", "ws", "wz"}, {"wr"}).Int("axis", 0);  // node 2
  model.Node("Gemm", {"real", "wr"}, {"y"}).Int("transB", 1);
  spoil(model);
  return model.ImportLabel();
}

::onnx::TensorProto& Initializer(ModelBuilder& model, const std::string& name) {
  for (auto& initializer : *model.graph().mutable_initializer()) {
    if (initializer.name() == name) return initializer;
  }
  return *model.graph().add_initializer();
}

TEST(ImportQuantize, RefusesWhatIsNoGrid) {
  EXPECT_EQ(LabelWith([](ModelBuilder&) {}), "");
  for (const float scale : {0.0f, -1.0f, kNaN, kInfinity}) {
    EXPECT_EQ(LabelWith([&](ModelBuilder& m) { SetTensor(Scalar(scale), &Initializer(m, "s")); }),
              "model_malformed")
        << scale;
    EXPECT_EQ(LabelWith([&](ModelBuilder& m) {
                SetTensor(FloatTensor{{2}, {1, scale}}, &Initializer(m, "ws"));
                Initializer(m, "ws").mutable_dims()->RemoveLast();
              }),
              "model_malformed")
        << scale;
  }
  // A zero point of another type than what it belongs to, and one of int32, which has none.
  EXPECT_EQ(LabelWith([](ModelBuilder& m) { Initializer(m, "wz").set_data_type(TensorProto::UINT8); }),
            "model_malformed");
  EXPECT_EQ(LabelWith([](ModelBuilder& m) {
              Initializer(m, "w").set_data_type(TensorProto::INT32);
              Initializer(m, "wz").set_data_type(TensorProto::INT32);
            }),
            "");
  EXPECT_EQ(LabelWith([](ModelBuilder& m) {
              Initializer(m, "w").set_data_type(TensorProto::INT32);
              Initializer(m, "wz").set_data_type(TensorProto::INT32);
              Initializer(m, "wz").set_int32_data(1, 1);
            }),
            "model_malformed");
}

TEST(ImportQuantize, RefusesScalesThatDoNotFit) {
  const auto with_node = [](int node, const std::string& attribute, int64_t value) {
    return LabelWith(
        [&](ModelBuilder& m) { NodeBuilder(m.graph().mutable_node(node)).Int(attribute, value); });
  };
  EXPECT_EQ(with_node(0, "block_size", 2), "model_unsupported_attribute");
  EXPECT_EQ(with_node(1, "block_size", 2), "model_unsupported_operand");
  EXPECT_EQ(LabelWith([](ModelBuilder& m) {  // along axis 1, of 4
              m.graph().mutable_node(2)->mutable_attribute(0)->set_i(1);
            }),
            "model_shape");
  EXPECT_EQ(LabelWith([](ModelBuilder& m) { m.graph().mutable_node(2)->mutable_attribute(0)->set_i(2); }),
            "model_malformed");
  EXPECT_EQ(LabelWith([](ModelBuilder& m) { m.graph().mutable_node(2)->set_input(2, "z"); }),
            "model_malformed");
  EXPECT_EQ(LabelWith([](ModelBuilder& m) { m.graph().mutable_node(0)->set_input(1, "ws"); }), "model_shape");
  EXPECT_EQ(LabelWith([](ModelBuilder& m) {  // an activation with a scale for each channel
              m.Weight("four", {{4}, {1, 2, 3, 4}}).Codes("four_z", TensorProto::UINT8, {{4}, {0, 0, 0, 0}});
              m.graph().mutable_node(0)->set_input(1, "four");
              m.graph().mutable_node(0)->set_input(2, "four_z");
            }),
            "model_unsupported_operand");
}

TEST(ImportQuantize, CodesMayBeReadOnAnotherGrid) {
  ModelBuilder model = WithGrid();
  model.Output("y").Weight("t", Scalar(2)).Codes("u", TensorProto::UINT8, Scalar64(1));
  model.Node("QuantizeLinear", {"x", "s", "z"}, {"q"});
  model.Node("DequantizeLinear", {"q", "t", "u"}, {"y"});
  const auto graph = model.Import();
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(GridsOf(*graph), (std::vector{Even(0.5, 2, {-128, 127}), Even(2, -127, {-128, 127})}));
  // The codes are 130, 132, 255 and 0; they mean 2 (code - 1).
  const auto y = model.Run({{{1, 4}, {0.25f, 0.75f, 1000, -1000}}});
  EXPECT_EQ(std::get<FloatTensor>(y.at(0)).data, (std::vector<float>{258, 262, 508, -2}));
}

// The sums are of integers, whatever scale QuantizeLinear has.
TEST(ImportQuantize, SumsOfIntegersAreThoseOfTheCodes) {
  ModelBuilder model = WithGrid();
  model.Output("y").Codes("w", TensorProto::INT8, {{4, 1}, {1, -2, 3, 4}});
  model.Node("QuantizeLinear", {"x", "s", "z"}, {"q"});
  model.Node("MatMulInteger", {"q", "w", "z"}, {"sums"});
  model.Node("Cast", {"sums"}, {"y"}).Int("to", TensorProto::FLOAT);
  const auto y = model.Run({{{1, 4}, {0.5f, 1, 1.5f, -2}}});
  EXPECT_EQ(std::get<FloatTensor>(y.at(0)).data, (std::vector<float>{1 - 2 * 2 + 3 * 3 - 4 * 4}));
}

TEST(ImportQuantize, RefusesWhatIsReadOtherwiseThanWritten) {
  EXPECT_EQ(LabelWith([](ModelBuilder& m) { m.graph().mutable_node(3)->set_input(0, "q"); }),
            "model_unsupported_type");  // codes as floats
  EXPECT_EQ(LabelWith([](ModelBuilder& m) { m.graph().mutable_node(1)->set_input(0, "x"); }),
            "model_unsupported_type");  // floats as codes
  EXPECT_EQ(LabelWith([](ModelBuilder& m) {
              m.Input("runtime", {});
              m.graph().mutable_node(0)->set_input(1, "runtime");
            }),
            "model_unsupported_operand");
}

TEST(ImportQuantize, AnInputOfCodesHasOneGrid) {
  ModelBuilder model(13);
  model.IntegerInput("x", {1, 4}, TensorProto::INT8)
      .Output("y")
      .Weight("s", Scalar(1))
      .Weight("t", Scalar(2));
  model.Node("Reshape", {"x", "shape"}, {"column"});
  model.Integers("shape", {{2}, {4, 1}});
  model.Node("DequantizeLinear", {"x", "s"}, {"a"});
  model.Node("DequantizeLinear", {"column", "t"}, {"b"});
  model.Node("MatMul", {"a", "b"}, {"y"});
  EXPECT_EQ(model.ImportLabel(), "model_unsupported_operand");
  model.graph().mutable_node(2)->set_input(1, "s");
  EXPECT_EQ(model.ImportLabel(), "");
}

TEST(ImportQuantize, RefusesOperatorsOfOtherLayouts) {
  const auto label = [](const std::function<void(NodeBuilder&)>& spoil, const std::string& op) {
    ModelBuilder model(13);
    model.Input("x", {1, 2, 4, 4})
        .Output("y")
        .Weight("s", Scalar(1))
        .Codes("z", TensorProto::UINT8, Scalar64(0));
    model.Node("QuantizeLinear", {"x", "s", "z"}, {"q"});
    NodeBuilder node = model.Node(op, {"q", "s", "z", "s", "z"}, {"qy"});
    node.Domain("com.microsoft");
    spoil(node);
    model.Node("DequantizeLinear", {"qy", "s", "z"}, {"y"});
    return model.ImportLabel();
  };
  const auto nothing = [](NodeBuilder&) {};
  EXPECT_EQ(label(nothing, "QLinearGlobalAveragePool"), "");
  EXPECT_EQ(label([](NodeBuilder& n) { n.Int("channels_last", 1); }, "QLinearGlobalAveragePool"),
            "model_unsupported_attribute");
  EXPECT_EQ(label([](NodeBuilder& n) { n.Int("opset", 12); }, "QLinearSoftmax"),
            "model_unsupported_attribute");
  EXPECT_EQ(label([](NodeBuilder& n) { n.proto().mutable_input()->RemoveLast(); }, "QLinearSoftmax"),
            "model_malformed");
  EXPECT_EQ(label([](NodeBuilder& n) { n.proto().clear_input(); }, "QLinearSoftmax"), "model_malformed");
  EXPECT_EQ(label(nothing, "QLinearReduceMean"), "model_unsupported_operator");
}

// x -> dynamic quantization of a product -> y.
ModelBuilder Dynamic() {
  ModelBuilder model(13);
  model.Input("x", {1, 4}).Output("y").Weight("ws", Scalar(0.5f)).Weight("bias", {{3}, {1, 2, 3}});
  model.Codes("w", TensorProto::UINT8, {{4, 3}, {128, 129, 130, 127, 126, 125, 0, 255, 128, 1, 2, 3}});
  model.Codes("wz", TensorProto::UINT8, Scalar64(128));
  model.Node("DynamicQuantizeLinear", {"x"}, {"q", "xs", "xz"});
  model.Node("Mul", {"xs", "ws"}, {"scale"});
  model.Node("MatMulInteger", {"q", "w", "xz", "wz"}, {"sums"});
  model.Node("Cast", {"sums"}, {"floats"}).Int("to", TensorProto::FLOAT);
  model.Node("Mul", {"floats", "scale"}, {"product"});
  model.Node("Add", {"product", "bias"}, {"y"});
  return model;
}

TEST(ImportQuantize, DynamicProductsAreProductsOfFloatsByCodes) {
  const ModelBuilder model = Dynamic();
  const auto graph = model.Import();
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(OpsOf(*graph), "Dense Add");
  EXPECT_EQ(WeightCodes(*graph)->codes,
            (std::vector<int32_t>{0, -1, -128, -127, 1, -2, 127, -126, 2, -3, 0, -125}));
  EXPECT_EQ(WeightCodes(*graph)->scales, std::vector<double>{0.5});
  const auto y = model.Run({{{1, 4}, {2, 0, 0, 0}}});
  EXPECT_EQ(std::get<FloatTensor>(y.at(0)).data, (std::vector<float>{1, 3, 5}));
  const auto report = CheckOnnx(model.Bytes());
  EXPECT_TRUE(report->imports());
  EXPECT_EQ(report->layers.size(), 6u);
}

TEST(ImportQuantize, DynamicConvolutionsToo) {
  ModelBuilder model(13);
  model.Input("x", {1, 1, 4, 4}).Output("y").Codes("w", TensorProto::INT8, {{1, 1, 2, 2}, {1, -2, 3, -4}});
  model.Node("DynamicQuantizeLinear", {"x"}, {"q", "xs", "xz"});
  model.Node("ConvInteger", {"q", "w", "xz"}, {"sums"}).Ints("pads", {1, 1, 0, 0});
  model.Node("Cast", {"sums"}, {"floats"}).Int("to", TensorProto::FLOAT);
  model.Node("Mul", {"xs", "floats"}, {"y"});
  const auto graph = model.Import();
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(OpsOf(*graph), "Conv");
  EXPECT_EQ(WeightCodes(*graph)->codes, (std::vector<int32_t>{1, -2, 3, -4}));
}

TEST(ImportQuantize, RefusesIntegersWhoseScaleGoesElsewhere) {
  ModelBuilder scale = Dynamic();
  scale.Output("xs");
  EXPECT_EQ(scale.ImportLabel(), "model_unsupported_operand");
  ModelBuilder sums = Dynamic();
  sums.Output("sums");
  EXPECT_EQ(sums.ImportLabel(), "model_unsupported_operand");
  EXPECT_NE(sums.ImportMessage().find("quantize_dynamic"), std::string::npos);
}

// Sums of integers that a constant scales, after an integer input: its codes have scale 1.
TEST(ImportQuantize, SumsOfIntegerInputs) {
  ModelBuilder model(13);
  model.IntegerInput("x", {1, 1, 1, 3}, TensorProto::UINT8).Output("y");
  model.Codes("w", TensorProto::INT8, {{2, 1, 1, 1}, {3, -2}}).Codes("xz", TensorProto::UINT8, {{}, {10}});
  model.Weight("scale", {{}, {0.5f}});
  model.Node("ConvInteger", {"x", "w", "xz"}, {"sums"});
  model.Node("Cast", {"sums"}, {"reals"}).Int("to", TensorProto::FLOAT);
  model.Node("Mul", {"reals", "scale"}, {"y"});
  // The graph has what codes stand for: 10 less.
  EXPECT_EQ(model.Run({{{1, 1, 1, 3}, {-10, 0, 4}}}),
            (std::vector<quant::Tensor>{FloatTensor{{1, 2, 1, 3}, {-15, 0, 6, 10, 0, -4}}}));
}

}  // namespace
}  // namespace tally::onnx
