#include <gtest/gtest.h>

#include "ops/normalization/attrs.h"
#include "ops/testing/real.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;

constexpr int64_t kOne = int64_t{1} << 30;  // an exponential's
constexpr int64_t kWide = (int64_t{1} << 47) - 1;

// E[d] = round(2^30 exp(-d * scale)), up to the last entry that is not 0.
TestOperand Exponentials(const Real& scale) {
  Ints table;
  for (int64_t d = 0; d < 65536; ++d) {
    const int64_t e = Nearest(kOne * exp(-d * scale));
    if (e == 0) break;
    table.push_back(e);
  }
  const auto n = static_cast<int64_t>(table.size());
  return Constant({n}, std::move(table));
}

// T[i] = round(ln(1 + i / 1024) * unit)
TestOperand Logarithms(const Real& unit) {
  Ints table;
  for (int i = 0; i <= 1024; ++i) table.push_back(Nearest(log(1 + Real(i) / 1024) * unit));
  return Constant({1025}, std::move(table));
}

// The exponentials of a row, relative to its greatest element.
std::vector<Real> ExactExponentials(const Ints& x, const Real& scale) {
  const int64_t max = *std::max_element(x.begin(), x.end());
  std::vector<Real> e;
  for (const int64_t v : x) e.push_back(exp((v - max) * scale));
  return e;
}

OpCase Softmax(TestOperand x, TestOperand table, SoftmaxAttrs attrs = {.hi = 1 << 15}) {
  return {.op = Opcode::kSoftmax, .operands = {std::move(x), std::move(table)}, .attributes = Pack(attrs)};
}

OpCase LogSoftmax(TestOperand x, TestOperand table, TestOperand logs, LogSoftmaxAttrs attrs) {
  return {.op = Opcode::kLogSoftmax,
          .operands = {std::move(x), std::move(table), std::move(logs)},
          .attributes = Pack(attrs)};
}

struct Row {
  int64_t count, lo, hi;
  double scale;
};
// Flat and peaked rows, of 8 and of 16 bits.
constexpr Row kRows[] = {{10, -128, 127, 0.05},     {1000, -128, 127, 0.0078125},
                         {1000, -128, 127, 0.25},   {50, -32768, 32767, 0.001953125},
                         {2000, -300, 300, 0.0625}, {3, -2, 2, 1.0}};

TEST(Softmax, StaysWithinItsErrorBound) {
  for (const Row& row : kRows) {
    const Ints x = Noise(1, row.count, row.lo, row.hi);
    const std::vector<Real> e = ExactExponentials(x, row.scale);
    const TestOperand table = Exponentials(row.scale);
    Real sum = 0;
    for (const Real& v : e) sum += v;
    for (const int bits : {7, 8, 15}) {
      const auto y = RunOp(Softmax(Values({row.count}, x), table, {.bits = bits, .hi = int64_t{1} << bits}));
      ASSERT_TRUE(y.ok()) << y.status();
      for (int64_t i = 0; i < row.count; ++i) {
        const Real p = e[i] / sum;
        const Real bound = Real(0.5) + ldexp(1 + row.count * p, bits - 31) + ldexp(Real(1), bits - 32);
        ASSERT_LE(abs(y->values[0][i] - ldexp(p, bits)), bound) << row.count << ' ' << bits << ' ' << i;
      }
    }
  }
}

TEST(Softmax, ARowAddsUpToAtMostOneAndItsLength) {
  // Every element is half a unit of the last place: all of them are rounded up.
  const int64_t n = 256;
  const auto y = RunOp(Softmax(Values({n}, Ints(n, 0)), Constant({1}, {kOne}), {.bits = 7, .hi = 128}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], Ints(n, 1));
  for (const Row& row : kRows) {
    const auto z =
        RunOp(Softmax(Values({row.count}, Noise(2, row.count, row.lo, row.hi)), Exponentials(row.scale)));
    EXPECT_LE(std::accumulate(z->values[0].begin(), z->values[0].end(), int64_t{0}), (1 << 15) + row.count);
  }
}

TEST(Softmax, LeavesFewBitsNothingOfALongFlatRow) {
  const auto y = RunOp(Softmax(Values({1000}, Ints(1000, 0)), Constant({1}, {kOne}), {.bits = 8, .hi = 256}));
  EXPECT_EQ(y->values[0], Ints(1000, 0));
}

TEST(Softmax, TakesAnyTableWithAPositiveHead) {
  const auto y =
      RunOp(Softmax(Values({3}, {0, -1, -2}), Constant({2}, {1, kOne}), {.bits = 15, .hi = 1 << 15}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (Ints{0, 1 << 15, 0}));
}

TEST(Softmax, GrowsByRowsAndElements) {
  const auto y = RunOp(Softmax(Values({2, 3}, {1, 2, 3, 4, 5, 6}), Constant({1}, {kOne})));
  EXPECT_EQ(y->gas, 88 * 6 + 448 * 2);
  EXPECT_EQ(y->accumulator, (Interval{0, 3 * kOne}));
  EXPECT_EQ(y->types[0].interval, (Interval{0, 1 << 15}));
}

TEST(Softmax, HoldsTheLongestRow) {
  const TestOperand long_row = {Tensor(*Shape::Create({int64_t{1} << 20}), Storage::kI8)};
  EXPECT_EQ(LabelOf(Softmax(long_row, Constant({1}, {kOne}))), "");
}

TEST(Softmax, C1_RefusesAConstantBeyondTheTensorLimit) {
  EXPECT_EQ(LabelOf(Softmax(Constant({1}, {kWide + 1}), Constant({1}, {kOne}))), "softmax_c1");
}

TEST(Softmax, C2_RefusesAnAxisOutsideTheRank) {
  EXPECT_EQ(LabelOf(Softmax(Values({1}, {0}), Constant({1}, {kOne}), {.axis = 1})), "softmax_c2");
  EXPECT_EQ(LabelOf(Softmax(Values({}, {0}), Constant({1}, {kOne}))), "softmax_c2");
}

TEST(Softmax, C3_RefusesATableThatIsNoConstantList) {
  EXPECT_EQ(LabelOf(Softmax(Values({1}, {0}), Values({1}, {kOne}))), "softmax_c3");
  EXPECT_EQ(LabelOf(Softmax(Values({1}, {0}), Constant({1, 1}, {kOne}))), "softmax_c3");
  EXPECT_EQ(LabelOf(Softmax(Values({1}, {0}), Constant({65537}, Ints(65537, 1)))), "softmax_c3");
}

TEST(Softmax, C4_RefusesEntriesOutsideTheirRange) {
  EXPECT_EQ(LabelOf(Softmax(Values({1}, {0}), Constant({2}, {kOne, kOne + 1}))), "softmax_c4");
  EXPECT_EQ(LabelOf(Softmax(Values({1}, {0}), Constant({2}, {kOne, -1}))), "softmax_c4");
  EXPECT_EQ(LabelOf(Softmax(Values({1}, {0}), Constant({2}, {0, 1}))), "softmax_c4");
}

TEST(Softmax, C5_RefusesAnEmptyClamp) {
  EXPECT_EQ(LabelOf(Softmax(Values({1}, {0}), Constant({1}, {kOne}), {.lo = 1})), "softmax_c5");
}

TEST(LogSoftmax, StaysWithinItsErrorBound) {
  for (const Row& row : kRows) {
    const Ints x = Noise(3, row.count, row.lo, row.hi);
    const int64_t max = *std::max_element(x.begin(), x.end());
    Real sum = 0;
    for (const Real& v : ExactExponentials(x, row.scale)) sum += v;
    for (const double scale_out : {0.01, 1.0 / 2048}) {
      const int shift = 16;
      const Real unit = ldexp(Real(1), shift) / scale_out;
      const auto y = RunOp(
          LogSoftmax(Values({row.count}, x), Exponentials(row.scale), Logarithms(unit),
                     {.multiplier = Nearest(unit * row.scale), .shift = shift, .lo = -kWide, .hi = kWide}));
      ASSERT_TRUE(y.ok()) << y.status();
      const Real binades = floor(log2(sum)) + 1;  // k - 30 of a sum that is a little larger
      for (int64_t i = 0; i < row.count; ++i) {
        const Real exact = ((x[i] - max) * Real(row.scale) - log(sum)) / scale_out;
        const Real bound =
            Real(0.5) +
            (ldexp(Real(1), -23) + ldexp(Real(1), -40) + row.count * ldexp(Real(1), -31)) / scale_out +
            ldexp(max - x[i] + 2 + binades, -shift - 1);
        ASSERT_LE(abs(y->values[0][i] - exact), bound) << row.count << ' ' << scale_out << ' ' << i;
      }
    }
  }
}

TEST(LogSoftmax, CountsTheDistanceBeyondTheTable) {
  const auto y = RunOp(LogSoftmax(Values({2}, {0, -1000}), Constant({1}, {kOne}), Logarithms(0),
                                  {.multiplier = 3, .lo = -9999, .hi = 9999}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->values[0], (Ints{0, -3000}));
}

OpCase SmallLog(TestOperand x, TestOperand table, TestOperand logs, LogSoftmaxAttrs attrs = {}) {
  return LogSoftmax(std::move(x), std::move(table), std::move(logs), attrs);
}
const TestOperand kX = Values({1}, {0});
const TestOperand kHead = Constant({1}, {kOne});
const TestOperand kLogs = Constant({1025}, Ints(1025, 0));

TEST(LogSoftmax, C1_RefusesAConstantBeyondTheTensorLimit) {
  EXPECT_EQ(LabelOf(SmallLog(Constant({1}, {kWide + 1}), kHead, kLogs)), "log_softmax_c1");
}

TEST(LogSoftmax, C2_RefusesAnAxisOutsideTheRank) {
  EXPECT_EQ(LabelOf(SmallLog(kX, kHead, kLogs, {.axis = -2})), "log_softmax_c2");
}

TEST(LogSoftmax, C3_RefusesExponentialsThatAreNoConstantList) {
  EXPECT_EQ(LabelOf(SmallLog(kX, Values({1}, {kOne}), kLogs)), "log_softmax_c3");
}

TEST(LogSoftmax, C4_RefusesExponentialsOutsideTheirRange) {
  EXPECT_EQ(LabelOf(SmallLog(kX, Constant({1}, {0}), kLogs)), "log_softmax_c4");
}

TEST(LogSoftmax, C5_RefusesAnotherNumberOfLogarithms) {
  EXPECT_EQ(LabelOf(SmallLog(kX, kHead, Constant({1024}, Ints(1024, 0)))), "log_softmax_c5");
  EXPECT_EQ(LabelOf(SmallLog(kX, kHead, Values({1025}, Ints(1025, 0)))), "log_softmax_c5");
}

TEST(LogSoftmax, C6_RefusesLogarithmsOutsideTheirRange) {
  EXPECT_EQ(LabelOf(SmallLog(kX, kHead, Constant({1025}, Ints(1025, 4 * kOne)))), "");
  EXPECT_EQ(LabelOf(SmallLog(kX, kHead, Constant({1025}, Ints(1025, 4 * kOne + 1)))), "log_softmax_c6");
  EXPECT_EQ(LabelOf(SmallLog(kX, kHead, Constant({1025}, Ints(1025, -1)))), "log_softmax_c6");
}

TEST(LogSoftmax, C7_RefusesAnEmptyClamp) {
  EXPECT_EQ(LabelOf(SmallLog(kX, kHead, kLogs, {.lo = 1})), "log_softmax_c7");
}

TEST(LogSoftmax, C8_RefusesAProductThatLeaves64Bits) {
  const auto label = [](int64_t width, int64_t shift) {
    return LabelOf(SmallLog(Values({2}, {0, width}), kHead, kLogs,
                            {.multiplier = int64_t{1} << 46, .shift = shift, .lo = -1, .hi = 1}));
  };
  EXPECT_EQ(label((1 << 17) - 1, 0), "");
  EXPECT_EQ(label(1 << 17, 0), "log_softmax_c8");
  EXPECT_EQ(label(1 << 16, 62), "");
  EXPECT_EQ(label((1 << 16) + (1 << 15), 62), "log_softmax_c8");
}

}  // namespace
}  // namespace tally
