#include "quant/passes/fold_factors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "quant/graph/float_executor.h"
#include "quant/graph/graph_builder.h"

namespace tally::quant {
namespace {

FloatTensor Draw(Shape shape, int seed) {
  FloatTensor tensor{std::move(shape), {}};
  for (int64_t i = 0; i < NumElements(tensor.shape); ++i) {
    tensor.data.push_back(std::sin(static_cast<float>(7 * i * i + seed)));
  }
  return tensor;
}

class Builder {
 public:
  ValueId Input(Shape shape) { return *b_.AddInput("x" + Next(), std::move(shape)); }
  ValueId Constant(FloatTensor tensor) { return *b_.AddConstant("c" + Next(), std::move(tensor)); }
  ValueId Number(float number) { return Constant({{1}, {number}}); }
  ValueId Add(const Op& op, std::vector<ValueId> operands) {
    return *b_.AddNode(op, std::move(operands), "v" + Next(), "node");
  }
  void Show(ValueId value) { b_.AddOutput(value); }
  Graph Build() { return *std::move(b_).Build(); }

 private:
  std::string Next() { return std::to_string(++count_); }

  GraphBuilder b_{"factors"};
  int count_ = 0;
};

// The ops that are left of what `draw` draws, after it was seen that they compute the same.
std::string Folded(const std::function<void(Builder&)>& draw, Graph* folded = nullptr) {
  Builder b;
  draw(b);
  const Graph before = b.Build();
  const auto after = FoldFactors(before);
  EXPECT_TRUE(after.ok() && Verify(*after).ok());
  std::vector<FloatTensor> samples;
  for (const ValueId input : before.inputs) {
    samples.push_back(Draw(before.values[input].type.shape, static_cast<int>(samples.size()) + 1));
  }
  const auto expected = *RunGraph(before, samples), got = *RunGraph(*after, samples);
  for (size_t i = 0; i < expected.size(); ++i) {
    const auto &a = std::get<FloatTensor>(expected[i]), &c = std::get<FloatTensor>(got[i]);
    EXPECT_EQ(a.shape, c.shape);
    for (size_t j = 0; j < a.data.size(); ++j) EXPECT_NEAR(a.data[j], c.data[j], 1e-5);
  }
  std::string ops;
  for (const Node& node : after->nodes) {
    if (!std::holds_alternative<Constant>(node.op)) ops += std::string(OpName(node.op)) + " ";
  }
  if (folded != nullptr) *folded = *after;
  return ops;
}

TEST(FoldFactors, BehindAProduct) {
  Graph folded;
  EXPECT_EQ(Folded(
                [](Builder& b) {
                  const ValueId product = b.Add(MatMul{}, {b.Input({2, 3}), b.Input({3, 4})});
                  const ValueId half = b.Add(Mul{}, {product, b.Number(0.5f)});
                  b.Show(b.Add(Mul{}, {b.Number(0.5f), half}));
                },
                &folded),
            "MatMul ");
  EXPECT_EQ(std::get<MatMul>(folded.nodes.front().op).factor, 0.25f);
}

// As attention has them: each factor in front of a product, one of them before a transpose.
TEST(FoldFactors, InFrontOfAProduct) {
  Graph folded;
  EXPECT_EQ(Folded(
                [](Builder& b) {
                  const ValueId q = b.Add(Mul{}, {b.Input({2, 3}), b.Number(0.5f)});
                  const ValueId k = b.Add(Mul{}, {b.Number(0.25f), b.Input({4, 3})});
                  b.Show(b.Add(MatMul{}, {q, b.Add(Transpose{{1, 0}}, {k})}));
                },
                &folded),
            "Transpose MatMul ");
  EXPECT_EQ(std::get<MatMul>(folded.nodes.back().op).factor, 0.125f);
}

TEST(FoldFactors, IntoWeightsAndBias) {
  const auto conv = [](FloatTensor factors, bool has_bias) {
    return Folded([&](Builder& b) {
      std::vector<ValueId> operands = {b.Input({1, 2, 3, 3}), b.Constant(Draw({4, 2, 3, 3}, 1))};
      if (has_bias) operands.push_back(b.Constant(Draw({4}, 2)));
      b.Show(b.Add(Mul{}, {b.Constant(factors), b.Add(Conv{}, operands)}));
    });
  };
  for (const bool has_bias : {false, true}) {
    EXPECT_EQ(conv(Draw({4, 1, 1}, 3), has_bias), "Conv ");
    EXPECT_EQ(conv(Draw({1, 4, 1, 1}, 3), has_bias), "Conv ");
    EXPECT_EQ(conv({{1}, {-2}}, has_bias), "Conv ");
  }
}

// The scale that each channel of a block has in front of its residual.
TEST(FoldFactors, IntoDenseLayersOfSequences) {
  EXPECT_EQ(
      Folded([](Builder& b) {
        const ValueId rows = b.Add(Reshape{{6, 4}}, {b.Input({2, 3, 4})});
        const ValueId dense = b.Add(Dense{}, {rows, b.Constant(Draw({5, 4}, 1)), b.Constant(Draw({5}, 2))});
        const ValueId steps = b.Add(Reshape{{2, 3, 5}}, {dense});
        b.Show(b.Add(Mul{}, {steps, b.Constant(Draw({5}, 3))}));
      }),
      "Reshape Dense Reshape ");
}

TEST(FoldFactors, IntoTransposedConvolutions) {
  EXPECT_EQ(Folded([](Builder& b) {
              const ConvTranspose op = {.stride = {2, 2}, .dilation = {1, 1}, .groups = 2};
              const ValueId y = b.Add(op, {b.Input({1, 4, 3, 3}), b.Constant(Draw({4, 3, 2, 2}, 1))});
              b.Show(b.Add(Mul{}, {y, b.Constant(Draw({6, 1, 1}, 3))}));
            }),
            "ConvTranspose ");
}

TEST(FoldFactors, LeavesWhatIsNoFactorOfALayer) {
  const auto rows = [](FloatTensor factors, bool shows_product) {
    return Folded([&](Builder& b) {
      const ValueId y = b.Add(Dense{}, {b.Input({3, 4}), b.Constant(Draw({3, 4}, 1))});
      b.Show(b.Add(Mul{}, {y, b.Constant(factors)}));
      if (shows_product) b.Show(y);
    });
  };
  EXPECT_EQ(rows(Draw({3}, 2), true), "Dense Mul ");
  EXPECT_EQ(rows(Draw({3, 1}, 2), false), "Dense Mul ") << "one factor for each row";
  EXPECT_EQ(rows(Draw({3, 3}, 2), false), "Dense Mul ");
  const auto product = [](float factor) {
    return Folded([&](Builder& b) {
      const ValueId y = b.Add(MatMul{}, {b.Input({2, 3}), b.Input({3, 4})});
      b.Show(b.Add(Mul{}, {y, b.Number(factor)}));
    });
  };
  EXPECT_EQ(product(-1), "MatMul Mul ");
  EXPECT_EQ(product(0), "MatMul Mul ");
}

// [N, 3, 3] of images with three channels: factors along the last axis are none of channels.
TEST(FoldFactors, KnowsTheAxisOfChannels) {
  EXPECT_EQ(Folded([](Builder& b) {
              const ValueId y = b.Add(Conv{}, {b.Input({1, 2, 3, 3}), b.Constant(Draw({3, 2, 1, 1}, 1))});
              b.Show(b.Add(Mul{}, {y, b.Constant(Draw({3}, 3))}));
            }),
            "Conv Mul ");
}

TEST(FoldFactors, LeavesAFactorThatSomethingElseReads) {
  EXPECT_EQ(Folded([](Builder& b) {
              const ValueId q = b.Add(Mul{}, {b.Input({2, 3}), b.Number(0.5f)});
              b.Show(b.Add(MatMul{}, {q, b.Input({3, 4})}));
              b.Show(q);
            }),
            "Mul MatMul ");
}

// A factor that only an output reads has nothing to do with the product that is node 0.
TEST(FoldFactors, LeavesProductsThatItsResultIsNotIn) {
  EXPECT_EQ(Folded([](Builder& b) {
              const ValueId product = b.Add(MatMul{}, {b.Input({2, 3}), b.Input({3, 4})});
              b.Show(b.Add(Relu{}, {product}));
              b.Show(b.Add(Mul{}, {b.Add(Relu{}, {b.Input({2, 4})}), b.Number(0.25f)}));
            }),
            "MatMul Relu Relu Mul ");
  EXPECT_EQ(Folded([](Builder& b) {
              const ValueId product = b.Add(MatMul{}, {b.Input({2, 3}), b.Input({3, 4})});
              const ValueId sum = b.Add(quant::Add{}, {product, b.Input({2, 4})});
              b.Show(b.Add(Reshape{{8}}, {b.Add(Mul{}, {sum, b.Number(0.25f)})}));
            }),
            "MatMul Add Mul Reshape ");
}

}  // namespace
}  // namespace tally::quant
