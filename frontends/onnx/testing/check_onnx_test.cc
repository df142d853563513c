// CheckOnnx: all that a file would be refused for.
#include <gtest/gtest.h>

#include "base/error.h"
#include "frontends/onnx/float/import_onnx.h"
#include "frontends/onnx/testing/model_builder.h"

namespace tally::onnx {
namespace {

using frontend::LayerReport;

TEST(CheckOnnx, TellsInputsOutputsAndNodesOfAFileThatImports) {
  ModelBuilder model(13);
  model.Input("x", {-1, 3}).Output("y").Node("Relu", {"x"}, {"r"});
  model.Node("Softmax", {"r"}, {"y"});
  const auto report = CheckOnnx(model.Bytes(), {.shapes = {.batch = 4}});
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_TRUE(report->imports());
  EXPECT_EQ(report->format, "ONNX, opset 13");
  EXPECT_EQ(report->inputs, std::vector<std::string>{"x float32[4, 3]"});
  EXPECT_EQ(report->outputs, std::vector<std::string>{"y float32[4, 3]"});
  ASSERT_EQ(report->layers.size(), 2u);
  EXPECT_EQ(report->layers[1].kind, "Softmax");
  EXPECT_EQ(report->layers[1].fate, LayerReport::kImported);
  EXPECT_TRUE(report->others.empty());
}

TEST(CheckOnnx, TellsEveryRefusalOnceAndWhatIsHiddenBehindIt) {
  ModelBuilder model(13);
  model.Input("x", {1, 3}).Input("open", {1, -1}).Output("y").Output("z");
  model.Node("Relu", {"x"}, {"good"});
  model.Node("Det", {"x"}, {"lost"});                            // no such operator
  model.Node("Relu", {"lost"}, {"behind"});                      // imported, but of what?
  model.Node("MoE", {"behind"}, {"y"}).Domain("com.microsoft");  // refused whatever it reads
  model.Node("Softmax", {"good"}, {"z"}).Int("axis", 7);         // an attribute
  model.Node("Relu", {"open"}, {"of an input"});
  const auto report = CheckOnnx(model.Bytes());
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_FALSE(report->imports());
  using enum LayerReport::Fate;
  std::vector<LayerReport::Fate> fates;
  std::vector<std::string> labels;
  for (const LayerReport& node : report->layers) {
    fates.push_back(node.fate);
    labels.emplace_back(ErrorLabel(node.why));
  }
  EXPECT_EQ(fates, (std::vector{kImported, kRefused, kUnavailable, kRefused, kRefused, kUnavailable}));
  EXPECT_EQ(labels[1], "model_unsupported_operator");
  EXPECT_EQ(labels[3], "model_unsupported_operator");
  EXPECT_NE(labels[4], "model_unsupported_operator");
  EXPECT_EQ(report->layers[3].kind, "com.microsoft.MoE");
  ASSERT_EQ(report->others.size(), 1u);
  EXPECT_EQ(ErrorLabel(report->others[0]), "model_open_dimension");
  EXPECT_TRUE(report->outputs.empty());  // neither is known
}

TEST(CheckOnnx, RefusesWhatIsNoModel) {
  EXPECT_EQ(ErrorLabel(CheckOnnx({}).status()), "onnx_parse");
  ModelBuilder old(6);
  old.Input("x", {1}).Output("y").Node("Relu", {"x"}, {"y"});
  EXPECT_EQ(ErrorLabel(CheckOnnx(old.Bytes()).status()), "onnx_unsupported_opset");
  ModelBuilder empty(13);
  empty.Input("x", {1});
  const auto report = CheckOnnx(empty.Bytes());
  ASSERT_TRUE(report.ok());
  EXPECT_FALSE(report->imports());
  EXPECT_EQ(ErrorLabel(report->others.at(0)), "model_malformed");  // no outputs
}

}  // namespace
}  // namespace tally::onnx
