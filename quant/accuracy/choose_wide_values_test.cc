#include "quant/accuracy/choose_wide_values.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "quant/accuracy/measure_accuracy.h"
#include "quant/calibrate/calibrate.h"
#include "quant/calibrate/calibration_json.h"
#include "quant/graph/graph_builder.h"
#include "quant/lower/testing/measure_lowered.h"
#include "vm/engine.h"
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

TEST(ChooseWideValues, GainsWithinTheBudget) {
  const Graph graph = Residual();
  Calibration calibration = *Calibrate(graph, kSamples, Sample);
  const Lowered before = LowerWith(graph, calibration);
  const auto choice = ChooseWideValues(graph, calibration, {}, 50, kSamples, Sample);
  ASSERT_TRUE(choice.ok()) << choice.status();
  EXPECT_EQ(choice->sqnr_before, before.sqnr_db);
  EXPECT_EQ(choice->gas_before, before.module->gas());
  EXPECT_FALSE(choice->values.empty());
  EXPECT_GT(choice->sqnr_after, choice->sqnr_before + 1);
  EXPECT_LE(choice->gas_after, choice->gas_before * 3 / 2);

  // The file alone makes the module of the choice.
  calibration.wide = choice->values;
  const auto read = CalibrationFromJson(ToJson(calibration));
  ASSERT_TRUE(read.ok()) << read.status();
  const Lowered after = LowerWith(graph, *read);
  EXPECT_EQ(after.sqnr_db, choice->sqnr_after);
  EXPECT_EQ(after.module->gas(), choice->gas_after);
}

TEST(ChooseWideValues, WithoutABudgetNothingChanges) {
  const Graph graph = Residual();
  const auto choice = ChooseWideValues(graph, *Calibrate(graph, kSamples, Sample), {}, 0, kSamples, Sample);
  ASSERT_TRUE(choice.ok()) << choice.status();
  EXPECT_TRUE(choice->values.empty());
  EXPECT_EQ(choice->gas_after, choice->gas_before);
  EXPECT_EQ(choice->sqnr_after, choice->sqnr_before);
}

TEST(ChooseWideValues, TellsOfEveryCandidateTwice) {
  const Graph graph = Residual();
  std::vector<int64_t> seen;
  const auto progress = [&](int64_t done, int64_t total) {
    EXPECT_EQ(total, 22);  // six products and five sums: the sixth is the result, which has 16 bits
    seen.push_back(done);
  };
  ASSERT_TRUE(
      ChooseWideValues(graph, *Calibrate(graph, kSamples, Sample), {}, 50, kSamples, Sample, progress).ok());
  ASSERT_EQ(seen.size(), 22);
  for (size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], static_cast<int64_t>(i) + 1);
}

// Products, and what only moves in front of them, read the wide value on 8 bits.
TEST(ChooseWideValues, ProductsKeepFactorsOfEightBits) {
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
  calibration.wide = {"sum"};
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
