#include "frontends/onnx/exact/import_exact_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "engines/engine.h"
#include "frontends/onnx/testing/model_builder.h"
#include "vm/validator.h"

namespace tally::onnx {
namespace {

using ::onnx::TensorProto;

// y = MatMulInteger(x, w) - 1 for x of int8 [?, 2].
ModelBuilder Integers() {
  ModelBuilder model(13);
  model.Input("x", {-1, 2}).Output("y");
  model.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(TensorProto::INT8);
  auto* w = model.graph().add_initializer();
  w->set_name("w");
  w->set_data_type(TensorProto::INT8);
  w->add_dims(2);
  w->add_dims(1);
  for (const int value : {3, -4}) w->add_int32_data(value);
  auto* one = model.graph().add_initializer();
  one->set_name("one");
  one->set_data_type(TensorProto::INT32);
  one->add_int32_data(1);
  model.Node("MatMulInteger", {"x", "w"}, {"product"});
  model.Node("Sub", {"product", "one"}, {"y"});
  return model;
}

// y = x + 0.25 for floats x [2].
ModelBuilder Floats() {
  ModelBuilder model(13);
  model.Input("x", {2}).Weight("quarter", {{}, {0.25f}}).Output("y");
  model.Node("Add", {"x", "quarter"}, {"y"});
  return model;
}

ExactImportOptions With(const InputRange& range) {
  ExactImportOptions options;
  options.ranges.push_back(range);
  return options;
}

std::string LabelOf(const ModelBuilder& model, const ExactImportOptions& options = {}) {
  return std::string(ErrorLabel(ImportExactModel(model.Bytes(), options).status()));
}

TEST(ImportExactModel, ComputesWhatTheFileSays) {
  auto module = ImportExactModel(Integers().Bytes(), {.shapes = {.batch = 2}});
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->metadata.params[0].name, "x");
  EXPECT_FALSE(module->metadata.params[0].quantization.has_value());
  auto valid = Validate(*std::move(module));
  ASSERT_TRUE(valid.ok()) << valid.status();
  EXPECT_EQ(valid->entry().params[0].ToString(), "[2,2] in [-128, 127]");
  const auto plan = *MakePlan("reference", std::make_shared<const ValidModule>(*std::move(valid)));
  const Tensor x = *Tensor::FromValues(*Shape::Create({2, 2}), {1, 2, -128, 127});
  const auto outcome = plan->Execute(std::vector{x.view()}, {});
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_EQ(outcome->results[0].view().at(0), 3 - 8 - 1);
  EXPECT_EQ(outcome->results[0].view().at(1), -384 - 508 - 1);
}

// y = op(x) of int64 x in [-100, 100], whose elements and shape are these.
std::vector<int64_t> OfIntegers(const quant::Shape& shape, const std::vector<int64_t>& x, const char* op,
                                const std::function<void(NodeBuilder&)>& say) {
  ModelBuilder model(18);
  model.IntegerInput("x", shape).Output("y");
  NodeBuilder node = model.Node(op, {"x"}, {"y"});
  say(node);
  auto module = ImportExactModel(model.Bytes(), With({"x", 0, {-100, 100}}));
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return {};
  EXPECT_FALSE(module->metadata.results[0].quantization.has_value());
  auto valid = Validate(*std::move(module));
  EXPECT_TRUE(valid.ok()) << valid.status();
  const auto plan = *MakePlan("reference", std::make_shared<const ValidModule>(*std::move(valid)));
  const Tensor input = *Tensor::FromValues(*Shape::Create(shape), x);
  const auto outcome = *plan->Execute(std::vector{input.view()}, {});
  std::vector<int64_t> y;
  const TensorView view = outcome.results[0].view();
  for (int64_t i = 0; i < view.shape.num_elements(); ++i) y.push_back(view.at(i));
  return y;
}

// A result with a fraction is rounded toward zero, as ONNX Runtime does.
TEST(ImportExactModel, IntegersHaveNoScale) {
  const auto along_rows = [](NodeBuilder& node) { node.Int("keepdims", 0); };
  EXPECT_EQ(OfIntegers({4}, {5, 2, 1, -5}, "ReduceMean", along_rows), (std::vector<int64_t>{0}));
  EXPECT_EQ(OfIntegers({2}, {5, 2}, "ReduceMean", along_rows), (std::vector<int64_t>{3}));
  EXPECT_EQ(OfIntegers({2}, {-5, 0}, "ReduceMean", along_rows), (std::vector<int64_t>{-2}));
  EXPECT_EQ(OfIntegers({4}, {5, 1, -3, 0}, "Shrink",
                       [](NodeBuilder& node) { node.Float("lambd", 1.5f).Float("bias", 1); }),
            (std::vector<int64_t>{4, 0, -2, 0}));
  EXPECT_EQ(OfIntegers({2}, {5, -5}, "Shrink",
                       [](NodeBuilder& node) { node.Float("lambd", 1).Float("bias", 0.5f); }),
            (std::vector<int64_t>{4, -4}));
}

TEST(ImportExactModel, ReductionsOverNoAxesAreOfEachElement) {
  const auto nothing = [](NodeBuilder& node) { node.Int("noop_with_empty_axes", 1); };
  const std::vector<int64_t> x = {3, -4, 5};
  EXPECT_EQ(OfIntegers({3}, x, "ReduceL1", nothing), (std::vector<int64_t>{3, 4, 5}));
  EXPECT_EQ(OfIntegers({3}, x, "ReduceSumSquare", nothing), (std::vector<int64_t>{9, 16, 25}));
  for (const char* op : {"ReduceSum", "ReduceMean", "ReduceMax"})
    EXPECT_EQ(OfIntegers({3}, x, op, nothing), x);
}

// From opset 18 on the last part may be smaller, and the node says how many there are.
TEST(ImportExactModel, SplitsIntoAsManyPartsAsTheNodeSays) {
  const auto split = [](int opset, int64_t size, int64_t stated) {
    ModelBuilder model(opset);
    model.IntegerInput("x", {size}).Output("a").Output("b");
    NodeBuilder node = model.Node("Split", {"x"}, {"a", "b"});
    if (stated > 0) node.Int("num_outputs", stated);
    return model;
  };
  const auto module = ImportExactModel(split(18, 5, 2).Bytes());
  ASSERT_TRUE(module.ok()) << module.status();
  ASSERT_EQ(LabelOf(split(13, 4, 0)), "");
  EXPECT_EQ(LabelOf(split(13, 5, 0)), "model_shape");
  EXPECT_EQ(LabelOf(split(18, 5, 3)), "model_malformed");
  EXPECT_NE(LabelOf(split(18, 1, 2)), "");
}

TEST(ImportExactModel, RangesNarrowIntegersAndScaleFloats) {
  auto narrow = ImportExactModel(Integers().Bytes(), With({"x", 0, {0, 9}}));
  ASSERT_TRUE(narrow.ok()) << narrow.status();
  EXPECT_EQ(narrow->entry().params[0].ToString(), "[1,2] in [0, 9]");
  auto floats = ImportExactModel(Floats().Bytes(), With({"x", 4, {-16, 16}}));
  ASSERT_TRUE(floats.ok()) << floats.status();
  EXPECT_EQ(floats->metadata.params[0].quantization, (Quantization{0, 1, 4}));
  EXPECT_EQ(floats->metadata.results[0].quantization, (Quantization{0, 1, 4}));
  const auto valid = Validate(*std::move(floats));
  ASSERT_TRUE(valid.ok()) << valid.status();
  EXPECT_EQ(valid->types().back().ToString(), "[2] in [-12, 20]");
}

TEST(ImportExactModel, ACountIsAResultOfItsOwn) {
  ModelBuilder model(13);
  model.Input("x", {3}).Output("places");
  model.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(TensorProto::INT8);
  model.Node("NonZero", {"x"}, {"places"});
  const auto module = ImportExactModel(model.Bytes());
  ASSERT_TRUE(module.ok()) << module.status();
  ASSERT_EQ(module->metadata.results.size(), 2u);
  EXPECT_EQ(module->metadata.results[1].name, "places.count");
}

TEST(ImportExactModel, RefusesWhatHasNoIntegers) {
  EXPECT_EQ(LabelOf(Floats()), "model_inexact");  // which floats?
  ModelBuilder exponential(13);
  exponential.Input("x", {2}).Output("y").Node("Exp", {"x"}, {"y"});
  EXPECT_EQ(LabelOf(exponential, With({"x", 4, {-16, 16}})), "model_unsupported_operator");
  ModelBuilder text = Floats();
  text.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(TensorProto::STRING);
  EXPECT_EQ(LabelOf(text), "model_unsupported_type");
  EXPECT_EQ(ErrorLabel(ImportExactModel({}).status()), "onnx_parse");
}

TEST(ImportExactModel, RefusesRangesAndShapesThatDoNotFit) {
  const auto of_shape = [](const std::string& name, const std::vector<int64_t>& dims) {
    ExactImportOptions options;
    options.shapes.shapes[name] = dims;
    return options;
  };
  EXPECT_EQ(LabelOf(Integers(), With({"z", 0, {0, 9}})), "model_malformed");
  EXPECT_EQ(LabelOf(Integers(), With({"x", 0, {9, 0}})), "model_malformed");
  EXPECT_EQ(LabelOf(Integers(), With({"x", 0, {0, 128}})), "model_malformed");
  EXPECT_EQ(LabelOf(Integers(), With({"x", 1, {0, 9}})), "model_malformed");
  EXPECT_EQ(LabelOf(Floats(), With({"x", 48, {0, 9}})), "model_malformed");
  EXPECT_EQ(LabelOf(Floats(), With({"x", -1, {0, 9}})), "model_malformed");
  EXPECT_EQ(LabelOf(Integers(), of_shape("x", {3})), "model_shape");
  EXPECT_EQ(LabelOf(Integers(), of_shape("x", {3, 5})), "model_shape");
  EXPECT_EQ(LabelOf(Integers(), of_shape("z", {3, 2})), "model_shape");
  EXPECT_EQ(LabelOf(Integers(), {.shapes = {.batch = 0}}), "model_shape");
  EXPECT_EQ(LabelOf(Integers(), of_shape("x", {3, 2})), "");
}

ModelBuilder OneNode(const std::string& op_type, const std::vector<std::string>& inputs,
                     int type = TensorProto::INT32, const std::vector<int64_t>& dims = {10}) {
  ModelBuilder model(13);
  model.IntegerInput("x", dims, type).Output("y");
  model.Node(op_type, inputs, {"y"});
  return model;
}

// The elements of the first result on engine reference for int values of the inputs, or nothing and a
// failure.
std::vector<int64_t> ResultOf(const ModelBuilder& model, const std::vector<std::vector<int64_t>>& inputs,
                              const ExactImportOptions& options = {}) {
  auto module = ImportExactModel(model.Bytes(), options);
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return {};
  auto valid = Validate(*std::move(module));
  EXPECT_TRUE(valid.ok()) << valid.status();
  if (!valid.ok()) return {};
  const auto shared = std::make_shared<const ValidModule>(*std::move(valid));
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < inputs.size(); ++i) {
    tensors.push_back(*Tensor::FromValues(shared->entry().params[i].shape, inputs[i]));
  }
  std::vector<TensorView> views;
  for (const Tensor& tensor : tensors) views.push_back(tensor.view());
  const auto outcome = (*MakePlan("reference", shared))->Execute(views, {});
  EXPECT_TRUE(outcome.ok()) << outcome.status();
  std::vector<int64_t> elements;
  if (!outcome.ok()) return elements;
  const TensorView y = outcome->results[0].view();
  for (int64_t i = 0; i < y.shape.num_elements(); ++i) elements.push_back(y.at(i));
  return elements;
}

using Elements = std::vector<int64_t>;

// ONNX has no value for an index outside of its axis: the VM's operators take the nearest place, or none.
TEST(ImportExactModel, RefusesConstantIndicesOutsideTheirAxis) {
  for (const int64_t index : {-11, 10}) {
    EXPECT_EQ(LabelOf(OneNode("Gather", {"x", "i"}).Integers("i", {{1}, {index}})), "model_malformed");
    EXPECT_EQ(LabelOf(OneNode("GatherElements", {"x", "i"}).Integers("i", {{1}, {index}})),
              "model_malformed");
    EXPECT_EQ(LabelOf(OneNode("GatherND", {"x", "i"}).Integers("i", {{1, 1}, {index}})), "model_malformed");
    for (const char* scatter : {"ScatterElements", "ScatterND"}) {
      const bool by_tuples = std::string(scatter) == "ScatterND";
      ModelBuilder model = OneNode(scatter, {"x", "i", "u"});
      model.Integers("i", {by_tuples ? quant::Shape{1, 1} : quant::Shape{1}, {index}});
      EXPECT_EQ(LabelOf(model.Codes("u", TensorProto::INT32, {{1}, {7}})), "model_malformed") << scatter;
    }
  }
  EXPECT_EQ(ResultOf(OneNode("Gather", {"x", "i"}).Integers("i", {{2}, {-10, 9}}),
                     {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}}),
            (Elements{1, 10}));
}

TEST(ImportExactModel, ComputedIndicesNarrowTheInputsThatTheyAre) {
  ModelBuilder model = OneNode("Gather", {"x", "flat"});
  model.IntegerInput("i", {1, 3}).Node("Squeeze", {"i"}, {"flat"});
  const auto module = ImportExactModel(model.Bytes());
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->entry().params[1].ToString(), "[1,3] in [0, 9]");
  // A range of the user's own stays, and has to fit.
  EXPECT_EQ(LabelOf(model, With({"i", 0, {-1, 10}})), "model_needs_range");
  const auto given = ImportExactModel(model.Bytes(), With({"i", 0, {-10, 9}}));
  ASSERT_TRUE(given.ok()) << given.status();
  EXPECT_EQ(given->entry().params[1].ToString(), "[1,3] in [-10, 9]");
}

TEST(ImportExactModel, ComputedIndicesThatAreNoInputsNeedARange) {
  ModelBuilder model(13);
  model.IntegerInput("x", {10}, TensorProto::INT32).IntegerInput("i", {3}).Output("y");
  model.Integers("one", {{}, {1}}).Node("Add", {"i", "one"}, {"next"});
  model.Node("Gather", {"x", "next"}, {"y"});
  EXPECT_EQ(LabelOf(model, With({"i", 0, {0, 9}})), "model_needs_range");
  EXPECT_EQ(LabelOf(model, With({"i", 0, {0, 8}})), "");
}

TEST(ImportExactModel, TuplesOfIndicesHaveBoundsOfTheirOwn) {
  const auto bounded = [](const std::vector<int64_t>& most) {
    ModelBuilder model = OneNode("GatherND", {"x", "place"}, TensorProto::INT32, {9, 3});
    model.IntegerInput("i", {4, 2}).Integers("most", {{2}, most}).Integers("least", {{}, {0}});
    model.Node("Max", {"i", "least"}, {"positive"});
    model.Node("Min", {"positive", "most"}, {"place"});
    return LabelOf(model, With({"i", 0, {-100, 100}}));
  };
  EXPECT_EQ(bounded({8, 2}), "");
  EXPECT_EQ(bounded({8, 3}), "model_needs_range");
  EXPECT_EQ(bounded({9, 2}), "model_needs_range");
  EXPECT_EQ(bounded({2, 8}), "model_needs_range");
}

TEST(ImportExactModel, LengthsOfSequencesLieWithinTheirAxis) {
  ModelBuilder model(13);
  model.IntegerInput("x", {4, 2}, TensorProto::INT32).Output("y");
  model.Integers("n", {{2}, {4, 5}}).Node("ReverseSequence", {"x", "n"}, {"y"});
  EXPECT_EQ(LabelOf(model), "model_needs_range");
  model.graph().mutable_initializer(0)->clear_raw_data();
  model.graph().mutable_initializer(0)->add_int64_data(4);
  model.graph().mutable_initializer(0)->add_int64_data(0);
  EXPECT_EQ(LabelOf(model), "");
}

TEST(ImportExactModel, RefusesDivisorsThatCanBeZero) {
  for (const char* op : {"Div", "Mod"}) {
    EXPECT_EQ(LabelOf(OneNode(op, {"x", "d"}).Codes("d", TensorProto::INT32, {{2}, {5, 0}})),
              "model_malformed")
        << op;
    ModelBuilder computed = OneNode(op, {"x", "d"});
    computed.IntegerInput("d", {10}, TensorProto::INT32);
    EXPECT_EQ(LabelOf(computed), "model_needs_range") << op;
    EXPECT_EQ(LabelOf(computed, With({"d", 0, {1, 9}})), "") << op;
  }
}

// As programs and our exporter write it: where the divisor is 0, another number.
TEST(ImportExactModel, DivisorsThatAreChosenAgainstZero) {
  const auto guarded = [](const char* comparison, bool zero_first, bool is_guard) {
    ModelBuilder model = OneNode("Div", {"x", "magnitude"});
    model.IntegerInput("d", {10}, TensorProto::INT32);
    model.Codes("zero", TensorProto::INT32, {{}, {0}}).Codes("one", TensorProto::INT32, {{}, {1}});
    model.Node(comparison, {zero_first ? "zero" : "d", zero_first ? "d" : "zero"}, {"is_zero"});
    model.Node("Where", {"is_zero", is_guard ? "one" : "d", is_guard ? "d" : "one"}, {"divisor"});
    model.Node("Abs", {"divisor"}, {"magnitude"});
    return LabelOf(model, With({"d", 0, {-9, 9}}));
  };
  EXPECT_EQ(guarded("Equal", false, true), "");
  EXPECT_EQ(guarded("Equal", true, true), "");
  EXPECT_EQ(guarded("Equal", false, false), "model_needs_range");  // the 0 is what is chosen
  EXPECT_EQ(guarded("Less", false, true), "model_needs_range");
}

TEST(ImportExactModel, SlicesToTheLargestAndLeastNumbers) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max(), kLeast = std::numeric_limits<int64_t>::min();
  const auto slice = [](int64_t begin, int64_t end, int64_t step) {
    ModelBuilder model = OneNode("Slice", {"x", "b", "e", "a", "s"}, TensorProto::INT32, {5});
    return model.Integers("b", {{1}, {begin}})
        .Integers("e", {{1}, {end}})
        .Integers("a", {{1}, {0}})
        .Integers("s", {{1}, {step}});
  };
  const std::vector<Elements> x = {{1, 2, 3, 4, 5}};
  EXPECT_EQ(ResultOf(slice(2, kMost, 1), x), (Elements{3, 4, 5}));
  EXPECT_EQ(ResultOf(slice(-1, kLeast, -2), x), (Elements{5, 3, 1}));
  EXPECT_EQ(ResultOf(slice(kMost, kLeast, -1), x), (Elements{5, 4, 3, 2, 1}));
  EXPECT_EQ(ResultOf(slice(0, kMost, kMost), x), (Elements{1}));
  // Where the number itself counts it is refused, at the node and as a result.
  EXPECT_EQ(LabelOf(OneNode("Add", {"x", "c"}, TensorProto::INT64).Integers("c", {{}, {kMost}})),
            "model_inexact");
  EXPECT_EQ(LabelOf(OneNode("Identity", {"c"}).Integers("c", {{}, {kLeast}})), "model_inexact");
}

// The upper half of uint64 is no negative number.
TEST(ImportExactModel, LargeUnsignedConstantsAreNotNegative) {
  ModelBuilder model = OneNode("Min", {"x", "c"}, TensorProto::UINT64, {1});
  auto* c = model.graph().add_initializer();
  c->set_name("c");
  c->set_data_type(TensorProto::UINT64);
  c->add_uint64_data(~uint64_t{0});
  EXPECT_EQ(LabelOf(model, With({"x", 0, {0, 9}})), "model_inexact");
}

TEST(ImportExactModel, ZeroPointsOfRowsAndColumns) {
  ModelBuilder model(13);
  model.IntegerInput("a", {2, 2}, TensorProto::UINT8).Output("y");
  model.Codes("b", TensorProto::UINT8, {{2, 3}, {1, 2, 3, 4, 5, 6}});
  model.Codes("az", TensorProto::UINT8, {{2}, {10, 20}}).Codes("bz", TensorProto::UINT8, {{3}, {1, 2, 3}});
  model.Node("MatMulInteger", {"a", "b", "az", "bz"}, {"y"});
  // Rows of a - az: (1, 2), (-19, 0); columns of b - bz: (0, 3), (0, 3), (0, 3).
  EXPECT_EQ(ResultOf(model, {{11, 12, 1, 20}}), (Elements{6, 6, 6, 0, 0, 0}));
  ModelBuilder misfit = model;
  misfit.graph().mutable_initializer(1)->set_dims(0, 3);
  misfit.graph().mutable_initializer(1)->add_int32_data(0);
  EXPECT_NE(LabelOf(misfit), "");
}

// Against the definition: round(sum * x_scale * w_scale / y_scale), ties to even, with scales of their own
// for both channels.
TEST(ImportExactModel, ScalesOfChannelsRoundAsTheDefinitionSays) {
  ModelBuilder model(13);
  model.IntegerInput("x", {1, 1, 1, 4}, TensorProto::UINT8).Output("y");
  model.Weight("xs", {{}, {0.5f}}).Weight("ws", {{2}, {0.25f, 0.3f}}).Weight("ys", {{}, {1}});
  model.Codes("xz", TensorProto::UINT8, {{}, {3}}).Codes("yz", TensorProto::UINT8, {{}, {100}});
  model.Codes("w", TensorProto::INT8, {{2, 1, 1, 1}, {4, -7}}).Codes("wz", TensorProto::INT8, {{2}, {0, 1}});
  model.Node("QLinearConv", {"x", "xs", "xz", "w", "ws", "wz", "ys", "yz"}, {"y"});
  Elements expected;
  const Elements x = {0, 4, 8, 255};
  for (const auto& [w, scale] : {std::pair(4, 0.5 * 0.25), std::pair(-8, 0.5 * double{0.3f})}) {
    for (const int64_t v : x) {
      const double y = std::nearbyint(static_cast<double>((v - 3) * w) * scale) + 100;
      expected.push_back(static_cast<int64_t>(std::clamp(y, 0.0, 255.0)));
    }
  }
  EXPECT_EQ(ResultOf(model, {x}), expected);
}

// A sixth has ties (9 / 6 = 1.5), and no multiplier of 31 bits is a sixth: a level in between begins
// elsewhere.
TEST(ImportExactModel, RefusesAMultiplierThatRoundsOtherwise) {
  const auto label = [](float y_scale) {
    ModelBuilder model(13);
    model.IntegerInput("a", {1, 1}, TensorProto::UINT8).Output("y");
    model.Weight("s", {{}, {1}}).Weight("ys", {{}, {y_scale}});
    model.Codes("b", TensorProto::UINT8, {{1, 1}, {2}}).Codes("z", TensorProto::UINT8, {{}, {0}});
    model.Node("QLinearMatMul", {"a", "s", "z", "b", "s", "z", "ys", "z"}, {"y"});
    return LabelOf(model);
  };
  EXPECT_EQ(label(4), "");
  EXPECT_EQ(label(6), "model_inexact");
}

TEST(ImportExactModel, ShiftsWrapInTheWidthOfTheirType) {
  const auto shift = [](const char* direction, int type) {
    ModelBuilder model(13);
    model.IntegerInput("x", {4}, type).IntegerInput("n", {4}, type).Output("y");
    model.Node("BitShift", {"x", "n"}, {"y"}).String("direction", direction);
    return model;
  };
  EXPECT_EQ(ResultOf(shift("LEFT", TensorProto::UINT8), {{255, 129, 3, 1}, {1, 1, 7, 8}}),
            (Elements{254, 2, 128, 0}));
  EXPECT_EQ(ResultOf(shift("RIGHT", TensorProto::UINT8), {{255, 129, 3, 255}, {1, 7, 8, 255}}),
            (Elements{127, 1, 0, 0}));
  EXPECT_EQ(ResultOf(shift("LEFT", TensorProto::UINT32), {{4294967295, 1, 1, 5}, {31, 31, 32, 4000000000}}),
            (Elements{2147483648, 2147483648, 0, 0}));
}

TEST(ImportExactModel, RangesBeyondTheVmSaySo) {
  const auto message = [](const ExactImportOptions& options) {
    return std::string(ImportExactModel(OneNode("Abs", {"x"}).Bytes(), options).status().message());
  };
  const int64_t far = int64_t{1} << 60;
  EXPECT_NE(message(With({"x", 0, {-far, far}})).find("48 bits"), std::string::npos);
  EXPECT_NE(message(With({"x", 0, {0, int64_t{1} << 40}})).find("of its type"), std::string::npos);
  // The refusal of values that can be too large says what helps.
  const absl::Status wide = ImportExactModel(OneNode("Mul", {"x", "x"}, TensorProto::INT64).Bytes()).status();
  EXPECT_NE(wide.message().find("--range"), std::string::npos) << wide;
}

// This importer refuses everything that the importer of floats refuses.
TEST(ImportExactModel, RefusesWindowsThatContradictThemselves) {
  const auto conv = [](const auto& spoil) {
    ModelBuilder model(13);
    model.IntegerInput("x", {1, 1, 5, 5}, TensorProto::UINT8).Output("y");
    model.Codes("w", TensorProto::UINT8, {{1, 1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}});
    NodeBuilder node = model.Node("ConvInteger", {"x", "w"}, {"y"});
    spoil(node);
    return LabelOf(model);
  };
  EXPECT_EQ(conv([](NodeBuilder&) {}), "");
  EXPECT_EQ(conv([](NodeBuilder& node) { node.Ints("kernel_shape", {2, 3}); }), "model_shape");
  EXPECT_EQ(conv([](NodeBuilder& node) {
              node.String("auto_pad", "VALID").Ints("pads", {1, 1, 1, 1});
            }),
            "model_malformed");
  EXPECT_EQ(conv([](NodeBuilder& node) { node.String("auto_pad", "SAME"); }), "model_malformed");
}

TEST(ImportExactModel, RefusesAResultThatIsNotAsDeclared) {
  ModelBuilder model = OneNode("Relu", {"x"});
  auto* declared = model.graph().mutable_output(0)->mutable_type()->mutable_tensor_type();
  declared->set_elem_type(TensorProto::INT32);
  declared->mutable_shape()->add_dim()->set_dim_value(10);
  EXPECT_EQ(LabelOf(model), "");
  declared->mutable_shape()->mutable_dim(0)->set_dim_value(11);
  EXPECT_EQ(LabelOf(model), "model_shape");
  declared->mutable_shape()->mutable_dim(0)->set_dim_param("n");
  EXPECT_EQ(LabelOf(model), "");
  declared->set_elem_type(TensorProto::INT64);
  EXPECT_EQ(LabelOf(model), "model_malformed");
}

TEST(ImportExactModel, NamesAreEscapedOnceAndBounded) {
  ModelBuilder model(13);
  const std::string odd = "it's \"caf\u00e9\" \\ \n", longest(256, 'n');
  model.IntegerInput(odd, {1}, TensorProto::INT8).Output(longest).Node("Relu", {odd}, {longest});
  const auto module = ImportExactModel(model.Bytes(), With({"it's \"caf\u00e9\" \\ \\u{a}", 0, {0, 1}}));
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->metadata.params[0].name, "it's \"caf\u00e9\" \\ \\u{a}");
  model.graph().mutable_output(0)->set_name(longest + "n");
  model.graph().mutable_node(0)->set_output(0, longest + "n");
  const absl::Status refusal = ImportExactModel(model.Bytes()).status();
  EXPECT_EQ(ErrorLabel(refusal), "model_name");
  EXPECT_NE(refusal.message().find("257 bytes"), std::string::npos) << refusal;
}

}  // namespace
}  // namespace tally::onnx
