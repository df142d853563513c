// Operators that read megabytes for one element: each of their judgements reads at most 48 KiB of leaves.
#include "tests/expansion/long_elements.h"

#include <gtest/gtest.h>

#include <iostream>
#include <string>

#include "ops/expansion_table.h"
#include "proof/trace/judged_run.h"

namespace tally {
namespace {

class LongElementTest : public ::testing::TestWithParam<NamedLongElement> {};

// Judges some elements of each result of the module.
TEST_P(LongElementTest, IsJudgedByLittle) {
  const LongElement element = GetParam().make();
  const auto run = JudgedRun::Of("reference", element.module, element.inputs);
  ASSERT_TRUE(run.ok()) << run.status();
  ASSERT_NE(FindExpansion(element.op), nullptr);
  LeafCost most;
  for (const auto& [place, value] : (*run)->values()) {
    if (place.id < element.first) continue;
    const int64_t size = value.shape().num_elements();
    for (const int64_t number : {int64_t{0}, size / 3, size - 1}) {
      const auto judged = (*run)->Judge(place, number, {.of_each_column = 4});
      ASSERT_TRUE(judged.ok()) << judged.status();
      EXPECT_GT(judged->columns, 1) << "it was judged directly";
      EXPECT_LE(judged->most.bytes, kMostLeafBytes);
      if (judged->most.bytes > most.bytes) most = judged->most;
    }
  }
  std::cout << InfoOf(element.op).name << ": " << most.leaves << " leaves, " << most.bytes << " bytes\n";
}

INSTANTIATE_TEST_SUITE_P(Of, LongElementTest,
                         ::testing::ValuesIn(LongElements().begin(), LongElements().end()),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace tally
