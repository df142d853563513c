// Functions of family elementwise on wide ranges, lowered, against the float graph.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "engines/engine.h"
#include "quant/accuracy/choose_precision.h"
#include "quant/accuracy/measure_accuracy.h"
#include "quant/calibrate/calibrate.h"
#include "quant/graph/graph_builder.h"
#include "quant/lower/lower.h"
#include "quant/lower/testing/measure_lowered.h"
#include "quant/lower/wide_values.h"
#include "vm/validator.h"

namespace tally::quant {
namespace {

using F = RecipeFunction;

constexpr int64_t kSamples = 4;

// From 1e-2 to 1, as many of each order of magnitude; squares are from 1e-4 on.
absl::StatusOr<std::vector<FloatTensor>> Sample(int64_t sample) {
  FloatTensor x = {{4, 64}, {}};
  for (int i = 0; i < 256; ++i)
    x.data.push_back(std::pow(10.0f, -2.0f * static_cast<float>((i * 37 + sample * 11) % 256) / 255));
  return std::vector{x};
}

// op(x^2 + x^2)
Graph Function(const Unary& op) {
  GraphBuilder b("function");
  const ValueId x = *b.AddInput("x", {4, 64});
  const ValueId square = *b.AddNode(Mul{}, {x, x}, "square", "mul");
  const ValueId sum = *b.AddNode(Add{}, {square, square}, "sum", "add");
  b.AddOutput(*b.AddNode(op, {sum}, "y", "unary"));
  return *std::move(b).Build();
}

struct Measured {
  double sqnr_db;
  bool is_long;  // by normalized_table
};

Measured Measure(const Graph& graph, const std::set<std::string>& wide) {
  Calibration calibration = *Calibrate(graph, kSamples, Sample);
  calibration.widths.values = wide;
  const auto module = LowerToModule(graph, calibration, {});
  EXPECT_TRUE(module.ok()) << module.status();
  auto valid = Validate(Module(*module));
  EXPECT_TRUE(valid.ok()) << valid.status();
  Measured measured = {0, false};
  for (const Instruction& instruction : module->functions[0].body)
    measured.is_long |= instruction.op == Opcode::kNormalizedTable;
  const auto shared = std::make_shared<const ValidModule>(*std::move(valid));
  for (const char* engine : {"reference", "cpu"}) {
    const auto plan = *MakePlan(engine, shared, {});
    measured.sqnr_db = MeasureAccuracy(graph, *plan, kSamples, Sample)->worst_sqnr_db();
  }
  return measured;
}

TEST(LowerLong, KeepsWhatIsSmall) {
  for (const Unary& op :
       {Unary{F::kLog}, Unary{F::kLog2}, Unary{F::kSqrt}, Unary{F::kRsqrt}, Unary{F::kReciprocal},
        Unary{F::kPower, -0.5f}, Unary{F::kPower, 1.0f / 3}, Unary{F::kPower, -0.75f}}) {
    const Graph graph = Function(op);
    const std::string what = std::string(InfoOf(op.function).name) + " " + std::to_string(op.alpha);
    const Measured narrow = Measure(graph, {"x"}), wide = Measure(graph, {"x", "sum", "square"});
    EXPECT_FALSE(narrow.is_long) << what;
    EXPECT_TRUE(wide.is_long) << what;
    // The rest is the grid of x itself: 16 bits of 1, where the least is 1e-2.
    EXPECT_GT(wide.sqnr_db, 50) << what;
    // A root is largest where x is, and has 16 bits of that in any case.
    EXPECT_GT(wide.sqnr_db, narrow.sqnr_db + (op.function == F::kSqrt ? 0 : 10)) << what;
  }
}

// The energy of bands: products with weights, of which the result is as long as what they multiply.
TEST(LowerLong, ReachesThroughProducts) {
  GraphBuilder b("bands");
  const ValueId x = *b.AddInput("x", {4, 64});
  const ValueId square = *b.AddNode(Mul{}, {x, x}, "square", "mul");
  FloatTensor bands = {{64, 16}, std::vector<float>(64 * 16)};
  for (size_t i = 0; i < 64; ++i) bands.data[i * 16 + i / 4] = 0.25f + 0.05f * static_cast<float>(i % 4);
  const ValueId w = *b.AddConstant("w", std::move(bands));
  const ValueId energy = *b.AddNode(MatMul{}, {square, w}, "energy", "matmul");
  b.AddOutput(*b.AddNode(Unary{F::kLog}, {energy}, "y", "log"));
  const Graph graph = *std::move(b).Build();
  const Calibration calibration = *Calibrate(graph, kSamples, Sample);
  const Samples samples = {kSamples, Sample};
  const auto choice = ChoosePrecision(graph, calibration, {}, {.sqnr_db = 50}, samples, samples);
  ASSERT_TRUE(choice.ok()) << choice.status();
  EXPECT_GE(choice->sqnr_after, 50);
  EXPECT_TRUE(choice->widths.products.contains("energy"));
}

TEST(LongValues, AreThoseThatLeadToALogarithmAlone) {
  GraphBuilder b("chain");
  const ValueId x = *b.AddInput("x", {4, 64});
  const ValueId square = *b.AddNode(Mul{}, {x, x}, "square", "mul");
  const ValueId half = *b.AddConstant("half", FloatTensor{{1}, {0.5f}});
  const ValueId scaled = *b.AddNode(Mul{}, {square, half}, "scaled", "mul");
  const ValueId mean =
      *b.AddNode(ReduceSum{.axes = {1}, .keep_dimensions = true, .is_mean = true}, {scaled}, "mean", "mean");
  const ValueId other = *b.AddNode(Add{}, {square, square}, "other", "add");
  b.AddOutput(*b.AddNode(Unary{F::kLog}, {mean}, "y", "log"));
  b.AddOutput(*b.AddNode(Unary{F::kSqrt}, {other}, "z", "sqrt"));
  b.AddOutput(*b.AddNode(Unary{F::kTanh}, {other}, "t", "tanh"));
  const Graph graph = *std::move(b).Build();
  const std::vector<bool> longs = LongValues(graph);
  std::set<std::string> names;
  for (size_t id = 0; id < longs.size(); ++id) {
    if (longs[id]) names.insert(graph.values[id].name);
  }
  // 'x' is squared, 'other' is read by a table as well.
  EXPECT_EQ(names, (std::set<std::string>{"square", "scaled", "mean"}));
}

}  // namespace
}  // namespace tally::quant
