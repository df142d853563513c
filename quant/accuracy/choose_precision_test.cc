#include "quant/accuracy/choose_precision.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engines/engine.h"
#include "quant/accuracy/measure_accuracy.h"
#include "quant/calibrate/calibrate.h"
#include "quant/calibrate/calibration_json.h"
#include "quant/graph/graph_builder.h"
#include "quant/lower/testing/measure_lowered.h"
#include "vm/validator.h"

namespace tally::quant {
namespace {

constexpr int64_t kSamples = 4;

// A stream x + f(x) + g(..) + ..: sums that the next sum and the next product read.
Graph Residual() {
  GraphBuilder b("residual");
  ValueId stream = *b.AddInput("x", {4, 16});
  for (uint32_t block = 0; block < 6; ++block) {
    const std::string name = std::to_string(block);
    const ValueId w = *b.AddConstant("w" + name, Random({16, 16}, block, -0.1, 0.1));
    const ValueId branch = *b.AddNode(Dense{}, {stream, w}, "branch" + name, "dense");
    stream = *b.AddNode(Add{}, {stream, branch}, "stream" + name, "add");
  }
  b.AddOutput(stream);
  return *std::move(b).Build();
}

absl::StatusOr<std::vector<FloatTensor>> Sample(int64_t i) {
  return std::vector{Random({4, 16}, static_cast<uint32_t>(i), -1, 1)};
}

struct Lowered {
  std::shared_ptr<const ValidModule> module;
  double sqnr_db;
};

Lowered LowerWith(const Graph& graph, const Calibration& calibration) {
  auto valid = Validate(*LowerToModule(graph, calibration, {}));
  EXPECT_TRUE(valid.ok()) << valid.status();
  auto module = std::make_shared<const ValidModule>(*std::move(valid));
  const auto plan = *MakePlan("cpu", module, {});
  return {module, MeasureAccuracy(graph, *plan, kSamples, Sample)->worst_sqnr_db()};
}

PrecisionChoice Choose(const Graph& graph, const Calibration& calibration, const PrecisionTarget& target,
                       const Progress& progress = nullptr) {
  const Samples samples = {kSamples, Sample};
  auto choice = ChoosePrecision(graph, calibration, {}, target, samples, samples, progress);
  EXPECT_TRUE(choice.ok()) << choice.status();
  return *std::move(choice);
}

TEST(ChoosePrecision, ChoicesAmongTheOutputsAskForMore) {
  GraphBuilder b("choices");
  const ValueId x = *b.AddInput("x", {1, 4});
  const ValueId best = *b.AddNode(ArgExtreme{1, false}, {x}, "best", "best");
  b.AddOutput(*b.AddNode(Relu{}, {x}, "y", "relu"));
  GraphBuilder with = b;
  with.AddOutput(best);
  EXPECT_EQ(DefaultSqnr(*std::move(b).Build()), 30);
  EXPECT_EQ(DefaultSqnr(*std::move(with).Build()), 40);
}

TEST(ChoosePrecision, MeetsTheTarget) {
  const Graph graph = Residual();
  const Calibration calibration = *Calibrate(graph, kSamples, Sample);
  const Lowered before = LowerWith(graph, calibration);
  for (const double target : {before.sqnr_db + 3, before.sqnr_db + 8, 60.0}) {
    const PrecisionChoice choice = Choose(graph, calibration, {.sqnr_db = target, .budget = 100});
    EXPECT_EQ(choice.sqnr_before, before.sqnr_db);
    EXPECT_EQ(choice.gas_before, before.module->gas());
    EXPECT_GE(choice.sure_after, target);
    EXPECT_GT(choice.sqnr_after, choice.sure_after);
    EXPECT_FALSE(choice.over_budget);

    // The file alone makes the module of the choice.
    Calibration with = calibration;
    with.widths = choice.widths;
    const auto read = CalibrationFromJson(ToJson(with));
    ASSERT_TRUE(read.ok()) << read.status();
    const Lowered after = LowerWith(graph, *read);
    EXPECT_EQ(after.sqnr_db, choice.sqnr_after);
    EXPECT_EQ(after.module->gas(), choice.gas_after);
  }
}

// Samples that are far smaller than those seen have far more noise than is predicted for those.
TEST(ChoosePrecision, TakesMoreWhereTheSumPredictsEnough) {
  const Graph graph = Residual();
  const Calibration calibration = *Calibrate(graph, kSamples, Sample);
  const auto quiet = [](int64_t i) -> absl::StatusOr<std::vector<FloatTensor>> {
    return std::vector{Random({4, 16}, static_cast<uint32_t>(i), -0.2, 0.2)};
  };
  const double target = LowerWith(graph, calibration).sqnr_db - 2;  // the seen samples have it with 8 bits
  const auto choice = ChoosePrecision(graph, calibration, {}, {.sqnr_db = target, .budget = 100},
                                      {kSamples, Sample}, {kSamples, quiet});
  ASSERT_TRUE(choice.ok()) << choice.status();
  EXPECT_LT(choice->sqnr_before, target - 5);
  EXPECT_GE(choice->sqnr_after, target);
}

// An effect that a sample of calibration shows, the search may not show: here it has zeros, of which all is
// equal.
TEST(ChoosePrecision, MeetsTheTargetOnWhatCalibrationSawToo) {
  const Graph graph = Residual();
  const Calibration calibration = *Calibrate(graph, kSamples, Sample);
  const double target = LowerWith(graph, calibration).sqnr_db + 3;
  const auto zeros = [](int64_t) -> absl::StatusOr<std::vector<FloatTensor>> {
    return std::vector{FloatTensor{{4, 16}, std::vector<float>(64)}};
  };
  const auto choice = ChoosePrecision(graph, calibration, {}, {.sqnr_db = target, .budget = 100},
                                      {kSamples, Sample}, {kSamples, zeros});
  ASSERT_TRUE(choice.ok()) << choice.status();
  EXPECT_LT(choice->sqnr_before, target);
  EXPECT_GE(choice->sure_after, target);
}

TEST(ChoosePrecision, ATargetOf0AsksForNothing) {
  const Graph graph = Residual();
  const PrecisionChoice choice = Choose(graph, *Calibrate(graph, kSamples, Sample), {.sqnr_db = 0});
  EXPECT_TRUE(choice.widths.empty());
  EXPECT_EQ(choice.gas_after, choice.gas_before);
  EXPECT_EQ(choice.sqnr_after, choice.sqnr_before);
}

TEST(ChoosePrecision, TakesMoreForMore) {
  const Graph graph = Residual();
  const Calibration calibration = *Calibrate(graph, kSamples, Sample);
  const double before = LowerWith(graph, calibration).sqnr_db;
  size_t last = 0;
  for (const double more : {-10.0, 2.0, 6.0, 20.0}) {
    const Widths widths = Choose(graph, calibration, {.sqnr_db = before + more, .budget = 100}).widths;
    const size_t taken = widths.values.size() + widths.products.size() + widths.weights.size();
    EXPECT_EQ(widths.empty(), more < 0);
    EXPECT_GE(taken, last);
    last = taken;
  }
}

TEST(ChoosePrecision, StaysWithinTheBudget) {
  const Graph graph = Residual();
  const Calibration calibration = *Calibrate(graph, kSamples, Sample);
  const PrecisionChoice whole = Choose(graph, calibration, {.sqnr_db = 60, .budget = 100});
  const double needs =
      100.0 * static_cast<double>(whole.gas_after - whole.gas_before) / static_cast<double>(whole.gas_before);
  const PrecisionChoice half = Choose(graph, calibration, {.sqnr_db = 60, .budget = needs / 2});
  EXPECT_TRUE(half.over_budget);
  EXPECT_LT(half.sqnr_after, 60);
  EXPECT_LE(static_cast<double>(half.gas_after), static_cast<double>(half.gas_before) * (1 + needs / 200));
}

TEST(ChoosePrecision, TellsOfEveryStepOnce) {
  const Graph graph = Residual();
  std::vector<int64_t> seen;
  int64_t of = 0;
  Choose(graph, *Calibrate(graph, kSamples, Sample), {.sqnr_db = 60}, [&](int64_t done, int64_t total) {
    seen.push_back(done);
    of = total;
  });
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(seen.back(), of);
  EXPECT_TRUE(std::ranges::is_sorted(seen));
}

// Products, and what only moves in front of them, read the wide value on 8 bits.
TEST(WideValues, ProductsKeepFactorsOfEightBits) {
  GraphBuilder b("moved");
  const ValueId x = *b.AddInput("x", {4, 16});
  const ValueId sum = *b.AddNode(Add{}, {x, x}, "sum", "add");
  const ValueId moved = *b.AddNode(Reshape{{8, 8}}, {sum}, "moved", "reshape");
  const ValueId w = *b.AddConstant("w", Random({8, 8}, 1)), v = *b.AddConstant("v", Random({16, 16}, 2));
  b.AddOutput(*b.AddNode(Dense{}, {moved, w}, "y", "dense"));
  b.AddOutput(*b.AddNode(Dense{}, {sum, v}, "z", "dense"));
  b.AddOutput(*b.AddNode(Add{}, {sum, x}, "u", "add"));
  const Graph graph = *std::move(b).Build();
  Calibration calibration = *Calibrate(graph, kSamples, Sample);
  calibration.widths.values = {"sum"};
  const auto module = LowerWith(graph, calibration).module;
  int products = 0, sums = 0;
  for (const Instruction& instruction : module->entry().body) {
    if (instruction.operands.empty()) continue;
    const Interval first = module->types()[instruction.operands[0]].interval;
    if (instruction.op == Opcode::kDense) {
      ++products;
      EXPECT_LE(first.hi - first.lo, 255);
    }
    if (instruction.op == Opcode::kLincomb && first.hi - first.lo > 255) ++sums;
  }
  EXPECT_EQ(products, 2);
  EXPECT_EQ(sums, 1);
}

}  // namespace
}  // namespace tally::quant
