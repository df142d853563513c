#include "quant/passes/recognize_activations.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "quant/graph/float_executor.h"
#include "quant/graph/graph_builder.h"
#include "quant/graph/testing/ops_of.h"

namespace tally::quant {
namespace {

using F = RecipeFunction;

// Writes expressions: e.Mul(x, e.Of(Unary{F::kSigmoid}, x)).
class Expression {
 public:
  ValueId x() { return x_; }
  ValueId Number(float value, Shape shape = {}) {
    return *b_.AddConstant("c", FloatTensor{std::move(shape), {value}});
  }
  ValueId Of(const Op& op, ValueId a) { return *b_.AddNode(op, {a}, "v", "node"); }
  ValueId Mul(ValueId a, ValueId b) { return *b_.AddNode(quant::Mul{}, {a, b}, "v", "node"); }
  ValueId Two(const Op& op, ValueId a, ValueId b) { return *b_.AddNode(op, {a, b}, "v", "node"); }
  ValueId Add(ValueId a, ValueId b) { return *b_.AddNode(quant::Add{}, {a, b}, "v", "node"); }
  ValueId Times(ValueId a, float b) { return Mul(a, Number(b)); }
  ValueId Plus(ValueId a, float b) { return Add(a, Number(b)); }
  void AlsoRead(ValueId value) { b_.AddOutput(Of(Slopes{2, 2}, value)); }
  void Output(ValueId value) { b_.AddOutput(value); }

  Graph Build(ValueId value) && {
    GraphBuilder b = std::move(b_);
    b.AddOutput(value, "y");
    return *std::move(b).Build();
  }

 private:
  GraphBuilder b_{"expression"};
  ValueId x_ = *b_.AddInput("x", {3, 7});
};

FloatTensor Samples() {
  FloatTensor x{{3, 7}, {}};
  for (int i = -10; i <= 10; ++i) x.data.push_back(0.45f * static_cast<float>(i));
  return x;
}

// The graph after the pass, which has been seen to compute the same.
Graph Recognized(const Graph& before) {
  const auto after = RecognizeActivations(before);
  EXPECT_TRUE(after.ok()) << after.status();
  EXPECT_TRUE(Verify(*after).ok()) << Verify(*after);
  const std::vector<FloatTensor> samples = {Samples()};
  const auto a = *RunGraph(before, samples), b = *RunGraph(*after, samples);
  EXPECT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(before.values[before.outputs[i].value].name, after->values[after->outputs[i].value].name);
    const auto& expected = std::get<FloatTensor>(a[i]).data;
    const auto& actual = std::get<FloatTensor>(b[i]).data;
    for (size_t j = 0; j < expected.size(); ++j) {
      EXPECT_NEAR(expected[j], actual[j], 1e-6 * (1 + std::abs(expected[j])));
    }
  }
  return *after;
}

// `write` gives the activation of x, all of which becomes `op`.
void ExpectRecognized(const Unary& op, const std::function<ValueId(Expression&)>& write) {
  Expression e;
  const ValueId y = write(e);
  const Graph graph = Recognized(std::move(e).Build(y));
  ASSERT_EQ(graph.nodes.size(), 1u) << OpsOf(graph);
  EXPECT_EQ(graph.nodes[0].op, Op(op)) << InfoOf(op.function).name;
}

// Converters to Core ML write min(x, 6) so.
TEST(RecognizeActivations, ClipsOfTheNegative) {
  for (const bool is_rectified : {false, true}) {
    Expression e;
    const ValueId x = is_rectified ? e.Of(Relu{}, e.x()) : e.x();
    const Graph graph = Recognized(std::move(e).Build(e.Times(e.Of(Clip{-2, 3}, e.Times(x, -1)), -1)));
    ASSERT_EQ(graph.nodes.size(), 1u) << OpsOf(graph);
    EXPECT_EQ(graph.nodes[0].op, Op(is_rectified ? Clip{0, 2} : Clip{-3, 2}));
  }
  for (const float factor : {-2.0f, 1.0f}) {  // another factor stays
    Expression e;
    const ValueId y = e.Times(e.Of(Clip{-2, 3}, e.Times(e.x(), factor)), -1);
    EXPECT_GT(Recognized(std::move(e).Build(y)).nodes.size(), 1u);
  }
  Expression e;
  const ValueId rectified = e.Of(Relu{}, e.x());
  e.AlsoRead(rectified);
  const Graph graph = Recognized(std::move(e).Build(e.Times(e.Of(Clip{-2, 3}, e.Times(rectified, -1)), -1)));
  EXPECT_EQ(OpsOf(graph), "Relu Slopes Clip");
}

TEST(RecognizeActivations, SiluAndItsLikes) {
  for (const bool x_first : {false, true}) {
    const auto gate = [&](F function, float scale) {
      return [=](Expression& e) {
        const ValueId g = e.Of(Unary{function}, scale == 1 ? e.x() : e.Times(e.x(), scale));
        return x_first ? e.Mul(e.x(), g) : e.Mul(g, e.x());
      };
    };
    ExpectRecognized({F::kSilu}, gate(F::kSigmoid, 1));
    ExpectRecognized({F::kGeluSigmoid}, gate(F::kSigmoid, 1.702f));
  }
  ExpectRecognized({F::kMish}, [](Expression& e) {
    return e.Mul(e.x(), e.Of(Unary{F::kTanh}, e.Of(Unary{F::kSoftplus}, e.x())));
  });
  ExpectRecognized({F::kHardSwish, 1.0f / 6, 0.5f}, [](Expression& e) {
    return e.Mul(e.x(), e.Of(Unary{F::kHardSigmoid, 1.0f / 6, 0.5f}, e.x()));
  });
}

TEST(RecognizeActivations, SigmoidAndSiluByTheExponential) {
  const auto negatives = {+[](Expression& e) {
                            return e.Of(Slopes{-1, -1}, e.x());
                          },
                          +[](Expression& e) { return e.Times(e.x(), -1); }};
  for (const auto& negative : negatives) {
    const auto divisor = [&](Expression& e) { return e.Plus(e.Of(Unary{F::kExp}, negative(e)), 1); };
    const auto sigmoid = [&](Expression& e) { return e.Two(Div{}, e.Number(1), divisor(e)); };
    ExpectRecognized({F::kSigmoid}, sigmoid);
    ExpectRecognized({F::kSigmoid}, [&](Expression& e) { return e.Of(Unary{F::kReciprocal}, divisor(e)); });
    ExpectRecognized({F::kSilu}, [&](Expression& e) { return e.Two(Div{}, e.x(), divisor(e)); });
    ExpectRecognized({F::kSilu}, [&](Expression& e) { return e.Mul(e.x(), sigmoid(e)); });
  }
  for (const auto& [factor, addend, one] :
       {std::array{1.0f, 1.0f, 1.0f}, {-2, 1, 1}, {-1, 2, 1}, {-1, 1, 2}}) {
    Expression e;
    const ValueId divisor = e.Plus(e.Of(Unary{F::kExp}, e.Times(e.x(), factor)), addend);
    const Graph graph = Recognized(std::move(e).Build(e.Two(Div{}, e.Number(one), divisor)));
    EXPECT_GT(graph.nodes.size(), 1u) << factor << " " << addend << " " << one;
  }
}

TEST(RecognizeActivations, HardSwishWithAClip) {
  const auto clipped = [](Expression& e) { return e.Of(Clip{0, 6}, e.Plus(e.x(), 3)); };
  const Unary swish{F::kHardSwish, 1.0f / 6, 0.5f};
  ExpectRecognized(swish, [&](Expression& e) { return e.Times(e.Mul(e.x(), clipped(e)), 1.0f / 6); });
  ExpectRecognized(swish, [&](Expression& e) { return e.Mul(e.x(), e.Times(clipped(e), 1.0f / 6)); });
  ExpectRecognized(swish, [&](Expression& e) { return e.Mul(e.Times(e.x(), 1.0f / 6), clipped(e)); });
  ExpectRecognized({F::kHardSigmoid, 1.0f / 6, 0.5f},
                   [&](Expression& e) { return e.Times(clipped(e), 1.0f / 6); });
}

TEST(RecognizeActivations, GeluAsExportersWriteIt) {
  const auto one_plus_erf = [](Expression& e) {
    return e.Plus(e.Of(Unary{F::kErf}, e.Times(e.x(), 1 / 1.41421356f)), 1);
  };
  ExpectRecognized({F::kGelu}, [&](Expression& e) { return e.Times(e.Mul(e.x(), one_plus_erf(e)), 0.5f); });
  ExpectRecognized({F::kGelu}, [&](Expression& e) { return e.Mul(e.Times(e.x(), 0.5f), one_plus_erf(e)); });
  ExpectRecognized({F::kGelu}, [&](Expression& e) { return e.Mul(e.x(), e.Times(one_plus_erf(e), 0.5f)); });
}

// jax writes x erfc(-x / sqrt 2) / 2, and ONNX has no erfc.
TEST(RecognizeActivations, GeluByTheComplementOfErf) {
  const auto erfc = [](Expression& e, float factor) {
    const ValueId inner = e.Times(e.Of(Slopes{-1, -1}, e.x()), factor);
    return e.Two(Sub{}, e.Number(1), e.Of(Unary{F::kErf}, inner));
  };
  ExpectRecognized({F::kGelu},
                   [&](Expression& e) { return e.Mul(e.Times(e.x(), 0.5f), erfc(e, 1 / 1.41421356f)); });
  Expression e;
  const Graph other = Recognized(std::move(e).Build(e.Mul(e.Times(e.x(), 0.5f), erfc(e, -1 / 1.41421356f))));
  EXPECT_GT(other.nodes.size(), 1u);
}

TEST(RecognizeActivations, GeluByTanhAsExportersWriteIt) {
  constexpr float kRoot = 0.7978845608f, kCubic = 0.044715f;
  const auto around = [](Expression& e, ValueId inner) {
    return e.Mul(e.Number(0.5f), e.Mul(e.x(), e.Add(e.Number(1), e.Of(Unary{F::kTanh}, inner))));
  };
  ExpectRecognized({F::kGeluTanh}, [&](Expression& e) {  // PyTorch
    const ValueId cube = e.Mul(e.x(), e.Mul(e.x(), e.x()));
    return around(e, e.Mul(e.Number(kRoot), e.Add(e.x(), e.Mul(e.Number(kCubic), cube))));
  });
  ExpectRecognized({F::kGeluTanh}, [&](Expression& e) {
    const ValueId cube = e.Of(Unary{F::kPower, 3}, e.x());
    return around(e, e.Times(e.Add(e.Times(cube, kCubic), e.x()), kRoot));
  });
  ExpectRecognized({F::kGeluTanh}, [&](Expression& e) {
    const ValueId square = e.Mul(e.Times(e.x(), kCubic), e.x());
    return around(e, e.Mul(e.Times(e.x(), kRoot), e.Plus(square, 1)));
  });
}

TEST(RecognizeActivations, WithinLongerProducts) {
  Expression e;
  const ValueId silu = e.Mul(e.x(), e.Of(Unary{F::kSigmoid}, e.x()));
  const ValueId y = e.Times(silu, 3);
  EXPECT_EQ(OpsOf(Recognized(std::move(e).Build(y))), "Unary Mul");
}

// Each value of x clip(x + 3, 0, 6) / 6 in turn.
TEST(RecognizeActivations, ValuesInBetweenThatOthersReadStay) {
  for (const bool is_output : {false, true}) {
    for (const int which : {0, 1, 2}) {
      Expression e;
      const ValueId sum = e.Plus(e.x(), 3), clip = e.Of(Clip{0, 6}, sum), product = e.Mul(e.x(), clip);
      const ValueId inner = std::vector{sum, clip, product}[static_cast<size_t>(which)];
      is_output ? e.Output(inner) : e.AlsoRead(inner);
      const ValueId y = e.Times(product, 1.0f / 6);
      const Graph before = std::move(e).Build(y);
      EXPECT_EQ(OpsOf(Recognized(before)), OpsOf(before));
    }
  }
  Expression e;
  const ValueId gate = e.Of(Unary{F::kSigmoid}, e.x());
  e.AlsoRead(gate);
  const ValueId y = e.Mul(e.x(), gate);
  const Graph before = std::move(e).Build(y);
  EXPECT_EQ(OpsOf(Recognized(before)), OpsOf(before));
}

void ExpectLeft(const std::function<ValueId(Expression&)>& write) {
  Expression e;
  const ValueId y = write(e);
  const Graph before = std::move(e).Build(y);
  EXPECT_EQ(OpsOf(Recognized(before)), OpsOf(before));
}

TEST(RecognizeActivations, OtherConstantsAreOtherFunctions) {
  const auto half_gelu = [](Expression& e, float scale, float one, float half) {
    return e.Mul(e.Times(e.x(), half), e.Plus(e.Of(Unary{F::kErf}, e.Times(e.x(), scale)), one));
  };
  ExpectLeft([&](Expression& e) { return half_gelu(e, 0.7f, 1, 0.5f); });
  ExpectLeft([&](Expression& e) { return half_gelu(e, 0.70710678f, 2, 0.5f); });
  ExpectLeft([&](Expression& e) { return half_gelu(e, 0.70710678f, 1, 0.25f); });
  ExpectLeft([](Expression& e) { return e.Mul(e.x(), e.Of(Unary{F::kSigmoid}, e.Times(e.x(), 1.7f))); });
  ExpectLeft([](Expression& e) { return e.Times(e.Mul(e.x(), e.Of(Clip{0, 6}, e.Plus(e.x(), 3))), 0.2f); });
  ExpectLeft([](Expression& e) {
    return e.Times(e.Mul(e.x(), e.Of(Clip{-1, 6}, e.Plus(e.x(), 3))), 1.0f / 6);
  });
  ExpectLeft([](Expression& e) { return e.Mul(e.Of(Slopes{2, 2}, e.x()), e.Of(Unary{F::kSigmoid}, e.x())); });
}

TEST(RecognizeActivations, ANumberThatAddsDimensionsStays) {
  ExpectLeft([](Expression& e) {
    return e.Mul(e.Of(Clip{0, 6}, e.Plus(e.x(), 3)), e.Number(1.0f / 6, {1, 1, 1}));
  });
}

}  // namespace
}  // namespace tally::quant
