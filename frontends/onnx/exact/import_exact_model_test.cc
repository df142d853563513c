#include "frontends/onnx/exact/import_exact_model.h"

#include <gtest/gtest.h>

#include <memory>

#include "base/error.h"
#include "frontends/onnx/testing/model_builder.h"
#include "vm/engine.h"
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
  EXPECT_EQ(LabelOf(Floats()), "onnx_inexact");  // which floats?
  ModelBuilder exponential(13);
  exponential.Input("x", {2}).Output("y").Node("Exp", {"x"}, {"y"});
  EXPECT_EQ(LabelOf(exponential, With({"x", 4, {-16, 16}})), "onnx_unsupported_operator");
  ModelBuilder text = Floats();
  text.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(TensorProto::STRING);
  EXPECT_EQ(LabelOf(text), "onnx_unsupported_type");
  EXPECT_EQ(ErrorLabel(ImportExactModel({}).status()), "onnx_parse");
}

TEST(ImportExactModel, RefusesRangesAndShapesThatDoNotFit) {
  const auto of_shape = [](const std::string& name, const std::vector<int64_t>& dims) {
    ExactImportOptions options;
    options.shapes.shapes[name] = dims;
    return options;
  };
  EXPECT_EQ(LabelOf(Integers(), With({"z", 0, {0, 9}})), "onnx_malformed");
  EXPECT_EQ(LabelOf(Integers(), With({"x", 0, {9, 0}})), "onnx_malformed");
  EXPECT_EQ(LabelOf(Integers(), With({"x", 0, {0, 128}})), "onnx_malformed");
  EXPECT_EQ(LabelOf(Integers(), With({"x", 1, {0, 9}})), "onnx_malformed");
  EXPECT_EQ(LabelOf(Floats(), With({"x", 48, {0, 9}})), "onnx_malformed");
  EXPECT_EQ(LabelOf(Floats(), With({"x", -1, {0, 9}})), "onnx_malformed");
  EXPECT_EQ(LabelOf(Integers(), of_shape("x", {3})), "onnx_shape");
  EXPECT_EQ(LabelOf(Integers(), of_shape("x", {3, 5})), "onnx_shape");
  EXPECT_EQ(LabelOf(Integers(), of_shape("z", {3, 2})), "onnx_shape");
  EXPECT_EQ(LabelOf(Integers(), {.shapes = {.batch = 0}}), "onnx_shape");
  EXPECT_EQ(LabelOf(Integers(), of_shape("x", {3, 2})), "");
}

}  // namespace
}  // namespace tally::onnx
