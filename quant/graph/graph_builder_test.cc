#include "quant/graph/graph_builder.h"

#include <gtest/gtest.h>

#include <utility>

#include "base/error.h"

namespace tally::quant {
namespace {

TEST(GraphBuilder, BuildsWhatVerifyAccepts) {
  GraphBuilder builder("dense");
  const ValueId x = *builder.AddInput("x", {1, 2});
  const ValueId weight = *builder.AddConstant("w", FloatTensor{{3, 2}, {1, 2, 3, 4, 5, 6}});
  const ValueId y = *builder.AddNode(Dense{}, {x, weight}, "y", "node 0 'fc' (Gemm)");
  builder.AddOutput(y);
  const auto graph = std::move(builder).Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_TRUE(Verify(*graph).ok()) << Verify(*graph);
  EXPECT_EQ(graph->values[y].type, (ValueType{ElementType::kFloat32, {1, 3}}));
  EXPECT_EQ(graph->nodes[graph->values[y].producer].source, "node 0 'fc' (Gemm)");
  EXPECT_EQ(ConstantOf(*graph, x), nullptr);
  EXPECT_EQ(ConstantOf(*graph, y), nullptr);
  ASSERT_NE(ConstantOf(*graph, weight), nullptr);
  EXPECT_EQ(ShapeOf(*ConstantOf(*graph, weight)), (Shape{3, 2}));
}

TEST(GraphBuilder, NamesBecomeUniqueAndPrintable) {
  GraphBuilder builder("caf\xc3\xa9");
  EXPECT_EQ(builder.graph().name, "caf\xc3\xa9");
  for (const char* name : {"a", "a", "a.1", "", "", "b\n"}) ASSERT_TRUE(builder.AddInput(name, {1}).ok());
  const std::vector<Value>& values = builder.graph().values;
  EXPECT_EQ(values[0].name, "a");
  EXPECT_EQ(values[1].name, "a.1");
  EXPECT_EQ(values[2].name, "a.1.2");
  EXPECT_EQ(values[3].name, "value");
  EXPECT_EQ(values[4].name, "value.3");
  EXPECT_EQ(values[5].name, "b\\u{a}");
  builder.AddOutput(0);
  builder.AddOutput(1, "a");
  builder.AddOutput(0, "result");
  EXPECT_EQ(builder.graph().outputs[0].name, "a");
  EXPECT_EQ(builder.graph().outputs[1].name, "a.4");
  EXPECT_EQ(builder.graph().outputs[2].name, "result");
}

// Passes build graphs anew: a name that is one already stays, or each would escape it again.
TEST(GraphBuilder, NamesThatAreOnesStay) {
  const std::string odd = "it's \"caf\xc3\xa9\" \\ \\u{a}", huge(1 << 20, '\\');
  GraphBuilder first("g");
  ASSERT_TRUE(first.AddInput(odd, {1}).ok());
  ASSERT_TRUE(first.AddInput(huge, {1}).ok());
  ASSERT_TRUE(first.AddInput(huge, {1}).ok());
  GraphBuilder second("g");
  for (const Value& value : first.graph().values) ASSERT_TRUE(second.AddInput(value).ok());
  EXPECT_EQ(second.graph().values[0].name, odd);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(second.graph().values[i].name, first.graph().values[i].name);
    EXPECT_LE(second.graph().values[i].name.size(), kMaxValueNameBytes);
  }
}

TEST(GraphBuilder, ErrorsNameTheSourceNode) {
  GraphBuilder builder("bad");
  const ValueId x = *builder.AddInput("x", {1, 2});
  const auto y = builder.AddNode(GlobalAveragePool{}, {x}, "y", "node 7 'gap'");
  EXPECT_EQ(ErrorLabel(y.status()), "graph_shape");
  EXPECT_EQ(y.status().message().substr(0, 14), "node 7 'gap': ");
  EXPECT_EQ(builder.graph().nodes.size(), 0u);
}

TEST(GraphBuilder, RefusesWhatVerifyWouldRefuse) {
  GraphBuilder builder("bad");
  EXPECT_EQ(ErrorLabel(builder.AddInput("x", {0}).status()), "graph_dimension");
  EXPECT_EQ(ErrorLabel(builder.AddConstant("c", FloatTensor{{2}, {1}}).status()), "graph_constant_data");
  const ValueId x = *builder.AddInput("x", {2, 2});
  EXPECT_EQ(ErrorLabel(builder.AddNode(Dense{}, {x, x}, "y", "dense").status()), "graph_constant_operand");
  EXPECT_EQ(ErrorLabel(std::move(builder).Build().status()), "graph_outputs");
}

}  // namespace
}  // namespace tally::quant
