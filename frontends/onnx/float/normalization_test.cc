#include <gtest/gtest.h>

#include "frontends/onnx/testing/model_builder.h"
#include "quant/passes/fold_batch_norm.h"

namespace tally::onnx {
namespace {

using quant::FloatTensor;
using quant::Tensor;

struct NormModel {
  NormModel(int64_t opset, const std::vector<std::string>& outputs) : model(opset) {
    model.Input("x", {1, 2, 1, 2}).Output("y");
    model.Weight("scale", {{2}, {2, 1}}).Weight("bias", {{2}, {0, 10}});
    model.Weight("mean", {{2}, {1, 3}}).Weight("var", {{2}, {3.5f, -0.25f}});
    node = model.Node("BatchNormalization", {"x", "scale", "bias", "mean", "var"}, outputs);
    node.Float("epsilon", 0.5f).Float("momentum", 0.9f);
  }

  ModelBuilder model;
  NodeBuilder node{nullptr};
};

TEST(ImportBatchNormalization, NormalizesWithStoredStatistics) {
  for (const int64_t opset : {7, 9, 13, 14, 15, 21}) {
    NormModel norm(opset, {"y"});
    EXPECT_EQ(norm.model.Run({{{1, 2, 1, 2}, {1, 2, 3, 4}}}),
              (std::vector<Tensor>{FloatTensor{{1, 2, 1, 2}, {0, 1, 10, 12}}}))
        << opset;
    const auto graph = norm.model.Import();
    EXPECT_EQ(OpsOf(*graph), "BatchNorm");
    EXPECT_EQ(OpsOf(*quant::FoldBatchNorm(*graph)), "Conv");
  }
}

// As converters of Keras write a layer norm; each list may be computed.
TEST(ImportBatchNormalization, NormalizesWithComputedStatistics) {
  const std::vector<std::string> lists = {"scale", "bias", "mean", "var"};
  for (const std::string& computed : lists) {
    ModelBuilder model(13);
    model.Input("x", {1, 2, 1, 2}).Input("list", {2}).Output("y");
    const std::vector<FloatTensor> values = {
        {{2}, {2, 1}}, {{2}, {0, 10}}, {{2}, {1, 3}}, {{2}, {3.5f, -0.25f}}};
    std::vector<std::string> inputs = {"x"};
    FloatTensor given;
    for (size_t i = 0; i < lists.size(); ++i) {
      inputs.push_back(lists[i] == computed ? "list" : lists[i]);
      if (lists[i] == computed) given = values[i];
      if (lists[i] != computed) model.Weight(lists[i], values[i]);
    }
    model.Node("BatchNormalization", inputs, {"y"}).Float("epsilon", 0.5f);
    EXPECT_EQ(model.Run({{{1, 2, 1, 2}, {1, 2, 3, 4}}, given}),
              (std::vector<Tensor>{FloatTensor{{1, 2, 1, 2}, {0, 1, 10, 12}}}))
        << computed;
  }
  ModelBuilder wrong(13);
  wrong.Input("x", {1, 2, 1, 2}).Input("list", {1}).Output("y");
  wrong.Weight("scale", {{2}, {2, 1}}).Weight("bias", {{2}, {0, 10}}).Weight("var", {{2}, {1, 1}});
  wrong.Node("BatchNormalization", {"x", "scale", "bias", "list", "var"}, {"y"});
  EXPECT_EQ(wrong.ImportLabel(), "model_shape");
}

TEST(ImportBatchNormalization, TrainingModeNeedsThePermissionOfTheUser) {
  const ImportOptions allowed = {.batch_norm_training_as_inference = true};
  NormModel by_attribute(15, {"y", "new_mean", "new_var"});
  by_attribute.node.Int("training_mode", 1);
  NormModel by_outputs(9, {"y", "new_mean", "new_var", "saved_mean", "saved_var"});
  for (const NormModel* norm : {&by_attribute, &by_outputs}) {
    EXPECT_EQ(norm->model.ImportLabel(), "model_unsupported_attribute");
    EXPECT_EQ(norm->model.ImportLabel(allowed), "");
    EXPECT_EQ(norm->model.Run({{{1, 2, 1, 2}, {1, 2, 3, 4}}}, allowed),
              (std::vector<Tensor>{FloatTensor{{1, 2, 1, 2}, {0, 1, 10, 12}}}));
  }
  by_attribute.model.Output("new_mean");  // no permission covers that
  EXPECT_EQ(by_attribute.model.ImportLabel(allowed), "model_unsupported_output");
}

TEST(ImportBatchNormalization, InferenceModeWithUnreadStatisticsIsInference) {
  NormModel norm(15, {"y", "", ""});
  norm.node.Int("training_mode", 0);
  EXPECT_EQ(norm.model.ImportLabel(), "");
  EXPECT_EQ(NormModel(9, {"y", "", "", "", ""}).model.ImportLabel(), "");
}

TEST(ImportBatchNormalization, SpatialIsAnAttributeBeforeOpset9) {
  for (const auto& [opset, spatial, label] :
       {std::tuple{7, 1, ""}, {8, 0, "model_unsupported_attribute"}, {9, 1, "model_unsupported_attribute"}}) {
    NormModel norm(opset, {"y"});
    norm.node.Int("spatial", spatial);
    EXPECT_EQ(norm.model.ImportLabel(), label) << opset;
  }
}

TEST(ImportBatchNormalization, Refusals) {
  ModelBuilder short_of_inputs;
  short_of_inputs.Input("x", {1, 2}).Weight("p", {{2}, {1, 1}}).Output("y");
  short_of_inputs.Node("BatchNormalization", {"x", "p", "p", "p"}, {"y"});
  EXPECT_EQ(short_of_inputs.ImportLabel(), "model_malformed");
  ModelBuilder wrong_size;
  wrong_size.Input("x", {1, 3}).Weight("p", {{2}, {1, 1}}).Output("y");
  wrong_size.Node("BatchNormalization", {"x", "p", "p", "p", "p"}, {"y"});
  EXPECT_EQ(wrong_size.ImportLabel(), "model_shape");
}

TEST(ImportDropout, IsNothingAtInference) {
  for (const int64_t opset : {7, 10, 12, 13}) {
    ModelBuilder model(opset);
    model.Input("x", {1, 3}).Output("y").Node("Dropout", {"x"}, {"y"});
    EXPECT_EQ(OpsOf(*model.Import()), "") << opset;
  }
  ModelBuilder inputs;
  inputs.Input("x", {1, 3}).Weight("ratio", {{}, {0.5f}}).Integers("training", {{}, {0}}).Output("y");
  inputs.Node("Dropout", {"x", "ratio", "training"}, {"y", "mask"}).Int("seed", 1);
  EXPECT_EQ(inputs.ImportLabel(), "");
  inputs.Output("mask");
  EXPECT_EQ(inputs.ImportLabel(), "model_unsupported_output");
}

TEST(ImportDropout, OnnxUnsupportedOperand_TrainingMode) {
  ModelBuilder constant;
  constant.Input("x", {1, 3}).Integers("training", {{}, {1}}).Output("y");
  constant.Node("Dropout", {"x", "", "training"}, {"y"});
  EXPECT_EQ(constant.ImportLabel(), "model_unsupported_operand");
  ModelBuilder nothing;  // as torchvision writes stochastic depth
  nothing.Input("x", {1, 3}).Weight("ratio", {{}, {0}}).Integers("training", {{}, {1}}).Output("y");
  nothing.Node("Dropout", {"x", "ratio", "training"}, {"y"});
  EXPECT_EQ(nothing.ImportLabel(), "");
  ModelBuilder run_time;
  run_time.Input("x", {1, 3}).Input("training", {}).Output("y").Node("Dropout", {"x", "", "training"}, {"y"});
  EXPECT_EQ(run_time.ImportLabel(), "model_unsupported_operand");
}

}  // namespace
}  // namespace tally::onnx
