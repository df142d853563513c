#include "bench/gas/gas_table.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "bench/gas/gas_search.h"
#include "fuzz/generators/entropy_source.h"

namespace tally::bench {
namespace {

// Some bytes are a probe of every operator, and the same bytes are the same probe.
TEST(Probe, IsDrawnOfEveryOperator) {
  for (const OpInfo& op : AllOps()) {
    int drawn = 0;
    for (uint64_t seed = 0; seed < 200 && drawn < 2; ++seed) {
      const auto bytes = NoiseBytes(seed, 1024);
      const auto probe = DrawProbe(op.code, bytes);
      if (!probe) continue;
      ++drawn;
      EXPECT_EQ(probe->module->entry().body.back().op, op.code);
      EXPECT_EQ(DrawProbe(op.code, bytes)->Describe(), probe->Describe());
    }
    EXPECT_EQ(drawn, 2) << op.name;
  }
}

TEST(Probe, RunsOnEveryLevel) {
  const auto bytes = NoiseBytes(3, 1024);
  const auto probe = DrawProbe(Opcode::kRelu, bytes);
  ASSERT_TRUE(probe.has_value());
  for (const Level& level : LevelsHere()) {
    const auto ns = NanosecondsPerGas(*probe, level);
    ASSERT_TRUE(ns.ok()) << level.name() << ": " << ns.status();
    EXPECT_GT(*ns, 0);
  }
}

TEST(GasTable, NamesTheLevelAtWhichARowIsFurthestBeyondTheMedian) {
  const GasTable table = {.levels = {{"reference", ""}, {"cpu", "avx2"}}, .medians = {5, 0.5}};
  const GasRow row = {.op = Opcode::kRelu, .worst = {10, 6}};
  EXPECT_EQ(table.WorstOf(row), std::pair(12.0, size_t{1}));
}

TEST(GasTable, HasARowForEveryClassThatWasDrawn) {
  const auto table = MeasureGas({.draws = 12, .ops = {"broadcast_add"}}, [](int, int) {});
  ASSERT_TRUE(table.ok());
  int probes = 0;
  for (const GasRow& row : table->rows) {
    EXPECT_EQ(row.op, Opcode::kBroadcastAdd);
    EXPECT_EQ(row.median.size(), table->levels.size());
    probes += row.probes;
  }
  EXPECT_GE(probes, 8);
}

// Found probes are reported by the same measure as the table, with the text of the one furthest beyond it.
TEST(GasSearch, FindsProbesAndMeasuresThemAgain) {
  const auto table = MeasureGas({.draws = 12, .ops = {"broadcast_add"}}, [](int, int) {});
  ASSERT_TRUE(table.ok());
  const FoundProbes found = SearchDearest(Opcode::kBroadcastAdd, *table, 0.02, 0);
  EXPECT_GE(found.tried, static_cast<int>(found.dearest.size()));
  ASSERT_FALSE(found.dearest.empty());
  const auto row = MeasureFound(found, *table);
  ASSERT_TRUE(row.ok()) << row.status();
  EXPECT_GT(table->WorstOf(*row).first, 0);
  std::vector<std::string> texts;
  for (const auto& bytes : found.dearest)
    texts.push_back(DrawProbe(Opcode::kBroadcastAdd, bytes)->Describe());
  EXPECT_NE(std::ranges::find(texts, row->worst_text), texts.end()) << row->worst_text;
}

}  // namespace
}  // namespace tally::bench
