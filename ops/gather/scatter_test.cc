#include <gtest/gtest.h>

#include "ops/gather/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;

OpCase ScatterCase(ScatterKind kind, TestOperand x, TestOperand indices, TestOperand updates,
                   int64_t axis = 0, Opcode op = Opcode::kScatter) {
  return {
      .op = op,
      .operands = {std::move(x), std::move(indices), std::move(updates)},
      .attributes = op == Opcode::kScatterNd ? Pack(ScatterNdAttrs{kind}) : Pack(ScatterAttrs{axis, kind})};
}

const ScatterKind kKinds[] = {ScatterKind::kUpdate, ScatterKind::kAdd, ScatterKind::kSub,
                              ScatterKind::kMul,    ScatterKind::kMax, ScatterKind::kMin};

TEST(Scatter, HasSixKinds) {
  const Ints expected[] = {{20, 2, 30}, {21, 2, 43}, {-19, 2, -37}, {20, 2, 900}, {20, 2, 30}, {1, 2, 3}};
  for (size_t k = 0; k < std::size(kKinds); ++k) {
    const auto y = RunOp(
        ScatterCase(kKinds[k], Values({3}, {1, 2, 3}), Values({3}, {-1, 0, 2}), Values({3}, {10, 20, 30})));
    ASSERT_TRUE(y.ok()) << y.status();
    EXPECT_EQ(y->values[0], expected[k]) << kScatterKindNames[k];
  }
}

TEST(Scatter, DropsUpdatesOutside) {
  EXPECT_EQ(RunOp(ScatterCase(ScatterKind::kUpdate, Values({3}, {1, 2, 3}),
                              Constant({4}, {3, -4, INT64_MIN, INT64_MAX}), Values({4}, {9, 9, 9, 9})))
                ->values[0],
            (Ints{1, 2, 3}));
}

TEST(Scatter, UpdatesSlicesOfAnyAxis) {
  const auto y = RunOp(ScatterCase(ScatterKind::kAdd, Values({2, 3}, {1, 2, 3, 4, 5, 6}),
                                   Values({2, 1}, {2, 0}), Values({2, 2, 1}, {10, 20, 30, 40}), 1));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (Ints{21, 2, 13, 44, 5, 36}));
  EXPECT_EQ(y->types[0].ToString(), "[2,3] in [1, 86]");
  EXPECT_EQ(y->accumulator, (Interval{0, 86}));
  EXPECT_EQ(y->gas, 512 + 40 * 6 + 48 * 2 + 96 * (2 + 4));
  EXPECT_EQ(RunOp(ScatterCase(ScatterKind::kUpdate, Values({2, 2}, {1, 2, 3, 4}), Values({}, {-1}),
                              Values({2}, {8, 9})))
                ->values[0],
            (Ints{1, 2, 8, 9}));
}

// All indices equal, every element at an end of its interval: some result is at each end.
TEST(Scatter, HasTightBounds) {
  const Interval of[] = {{-3, 2}, {2, 5}, {-5, -2}, {0, 3}, {-1, 1}};
  for (const ScatterKind kind : kKinds) {
    for (const Interval& x : of) {
      for (const Interval& u : of) {
        Interval seen = {INT64_MAX, INT64_MIN}, proven;
        for (int64_t bits = 0; bits < 16; ++bits) {
          const auto end = [&](int bit, const Interval& i) { return (bits >> bit & 1) != 0 ? i.hi : i.lo; };
          for (int64_t used = 0; used <= 3; ++used) {  // the others point outside
            const Ints indices = {used > 0 ? 0 : 9, used > 1 ? 0 : 9, used > 2 ? 0 : 9};
            const auto y = RunOp(ScatterCase(kind, Values({1}, {end(0, x)}, x), Values({3}, indices, {0, 9}),
                                             Values({3}, {end(1, u), end(2, u), end(3, u)}, u)));
            ASSERT_TRUE(y.ok()) << y.status();
            proven = y->types[0].interval;
            seen = {std::min(seen.lo, y->values[0][0]), std::max(seen.hi, y->values[0][0])};
          }
        }
        EXPECT_EQ(seen, proven) << kScatterKindNames[static_cast<int>(kind)] << x.ToString() << u.ToString();
      }
    }
  }
}

TEST(Scatter, CountsDuplicatesOfConstantIndices) {
  const auto bounds = [](Ints indices) {
    const int64_t n = std::ssize(indices);
    return RunOp(ScatterCase(ScatterKind::kAdd, Values({4}, {0, 0, 0, 0}), Constant({n}, indices),
                             Values({n}, Ints(n, 1), {-1, 1})))
        ->types[0]
        .interval;
  };
  EXPECT_EQ(bounds({0, 1, 2, 3}), (Interval{-1, 1}));
  EXPECT_EQ(bounds({0, 1, -4, -4}), (Interval{-3, 3}));
  EXPECT_EQ(bounds({4, 9, -5}), (Interval{0, 0}));
}

TEST(Scatter, BoundsEveryPartialResult) {
  const int64_t limit = (int64_t{1} << 47) - 1;
  EXPECT_EQ(LabelOf(ScatterCase(ScatterKind::kAdd, Values({2}, {0, 0}), Values({2}, {0, 0}),
                                Values({2}, {limit, -limit}))),
            "value_range");
  EXPECT_EQ(LabelOf(ScatterCase(ScatterKind::kMul, Values({1}, {1}), Values({99}, Ints(99, 0)),
                                Values({99}, Ints(99, 1), {1, 2}))),
            "accumulator_range");
  EXPECT_EQ(LabelOf(ScatterCase(ScatterKind::kMul, Values({1}, {1}), Values({99}, Ints(99, 0)),
                                Values({99}, Ints(99, 1), {-1, 1}))),
            "");
}

TEST(Scatter, C1_RefusesAxesThatDoNotExist) {
  EXPECT_EQ(LabelOf(ScatterCase(ScatterKind::kAdd, Values({1}, {0}), Values({1}, {0}), Values({1}, {0}), 1)),
            "scatter_c1");
}

TEST(Scatter, C2_RefusesOtherUpdates) {
  EXPECT_EQ(LabelOf(ScatterCase(ScatterKind::kAdd, Values({2}, {0, 0}), Values({1}, {0}), Values({}, {0}))),
            "scatter_c2");
  EXPECT_EQ(LabelOf(ScatterCase(ScatterKind::kAdd, Values({2, 1}, {0, 0}),
                                Values({1, 1, 1, 1, 1, 1, 1, 1}, {0}), Values({1}, {0}))),
            "scatter_c2");
}

OpCase ScatterNdCase(ScatterKind kind, TestOperand x, TestOperand indices, TestOperand updates) {
  return ScatterCase(kind, std::move(x), std::move(indices), std::move(updates), 0, Opcode::kScatterNd);
}

TEST(ScatterNd, TheLastUpdateWins) {
  const TestOperand x = Values({2, 2}, {1, 2, 3, 4}), twice = Values({2, 2}, {1, 0, 1, 0});
  EXPECT_EQ(RunOp(ScatterNdCase(ScatterKind::kUpdate, x, twice, Values({2}, {5, 6})))->values[0],
            (Ints{1, 2, 6, 4}));
  EXPECT_EQ(RunOp(ScatterNdCase(ScatterKind::kAdd, x, twice, Values({2}, {5, 6})))->values[0],
            (Ints{1, 2, 14, 4}));
}

TEST(ScatterNd, UpdatesSlicesAndDropsRowsOutside) {
  const auto y = RunOp(ScatterNdCase(ScatterKind::kUpdate, Values({2, 2}, {1, 2, 3, 4}),
                                     Values({3, 1}, {-1, 2, -3}), Values({3, 2}, {5, 6, 7, 8, 9, 10})));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (Ints{1, 2, 5, 6}));
  EXPECT_EQ(y->gas, 512 + 40 * 4 + 48 * 2 + 96 * (3 + 6));
  EXPECT_EQ(RunOp(ScatterNdCase(ScatterKind::kUpdate, Values({2, 2}, {1, 2, 3, 4}),
                                Values({2, 2}, {0, 2, 0, 1}), Values({2}, {8, 9})))
                ->values[0],
            (Ints{1, 9, 3, 4}));
}

TEST(ScatterNd, CountsDuplicatesOfConstantIndices) {
  const auto y = RunOp(ScatterNdCase(ScatterKind::kAdd, Values({2, 2}, {0, 0, 0, 0}),
                                     Constant({3, 2}, {0, 1, -2, -1, 1, 1}), Values({3}, {1, 1, 1})));
  EXPECT_EQ(y->types[0].interval, (Interval{0, 2}));
}

TEST(ScatterNd, C1_RefusesTuplesLongerThanTheRank) {
  EXPECT_EQ(LabelOf(ScatterNdCase(ScatterKind::kAdd, Values({1}, {0}), Values({2}, {0, 0}), Values({}, {0}))),
            "scatter_nd_c1");
  EXPECT_EQ(LabelOf(ScatterNdCase(ScatterKind::kAdd, Values({1}, {0}), Values({}, {0}), Values({}, {0}))),
            "scatter_nd_c1");
}

TEST(ScatterNd, C2_RefusesOtherUpdates) {
  EXPECT_EQ(LabelOf(ScatterNdCase(ScatterKind::kAdd, Values({2}, {0, 0}), Values({1, 1}, {0}),
                                  Values({2}, {0, 0}))),
            "scatter_nd_c2");
}

OpCase ScatterElementsCase(ScatterKind kind, TestOperand x, TestOperand indices, TestOperand updates,
                           int64_t axis) {
  return ScatterCase(kind, std::move(x), std::move(indices), std::move(updates), axis,
                     Opcode::kScatterElements);
}

TEST(ScatterElements, UpdatesItsOwnLine) {
  const auto y = RunOp(ScatterElementsCase(ScatterKind::kAdd, Values({2, 2}, {0, 0, 0, 0}),
                                           Values({2, 2}, {0, 1, 0, -1}), Values({2, 2}, {1, 2, 3, 4}), 0));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (Ints{4, 0, 0, 6}));
  EXPECT_EQ(y->types[0].ToString(), "[2,2] in [0, 8]");  // two updates of one line, not four
}

TEST(ScatterElements, TheLastUpdateWinsAndOthersAreDropped) {
  EXPECT_EQ(RunOp(ScatterElementsCase(ScatterKind::kUpdate, Values({1, 3}, {1, 2, 3}),
                                      Values({1, 4}, {1, -2, 3, -4}), Values({1, 4}, {7, 8, 9, 10}), 1))
                ->values[0],
            (Ints{1, 8, 3}));
}

TEST(ScatterElements, C1_RefusesAxesThatDoNotExist) {
  EXPECT_EQ(LabelOf(ScatterElementsCase(ScatterKind::kAdd, Values({1}, {0}), Values({1}, {0}),
                                        Values({1}, {0}), -2)),
            "scatter_elements_c1");
}

TEST(ScatterElements, C2_RefusesOtherIndices) {
  EXPECT_EQ(LabelOf(ScatterElementsCase(ScatterKind::kAdd, Values({1}, {0}), Values({1, 1}, {0}),
                                        Values({1, 1}, {0}), 0)),
            "scatter_elements_c2");
  EXPECT_EQ(LabelOf(ScatterElementsCase(ScatterKind::kAdd, Values({1, 1}, {0}), Values({2, 1}, {0, 0}),
                                        Values({2, 1}, {0, 0}), 1)),
            "scatter_elements_c2");
}

TEST(ScatterElements, C3_RefusesOtherUpdates) {
  EXPECT_EQ(LabelOf(ScatterElementsCase(ScatterKind::kAdd, Values({1}, {0}), Values({2}, {0, 0}),
                                        Values({1}, {0}), 0)),
            "scatter_elements_c3");
}

}  // namespace
}  // namespace tally
