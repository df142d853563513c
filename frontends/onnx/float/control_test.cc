#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "frontends/onnx/testing/model_builder.h"

namespace tally::onnx {
namespace {

using quant::FloatTensor;
using quant::Int64Tensor;
using quant::Tensor;

// An attribute that holds the nodes, initializers and outputs of `branch`.
void SetBranch(NodeBuilder node, const std::string& name, ModelBuilder branch) {
  ::onnx::AttributeProto* attribute = node.proto().add_attribute();
  attribute->set_name(name);
  attribute->set_type(::onnx::AttributeProto::GRAPH);
  *attribute->mutable_g() = branch.graph();
}

// y = x + 1 or y = -relu(x), each by names that the other branch and the graph around have too.
ModelBuilder PlusOne() {
  ModelBuilder branch;
  branch.Weight("w", {{1}, {1}}).Output("r").Node("Add", {"x", "w"}, {"r"});
  return branch;
}
ModelBuilder MinusRelu() {
  ModelBuilder branch;
  branch.Output("r").Node("Relu", {"x"}, {"w"});
  branch.Node("Neg", {"w"}, {"r"});
  return branch;
}

// The branch that `flag` says, of x + w with w = 10; y = what it gives + w.
ModelBuilder Choice(int64_t flag) {
  ModelBuilder model;
  model.Input("in", {2}).Output("y").Weight("w", {{1}, {10}}).Integers("flag", {{}, {flag}});
  model.Node("Add", {"in", "w"}, {"x"});
  NodeBuilder choice = model.Node("If", {"flag"}, {"chosen"});
  SetBranch(choice, "then_branch", PlusOne());
  SetBranch(choice, "else_branch", MinusRelu());
  model.Node("Add", {"chosen", "w"}, {"y"});
  return model;
}

TEST(ImportIf, TheBranchOfAKnownConditionStandsInItsPlace) {
  EXPECT_EQ(OpsOf(*Choice(1).Import()), "Add Add Add");
  EXPECT_EQ(Choice(1).Run({{{2}, {1, -20}}}).at(0), Tensor(FloatTensor{{2}, {22, 1}}));
  EXPECT_EQ(Choice(0).Run({{{2}, {1, -20}}}).at(0), Tensor(FloatTensor{{2}, {-1, 10}}));
}

// Both branches are computed, and of each result the one that the condition says.
TEST(ImportIf, AComputedConditionChoosesBetweenResults) {
  ModelBuilder model = Choice(1);
  model.IntegerInput("open", {1}).graph().mutable_node(1)->set_input(0, "open");
  EXPECT_EQ(OpsOf(*model.Import()), "Add Add Relu Slopes Reshape Where Add");
  const FloatTensor in{{2}, {1, -20}};
  EXPECT_EQ(model.Run({in, {{1}, {1}}}).at(0), Tensor(FloatTensor{{2}, {22, 1}}));
  EXPECT_EQ(model.Run({in, {{1}, {0}}}).at(0), Tensor(FloatTensor{{2}, {-1, 10}}));
}

// As torch.jit.script writes it: by the shape of x.
TEST(ImportIf, AConditionOfShapesIsKnown) {
  ModelBuilder model;
  model.Input("x", {3, 2}).Output("y").Integers("one", {{1}, {1}}).Integers("axes", {{1}, {0}});
  model.Node("Shape", {"x"}, {"shape"});
  model.Node("Gather", {"shape", "axes"}, {"rows"});
  model.Node("Equal", {"rows", "one"}, {"is one"});
  ModelBuilder then_branch, else_branch;
  then_branch.Output("r").Node("Squeeze", {"x", "axes"}, {"r"});
  else_branch.Output("r").Node("Identity", {"x"}, {"r"});
  NodeBuilder choice = model.Node("If", {"is one"}, {"y"});
  SetBranch(choice, "then_branch", then_branch);
  SetBranch(choice, "else_branch", else_branch);
  EXPECT_EQ(model.Run({{{3, 2}, {1, 2, 3, 4, 5, 6}}}).at(0), Tensor(FloatTensor{{3, 2}, {1, 2, 3, 4, 5, 6}}));
}

// A branch may give back what is around it, and be in another, which gives the same name.
TEST(ImportIf, BranchesWithinBranchesKnowTheirOwnNames) {
  ModelBuilder inner;
  inner.Output("w").Node("Relu", {"t"}, {"w"});
  ModelBuilder outer;
  outer.Weight("w", {{1}, {100}}).Output("t").Output("u").Output("w");
  outer.Node("Neg", {"x"}, {"t"});
  NodeBuilder nested = outer.Node("If", {"flag"}, {"u"});
  SetBranch(nested, "then_branch", inner);
  SetBranch(nested, "else_branch", PlusOne());
  ModelBuilder model;
  model.Input("x", {2}).Output("a").Output("b").Output("c").Integers("flag", {{1}, {1}});
  NodeBuilder choice = model.Node("If", {"flag"}, {"neg", "relu", "hundred"});
  SetBranch(choice, "then_branch", outer);
  SetBranch(choice, "else_branch", outer);
  model.Node("Identity", {"neg"}, {"a"});
  model.Node("Identity", {"relu"}, {"b"});
  model.Node("Add", {"hundred", "x"}, {"c"});
  const auto results = model.Run({{{2}, {3, -4}}});
  EXPECT_EQ(results.at(0), Tensor(FloatTensor{{2}, {-3, 4}}));
  EXPECT_EQ(results.at(1), Tensor(FloatTensor{{2}, {0, 4}}));
  EXPECT_EQ(results.at(2), Tensor(FloatTensor{{2}, {103, 96}}));
}

// A value that only a branch reads is read.
TEST(ImportIf, ReadsSecondResultsOfNodesAroundIt) {
  ModelBuilder branch;
  branch.Output("r").Node("Identity", {"indices"}, {"r"});
  ModelBuilder model;
  model.Input("x", {3}).Output("y").Integers("k", {{1}, {1}}).Integers("flag", {{1}, {1}});
  model.Node("TopK", {"x", "k"}, {"values", "indices"});
  NodeBuilder choice = model.Node("If", {"flag"}, {"y"});
  SetBranch(choice, "then_branch", branch);
  SetBranch(choice, "else_branch", branch);
  EXPECT_EQ(model.Run({{{3}, {1, 9, 2}}}).at(0), Tensor(Int64Tensor{{1}, {1}}));
}

TEST(ImportIf, RefusesWhatIsOpenOrBroken) {
  EXPECT_EQ(Choice(1).ImportLabel(), "");
  ModelBuilder open = Choice(1);
  open.IntegerInput("open", {1}).graph().mutable_node(1)->set_input(0, "open");
  EXPECT_EQ(open.ImportLabel(), "");
  ModelBuilder two_open = Choice(1);
  two_open.IntegerInput("open", {2}).graph().mutable_node(1)->set_input(0, "open");
  EXPECT_EQ(two_open.ImportLabel(), "model_malformed");
  ModelBuilder two_shapes = open;  // [2] or [1]
  two_shapes.graph().mutable_node(1)->mutable_attribute(0)->mutable_g()->mutable_node(0)->set_input(0, "w");
  EXPECT_EQ(two_shapes.ImportLabel(), "model_unsupported_operand");
  ModelBuilder two_flags = Choice(1);
  two_flags.Integers("flags", {{2}, {1, 1}}).graph().mutable_node(1)->set_input(0, "flags");
  EXPECT_EQ(two_flags.ImportLabel(), "model_malformed");
  ModelBuilder no_branch = Choice(1);
  no_branch.graph().mutable_node(1)->mutable_attribute()->DeleteSubrange(0, 1);
  EXPECT_EQ(no_branch.ImportLabel(), "model_malformed");
  ModelBuilder no_result = Choice(1);
  no_result.graph().mutable_node(1)->mutable_attribute(0)->mutable_g()->clear_output();
  EXPECT_EQ(no_result.ImportLabel(), "model_malformed");
  ModelBuilder of_outside = Choice(1);  // the result is a name that nothing gives
  of_outside.graph().mutable_node(1)->mutable_attribute(0)->mutable_g()->mutable_output(0)->set_name("?");
  EXPECT_EQ(of_outside.ImportLabel(), "model_malformed");
}

// Each level is a copy of what is within; a file of two megabytes must not become many.
TEST(ImportIf, RefusesBranchesThatAreTooLargeTogether) {
  const auto label = [](int depth) {
    ModelBuilder branch;
    branch.Weight("big", {{1 << 19}, std::vector<float>(1 << 19)}).Output("r");
    branch.Node("Add", {"x", "big"}, {"r"});
    for (int i = 0; i < depth; ++i) {
      ModelBuilder around;
      around.Output("r");
      NodeBuilder choice = around.Node("If", {"flag"}, {"r"});
      SetBranch(choice, "then_branch", branch);
      branch = around;
    }
    ModelBuilder model;
    model.Input("x", {1}).Output("r").Integers("flag", {{1}, {1}});
    *model.graph().add_node() = branch.graph().node(0);
    return model.ImportLabel();
  };
  EXPECT_EQ(label(3), "");
  EXPECT_EQ(label(15), "model_too_large");
}

TEST(ImportIf, TheReportListsTheNodesOfBranches) {
  const auto nodes = [](const ModelBuilder& model) {
    std::vector<std::string> told;
    const auto report = CheckOnnx(model.Bytes());
    EXPECT_TRUE(report.ok()) << report.status();
    for (const auto& node : report->layers) {
      constexpr const char* kFates[] = {"imported", "refused", "unavailable"};
      told.push_back(node.source.substr(0, node.source.find(" '")) + " " + node.kind + " " +
                     kFates[node.fate]);
    }
    return told;
  };
  EXPECT_EQ(nodes(Choice(0)),
            (std::vector<std::string>{"node 0 Add imported", "node 1 If imported",
                                      "node 1.else_branch.0 Relu imported",
                                      "node 1.else_branch.1 Neg imported", "node 2 Add imported"}));
  ModelBuilder open = Choice(1);
  open.IntegerInput("open", {1}).graph().mutable_node(1)->set_input(0, "open");
  open.graph().mutable_node(1)->mutable_attribute(1)->mutable_g()->mutable_node(0)->set_op_type("Det");
  EXPECT_EQ(nodes(open),
            (std::vector<std::string>{"node 0 Add imported", "node 1 If unavailable",
                                      "node 1.then_branch.0 Add imported", "node 1.else_branch.0 Det refused",
                                      "node 1.else_branch.1 Neg unavailable", "node 2 Add unavailable"}));
  ModelBuilder broken = Choice(0);
  broken.graph().mutable_node(1)->mutable_attribute(1)->mutable_g()->mutable_node(0)->set_op_type("Det");
  EXPECT_EQ(nodes(broken),
            (std::vector<std::string>{"node 0 Add imported", "node 1 If unavailable",
                                      "node 1.else_branch.0 Det refused",
                                      "node 1.else_branch.1 Neg unavailable", "node 2 Add unavailable"}));
}

// Two states and a result that is stacked: x grows by the number of the trip, n by 1; the loop ends where n
// has reached `last`.
ModelBuilder Counting(int64_t trips, int64_t last) {
  ModelBuilder body;
  body.IntegerInput("trip", {}).IntegerInput("go", {}).Input("x", {2}).IntegerInput("n", {});
  body.Output("on").Output("more").Output("next").Output("seen");
  body.Integers("one", {{}, {1}}).Node("Add", {"n", "one"}, {"next"});
  body.Node("Less", {"next", "last"}, {"on"});
  body.Node("Cast", {"trip"}, {"step"}).Int("to", ::onnx::TensorProto::FLOAT);
  body.Node("Add", {"x", "step"}, {"more"});
  body.Node("Mul", {"more", "w"}, {"seen"});
  ModelBuilder model;
  model.Input("in", {2}).Output("x").Output("all").Weight("w", {{1}, {10}}).Integers("zero", {{}, {0}});
  model.Integers("trips", {{}, {trips}}).Integers("last", {{}, {last}});
  SetBranch(model.Node("Loop", {"trips", "", "in", "zero"}, {"x", "", "all"}), "body", body);
  return model;
}

TEST(ImportLoop, TripsThatAreKnownAreUnrolled) {
  const FloatTensor in{{2}, {1, 2}};
  const auto three = Counting(3, 100).Run({in});
  EXPECT_EQ(three.at(0), Tensor(FloatTensor{{2}, {4, 5}}));
  EXPECT_EQ(three.at(1), Tensor(FloatTensor{{3, 2}, {10, 20, 20, 30, 40, 50}}));
  // A condition that comes of constants ends it.
  EXPECT_EQ(Counting(100, 2).Run({in}).at(1), Tensor(FloatTensor{{2, 2}, {10, 20, 20, 30}}));
}

// The states stay as they are once the loop has ended, and a condition that is false at first ends it there.
TEST(ImportLoop, AComputedConditionEndsIt) {
  ModelBuilder body;
  body.IntegerInput("trip", {}).IntegerInput("go", {}).Input("x", {2}).IntegerInput("n", {});
  body.Output("on").Output("more").Output("next").Integers("one", {{}, {1}});
  body.Node("Add", {"n", "one"}, {"next"});
  body.Node("Less", {"next", "last"}, {"on"});
  body.Node("Add", {"x", "x"}, {"more"});
  ModelBuilder model;
  model.Input("in", {2}).IntegerInput("last", {}).IntegerInput("begins", {}).Output("x").Output("n");
  model.Integers("zero", {{}, {0}}).Integers("trips", {{}, {4}});
  SetBranch(model.Node("Loop", {"trips", "begins", "in", "zero"}, {"x", "n"}), "body", body);
  const auto trips = [&](float last, float begins) {
    return model.Run({{{2}, {1, 3}}, {{}, {last}}, {{}, {begins}}});
  };
  EXPECT_EQ(trips(3, 1).at(0), Tensor(FloatTensor{{2}, {8, 24}}));
  EXPECT_EQ(trips(3, 1).at(1), Tensor(Int64Tensor{{}, {3}}));
  EXPECT_EQ(trips(-5, 1).at(0), Tensor(FloatTensor{{2}, {2, 6}}));
  EXPECT_EQ(trips(100, 1).at(0), Tensor(FloatTensor{{2}, {16, 48}}));
  EXPECT_EQ(trips(3, 0).at(0), Tensor(FloatTensor{{2}, {1, 3}}));
  ModelBuilder endless = model;
  endless.graph().mutable_node(0)->set_input(0, "");
  EXPECT_EQ(endless.ImportLabel(), "model_unsupported_operand");
}

TEST(ImportLoop, RefusesWhatIsOpenOrTooLong) {
  EXPECT_EQ(Counting(256, 1000).ImportLabel(), "");
  EXPECT_EQ(Counting(257, 1000).ImportLabel(), "model_too_large");
  EXPECT_EQ(Counting(0, 1000).ImportLabel(), "model_shape");  // nothing is stacked
  ModelBuilder open = Counting(3, 100);
  open.IntegerInput("open", {}).graph().mutable_node(0)->set_input(0, "open");
  EXPECT_EQ(open.ImportLabel(), "model_unsupported_operand");
  ModelBuilder open_end = Counting(3, 100);
  open_end.IntegerInput("open", {});
  open_end.graph().mutable_node(0)->mutable_attribute(0)->mutable_g()->mutable_node(1)->set_input(1, "open");
  EXPECT_EQ(open_end.ImportLabel(), "model_unsupported_operand");
  ModelBuilder few = Counting(3, 100);
  few.graph().mutable_node(0)->mutable_input()->RemoveLast();
  EXPECT_EQ(few.ImportLabel(), "model_malformed");
}

TEST(ImportLoop, TheReportListsTheBodyOnce) {
  const auto report = CheckOnnx(Counting(5, 100).Bytes());
  ASSERT_TRUE(report.ok());
  EXPECT_TRUE(report->imports());
  std::vector<std::string> ops;
  for (const auto& node : report->layers) ops.push_back(node.kind);
  EXPECT_EQ(ops, (std::vector<std::string>{"Loop", "Add", "Less", "Cast", "Add", "Mul"}));
}

TEST(ImportSequence, IsRefusedWithASentence) {
  ModelBuilder model;
  model.Input("x", {2}).Output("y").Integers("zero", {{}, {0}});
  model.Node("SequenceConstruct", {"x", "x"}, {"list"});
  model.Node("SequenceAt", {"list", "zero"}, {"y"});
  EXPECT_EQ(model.ImportLabel(), "model_unsupported_operator");
  EXPECT_NE(model.ImportMessage().find("traced"), std::string::npos);
}

}  // namespace
}  // namespace tally::onnx
