// A sequence is a chain of cells, and a cell is a composition of matmul, lincomb, table and products.
#include <gtest/gtest.h>

#include <random>

#include "ops/linear/attrs.h"
#include "ops/recurrent/attrs.h"
#include "ops/rescale/attrs.h"
#include "ops/table/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;

constexpr int64_t kWide = (int64_t{1} << 47) - 1;
constexpr int64_t kBatch = 2, kInputs = 3, kUnits = 2, kSteps = 5;

class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}

  int64_t Between(int64_t lo, int64_t hi) {
    return lo + static_cast<int64_t>(engine_() % static_cast<uint64_t>(hi - lo + 1));
  }
  TestOperand Noise(const std::vector<int64_t>& dims, int64_t size, bool constant) {
    const Shape shape = *Shape::Create(dims);
    Ints values;
    for (int64_t i = 0; i < shape.num_elements(); ++i) values.push_back(Between(-size, size));
    TestOperand operand = {*Tensor::FromValues(shape, values), {}, constant};
    if (!constant) operand.interval = Interval{-size, size};
    return operand;
  }
  // n entries that rise from low to high, with noise.
  TestOperand Table(int64_t n, int64_t low, int64_t high) {
    Ints entries;
    for (int64_t i = 0; i < n; ++i)
      entries.push_back(std::clamp(low + (high - low) * i / (n - 1) + Between(-99, 99), low, high));
    return Constant({n}, entries);
  }

 private:
  std::mt19937_64 engine_;
};

TestOperand Apply(Opcode op, std::vector<TestOperand> operands, Attributes attributes = {}) {
  const auto y = RunOp({.op = op, .operands = std::move(operands), .attributes = std::move(attributes)});
  if (!y.ok()) throw std::runtime_error(std::string(y.status().message()));
  return {*Tensor::FromValues(y->types[0].shape, y->values[0]), y->types[0].interval};
}

// Part `i` of `count` equal parts of the elements, in these dims.
TestOperand Part(const TestOperand& x, int64_t i, int64_t count, const std::vector<int64_t>& dims) {
  const int64_t size = x.tensor.shape().num_elements() / count;
  Ints values;
  for (int64_t k = 0; k < size; ++k) values.push_back(x.tensor.view().at(i * size + k));
  return {*Tensor::FromValues(*Shape::Create(dims), values), x.interval, x.constant};
}

TestOperand Times(TestOperand a, TestOperand b) {
  return Apply(Opcode::kBroadcastMul, {std::move(a), std::move(b)});
}

TestOperand Sum(std::vector<TestOperand> terms, Ints multipliers, int64_t shift, int64_t lo = -kWide,
                int64_t hi = kWide, int64_t bias = 0) {
  const Ints zeros(terms.size(), 0);
  return Apply(Opcode::kLincomb, std::move(terms),
               Pack(LincombAttrs{.multipliers = std::move(multipliers),
                                 .zero_points = zeros,
                                 .bias = bias,
                                 .shift = shift,
                                 .lo = lo,
                                 .hi = hi}));
}

// The parts of one cell, with one multiplier for all rows.
struct Cell {
  std::vector<TestOperand> o;  // operands of the operator, of a sequence of one step
  int64_t gates, m_x, m_h, shift;

  TestOperand Product(int operand, int64_t gate, const TestOperand& v) const {
    const int64_t columns = operand == 1 ? kInputs : kUnits;
    return Apply(Opcode::kMatmul, {v, Part(o[operand], gate, gates, {kUnits, columns})},
                 Pack(MatmulAttrs{.transpose_b = true}));
  }
  TestOperand X() const { return Part(o[0], 0, 1, {kBatch, kInputs}); }
  // The bias for each sequence.
  TestOperand Bias(const TestOperand& bias, int64_t part, int64_t parts) const {
    const TestOperand one = Part(bias, part, parts, {1, kUnits});
    return Apply(Opcode::kBroadcastAdd, {one, Values({kBatch, 1}, Ints(kBatch, 0))});
  }
  TestOperand Activate(const TestOperand& v, int table) const {
    return Apply(Opcode::kTable, {v, o[table]}, Pack(TableAttrs{.offset = -o[table].tensor.shape()[0] / 2}));
  }
  TestOperand Gate(int64_t gate, const TestOperand& h, int table, std::vector<TestOperand> more = {}) const {
    std::vector<TestOperand> terms = {Product(1, gate, X()), Product(2, gate, h), Bias(o[5], gate, gates)};
    terms.insert(terms.end(), more.begin(), more.end());
    Ints multipliers = {m_x, m_h, 1, 1};
    multipliers.resize(terms.size());
    return Activate(Sum(terms, multipliers, shift), table);
  }
};

// x, W, R, m_x, m_h, b and the tables.
Cell RandomCell(Random& random, int64_t gates, int tables) {
  const int64_t rows = gates * kUnits;
  Cell cell = {.gates = gates,
               .m_x = random.Between(-99, 99),
               .m_h = random.Between(-3, 3),
               .shift = random.Between(8, 14)};
  cell.o = {random.Noise({kSteps, kBatch, kInputs}, 127, false), random.Noise({1, rows, kInputs}, 127, true),
            random.Noise({1, rows, kUnits}, 127, true)};
  cell.o.push_back(Constant({1, rows}, Ints(rows, cell.m_x)));
  cell.o.push_back(Constant({1, rows}, Ints(rows, cell.m_h)));
  cell.o.push_back(random.Noise({1, rows}, 1 << 16, true));
  cell.o.push_back(random.Table(1024, gates == 1 ? -kState : 0, kState));
  for (int i = 1; i < tables; ++i) cell.o.push_back(random.Table(256 << i, -kState, kState - 1));
  return cell;
}

void ExpectValues(const TestOperand& parts, const Ints& values) {
  for (size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(parts.tensor.view().at(static_cast<int64_t>(i)), values[i]) << "element " << i;
  }
}

// Runs the operator over the sequence and over its steps, one at a time. `parts` gives the states after one
// step from those before it.
template <typename Attrs, typename Parts>
void CheckSequence(Opcode op, Attrs attrs, const Cell& cell, std::vector<TestOperand> states,
                   const std::vector<TestOperand>& more, Parts parts) {
  attrs.initial_state = true;
  attrs.shift = cell.shift;
  const auto run = [&](const TestOperand& x, const std::vector<TestOperand>& before) {
    std::vector<TestOperand> operands = cell.o;
    operands[0] = x;
    operands.insert(operands.end(), before.begin(), before.end());
    operands.insert(operands.end(), more.begin(), more.end());
    return RunOp({.op = op, .operands = operands, .attributes = Pack(attrs)});
  };
  const auto sequence = run(cell.o[0], states);
  ASSERT_TRUE(sequence.ok()) << sequence.status();
  for (int64_t t = 0; t < kSteps; ++t) {
    Cell step = cell;
    step.o[0] = Part(cell.o[0], t, kSteps, {1, kBatch, kInputs});
    const auto y = run(step.o[0], states);
    ASSERT_TRUE(y.ok()) << y.status();
    const std::vector<TestOperand> composed = parts(step, states);
    for (size_t k = 0; k < states.size(); ++k) {
      ExpectValues(composed[k], y->values[k + 1]);
      states[k] = {*Tensor::FromValues(y->types[k + 1].shape, y->values[k + 1]),
                   Interval{-kState, kState - 1}};
    }
    const size_t row = kBatch * kUnits;
    const Ints in_sequence(sequence->values[0].begin() + t * row,
                           sequence->values[0].begin() + (t + 1) * row);
    ASSERT_EQ(in_sequence, y->values[0]) << "step " << t;
  }
  for (size_t k = 0; k < states.size(); ++k) ExpectValues(states[k], sequence->values[k + 1]);
}

TestOperand State(Random& random) { return random.Noise({1, kBatch, kUnits}, kState - 1, false); }
TestOperand Flat(const TestOperand& state) { return Part(state, 0, 1, {kBatch, kUnits}); }

TEST(Rnn, EqualsItsParts) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    Cell cell = RandomCell(random, 1, 1);
    cell.o[6] = random.Table(1024, -kState, kState - 1);
    CheckSequence(Opcode::kRnn, RnnAttrs{}, cell, {State(random)}, {},
                  [](const Cell& step, const std::vector<TestOperand>& states) {
                    return std::vector<TestOperand>{step.Gate(0, Flat(states[0]), 6)};
                  });
  }
}

TEST(Gru, EqualsItsParts) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const Cell cell = RandomCell(random, 3, 2);
    const bool reset_after = seed % 2 == 1;
    std::vector<TestOperand> more;
    if (reset_after) more.push_back(random.Noise({1, kUnits}, 1 << 16, true));
    CheckSequence(Opcode::kGru, GruAttrs{.reset_after = reset_after}, cell, {State(random)}, more,
                  [&](const Cell& step, const std::vector<TestOperand>& states) {
                    const TestOperand h = Flat(states[0]), z = step.Gate(0, h, 6), r = step.Gate(1, h, 6);
                    TestOperand n;
                    if (reset_after) {
                      const TestOperand input =
                          Sum({step.Product(1, 2, step.X()), step.Bias(step.o[5], 2, 3)}, {step.m_x, 1}, 0);
                      const TestOperand state =
                          Sum({step.Product(2, 2, h), step.Bias(more[0], 0, 1)}, {step.m_h, 1}, 0);
                      n = step.Activate(Sum({input, Times(r, state)}, {kState, 1}, step.shift + 15), 7);
                    } else {
                      n = step.Gate(2, Sum({Times(r, h)}, {1}, 15), 7);
                    }
                    const TestOperand rest = Sum({z}, {-1}, 0, -kWide, kWide, kState);
                    return std::vector<TestOperand>{Sum({Times(z, h), Times(rest, n)}, {1, 1}, 15)};
                  });
  }
}

TEST(Lstm, EqualsItsParts) {
  for (uint32_t seed = 0; seed < 30; ++seed) {
    Random random(seed);
    const Cell cell = RandomCell(random, 4, 3);
    LstmAttrs attrs = {.peephole = seed % 2 == 1,
                       .projection = seed % 3 == 1,
                       .coupled = seed % 5 == 1,
                       .cell_bits = random.Between(9, 15),
                       .cell_lo = -random.Between(100, kState),
                       .cell_hi = random.Between(100, kState - 1),
                       .output_shift = random.Between(16, 23),
                       .projection_shift = 8};
    std::vector<TestOperand> more;
    if (attrs.peephole) more.push_back(random.Noise({1, 3 * kUnits}, 9, true));
    if (attrs.projection) {
      more.push_back(random.Noise({1, kUnits, kUnits}, 127, true));
      more.push_back(Constant({1, kUnits}, Ints(kUnits, 3)));
    }
    CheckSequence(
        Opcode::kLstm, attrs, cell, {State(random), State(random)}, more,
        [&](const Cell& step, const std::vector<TestOperand>& states) {
          const TestOperand h = Flat(states[0]), c = Flat(states[1]);
          const auto gate = [&](int64_t k, const TestOperand& of) {
            if (!attrs.peephole) return step.Gate(k, h, 6);
            return step.Gate(k, h, 6, {Times(of, Part(more[0], k, 3, {1, kUnits}))});
          };
          const TestOperand i = gate(0, c);
          const TestOperand f = attrs.coupled ? Sum({i}, {-1}, 0, -kWide, kWide, kState) : gate(2, c);
          const TestOperand after =
              Sum({Times(f, c), Times(i, step.Gate(3, h, 7))}, {int64_t{1} << (15 - attrs.cell_bits), 1},
                  30 - attrs.cell_bits, attrs.cell_lo, attrs.cell_hi);
          TestOperand u = Sum({Times(gate(1, after), step.Activate(after, 8))}, {1}, attrs.output_shift);
          if (attrs.projection) {
            const TestOperand sum =
                Apply(Opcode::kMatmul, {u, Part(more[more.size() - 2], 0, 1, {kUnits, kUnits})},
                      Pack(MatmulAttrs{.transpose_b = true}));
            u = Sum({sum}, {3}, attrs.projection_shift, -kState, kState - 1);
          }
          return std::vector<TestOperand>{u, after};
        });
  }
}

}  // namespace
}  // namespace tally
