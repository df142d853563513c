#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "quant/ops/recurrent/recurrent_ops.h"

namespace tally::quant {
namespace {

using Reals = std::vector<double>;

// NaN passes through.
double Apply(Activation activation, double x) {
  switch (activation) {
    case Activation::kSigmoid: return 1 / (1 + std::exp(-x));
    case Activation::kTanh: return std::tanh(x);
    case Activation::kHardSigmoid: {
      const double y = x / 5 + 0.5;
      return y < 0 ? 0 : y > 1 ? 1 : y;
    }
    case Activation::kRelu: return x < 0 ? 0 : x;
  }
  return x;
}

// A matrix whose columns are one after another, so that the sums of all rows grow side by side.
class Columns {
 public:
  // The columns of direction d of [D, rows, n].
  Columns(const FloatTensor& matrices, int64_t d)
      : rows_(static_cast<size_t>(matrices.shape[1])),
        n_(static_cast<size_t>(matrices.shape[2])),
        data_(rows_ * n_) {
    const float* matrix = matrices.data.data() + static_cast<size_t>(d) * rows_ * n_;
    for (size_t row = 0; row < rows_; ++row) {
      for (size_t i = 0; i < n_; ++i) data_[i * rows_ + row] = matrix[row * n_ + i];
    }
  }

  // sums[row - first] += the product of each row from `first` on with x.
  template <typename T>
  void AddProduct(std::span<const T> x, size_t first, Reals& sums) const {
    for (size_t i = 0; i < n_; ++i) {
      const double factor = x[i];
      const float* column = data_.data() + i * rows_ + first;
      for (size_t row = 0; row < sums.size(); ++row) sums[row] += double{column[row]} * factor;
    }
  }

 private:
  size_t rows_, n_;
  std::vector<float> data_;
};

// The state before and after a step of one direction.
struct Step {
  int64_t direction;
  const Columns& r;
  Reals& sums;  // W x + bias of all rows, to be used up
  Reals& h;
  Reals& c;  // empty without cells
};

// Where the operands are; 0 for initial states that are not there.
struct Places {
  size_t h = 0, c = 0;
  bool has_cell = false;
};

// step(Step) for each step of each sequence. All that it finds goes to results[t, d, b], and what it ends
// with to finals[d, b], of the states and then of the cells.
struct Found {
  FloatTensor states, cells;              // [T, D, B, H]
  FloatTensor final_states, final_cells;  // [D, B, H]
};

template <typename Function>
Found Walk(Operands operands, const Sequences& sequences, const Places& places, Function step) {
  const FloatTensor &x = Float(operands[0]), &r = Float(operands[2]), &bias = Float(operands[3]);
  const int64_t steps = x.shape[0], batch = x.shape[1], directions = r.shape[0];
  const size_t inputs = static_cast<size_t>(x.shape[2]), rows = static_cast<size_t>(r.shape[1]),
               units = static_cast<size_t>(r.shape[2]);
  const Shape all = {steps, directions, batch, r.shape[2]}, last = {directions, batch, r.shape[2]};
  Found found = {ZeroTensor(all), ZeroTensor(all), ZeroTensor(last), ZeroTensor(last)};
  const auto store = [&](const Reals& from, FloatTensor& to, int64_t place) {
    std::ranges::transform(from, to.data.begin() + place * static_cast<int64_t>(units),
                           [](double v) { return static_cast<float>(v); });
  };
  for (int64_t d = 0; d < directions; ++d) {
    const Columns w_columns(Float(operands[1]), d), r_columns(r, d);
    const bool backwards = sequences.direction == Direction::kReverse || d == 1;
    const float* biases = bias.data.data() + static_cast<size_t>(d) * rows;
    for (int64_t b = 0; b < batch; ++b) {
      const int64_t place = d * batch + b;
      const auto initial = [&](size_t operand) {
        if (operand == 0) return Reals(units);
        const float* first = Float(operands[operand]).data.data() + static_cast<size_t>(place) * units;
        return Reals(first, first + units);
      };
      Reals h = initial(places.h), c = places.has_cell ? initial(places.c) : Reals();
      const int64_t length = sequences.lengths.empty() ? steps : sequences.lengths[static_cast<size_t>(b)];
      for (int64_t n = 0; n < length; ++n) {
        const int64_t t = backwards ? length - 1 - n : n;
        Reals sums(biases, biases + rows);
        const float* row = x.data.data() + static_cast<size_t>(t * batch + b) * inputs;
        w_columns.AddProduct(std::span(row, inputs), 0, sums);
        step(Step{d, r_columns, sums, h, c});
        store(h, found.states, (t * directions + d) * batch + b);
        if (places.has_cell) store(c, found.cells, (t * directions + d) * batch + b);
      }
      store(h, found.final_states, place);
      if (places.has_cell) store(c, found.final_cells, place);
    }
  }
  return found;
}

Tensor Chosen(Found found, SequenceResult result) {
  if (result == SequenceResult::kStates) return std::move(found.states);
  if (result == SequenceResult::kFinalState) return std::move(found.final_states);
  return std::move(found.final_cells);
}

size_t PlaceOr0(Operands operands, size_t place) { return place < operands.size() ? place : 0; }

}  // namespace

Tensor Rnn::Evaluate(Operands operands, const Shape&, FloatTensor* states) const {
  const auto step = [&](const Step& s) {
    s.r.AddProduct<double>(s.h, 0, s.sums);
    std::ranges::transform(s.sums, s.h.begin(), [&](double sum) { return Apply(state, sum); });
  };
  Found found = Walk(operands, sequences, {.h = PlaceOr0(operands, 4)}, step);
  if (states != nullptr) *states = found.states;
  return Chosen(std::move(found), sequences.result);
}

Tensor Gru::Evaluate(Operands operands, const Shape&) const {
  const auto step = [&](const Step& s) {
    const size_t units = s.h.size();
    Reals gated(2 * units), fresh(units), reset(units);  // R h of the rows of z and r, and what n takes of R
    s.r.AddProduct<double>(s.h, 0, gated);
    for (size_t j = 0; j < 2 * units; ++j) gated[j] = Apply(gates, s.sums[j] + gated[j]);
    const double* r = gated.data() + units;
    if (reset_after) {
      s.r.AddProduct<double>(s.h, 2 * units, fresh);
      const float* bias = Float(operands[4]).data.data() + static_cast<size_t>(s.direction) * units;
      for (size_t j = 0; j < units; ++j) fresh[j] = r[j] * (fresh[j] + bias[j]);
    } else {
      for (size_t j = 0; j < units; ++j) reset[j] = r[j] * s.h[j];
      s.r.AddProduct<double>(reset, 2 * units, fresh);
    }
    for (size_t j = 0; j < units; ++j) {
      const double n = Apply(state, s.sums[2 * units + j] + fresh[j]);
      s.h[j] = gated[j] * s.h[j] + (1 - gated[j]) * n;
    }
  };
  return Chosen(Walk(operands, sequences, {.h = PlaceOr0(operands, InitialState())}, step), sequences.result);
}

Tensor Lstm::Evaluate(Operands operands, const Shape&, FloatTensor* cells) const {
  const auto step = [&](const Step& s) {
    const size_t units = s.h.size();
    s.r.AddProduct<double>(s.h, 0, s.sums);
    // Weights of the peephole of gate k, in the order i, o, f.
    const auto peep = [&](size_t k, size_t j) -> double {
      if (!peephole) return 0;
      return Float(operands[4]).data[(static_cast<size_t>(s.direction) * 3 + k) * units + j];
    };
    for (size_t j = 0; j < units; ++j) {
      const auto gate = [&](size_t k) { return Apply(gates, s.sums[k * units + j] + peep(k, j) * s.c[j]); };
      const double i = gate(0), f = gate(2), g = Apply(input, s.sums[3 * units + j]);
      s.c[j] = f * s.c[j] + i * g;
      s.h[j] = gate(1) * Apply(output, s.c[j]);
    }
  };
  Found found =
      Walk(operands, sequences,
           {PlaceOr0(operands, InitialState()), PlaceOr0(operands, InitialState() + 1), true}, step);
  if (cells != nullptr) *cells = std::move(found.cells);
  return Chosen(std::move(found), sequences.result);
}

}  // namespace tally::quant
