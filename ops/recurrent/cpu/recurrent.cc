#include <algorithm>
#include <array>

#include "ops/cpu/map_chunks.h"
#include "ops/recurrent/attrs.h"
#include "ops/recurrent/cpu/kernel_tables.h"
#include "ops/recurrent/cpu/recurrent_loops.h"
#include "ops/recurrent/recurrent_shape.h"

namespace tally {
namespace {

using recurrent::DimsOf;
using recurrent::OperandsOf;
using recurrent::OptionalOperands;
using recurrent::RecurrentDims;
using enum recurrent::RecurrentOperand;

// Sequences that are stepped together, so that a row of R is read once for all of them.
constexpr int64_t kSequences = 4;
constexpr int64_t kSteps = 8;  // steps whose inputs are multiplied at once

// The scratch of a call. Widths are those of columns with their zeros.
struct RecurrentBuffers {
  int64_t x_width, h_width, u_width;
  int64_t *m_x, *m_h, *b, *peephole, *m_p, *reset_bias;  // a direction's
  int64_t *input, *sums, *wide, *c;                      // (W x) * m_x + b of kSteps; R h; of one step; cells
  int16_t *x, *h, *u;                                    // u: what is multiplied besides
  std::array<int32_t*, 4> gates;
  int64_t bytes = 0;

  RecurrentBuffers(const RecurrentDims& d, uint8_t* scratch) : scratch_(scratch) {
    const auto padded = [](int64_t n) { return (n + kColumnGrain - 1) / kColumnGrain * kColumnGrain; };
    const int64_t rows = d.gates * d.units, sequences = std::min(kSequences, d.batch);
    x_width = padded(d.inputs);
    h_width = padded(d.states);
    u_width = padded(d.units);
    Take(rows, &m_x);
    Take(rows, &m_h);
    Take(rows, &b);
    Take(3 * d.units, &peephole);
    Take(d.states, &m_p);
    Take(d.units, &reset_bias);
    Take(kSteps * sequences * rows, &input);
    Take(sequences * std::max(rows, d.states), &sums);
    Take(std::max(2 * d.units, d.states), &wide);
    Take(sequences * d.units, &c);
    Take(kSteps * sequences * x_width, &x);
    Take(sequences * h_width, &h);
    Take(sequences * u_width, &u);
    for (int32_t*& gate : gates) Take(d.units, &gate);
  }

 private:
  template <typename T>
  void Take(int64_t n, T** out) {
    *out = scratch_ == nullptr ? nullptr : reinterpret_cast<T*>(scratch_ + bytes);
    bytes += (n * static_cast<int64_t>(sizeof(T)) + 63) / 64 * 64;
  }

  uint8_t* scratch_;
};

template <typename Attrs>
struct RecurrentParams {
  Attrs attrs;
  OptionalOperands at;
  RecurrentDims dims;
};

// Shared by the operators: the loop over the steps of sequences and the products.
template <Isa isa>
class Recurrence {
 public:
  template <typename Attrs>
  Recurrence(const RecurrentParams<Attrs>& p, const KernelCall& call)
      : call_(call), attrs_(p.attrs), at_(p.at), dims_(p.dims), buffers_(dims_, call.scratch) {}

  // step(s, in, sums): the next state of the s-th of the sequences side by side, from its (W x) * m_x + b and
  // R h.
  template <typename Step>
  void ForEachStep(Step step) {
    const Share share = call_.ShareOf(dims_.directions * dims_.batch);
    int64_t direction = -1;
    for (int64_t item = share.begin; item < share.end;) {
      const int64_t d = item / dims_.batch, first = item % dims_.batch;
      const int64_t count = std::min({kSequences, dims_.batch - first, share.end - item});
      if (d != direction) LoadParameters(d);
      direction = d;
      StepTogether(d, first, count, step);
      item += count;
    }
  }

  // The product of the matrix of operand i, from row `first` of its direction on, with `columns` columns.
  void Multiply(int i, int64_t first, int64_t rows, int64_t n, const int16_t* x, int64_t x_stride,
                int64_t columns, int64_t* sums, int64_t sums_stride) const {
    const KernelOperand& w = call_.operands[i];
    loops_.dot[CodeOf(w.storage)]({.w = w.bytes + first * n * SizeBytes(w.storage),
                                   .rows = rows,
                                   .n = n,
                                   .x = x,
                                   .x_stride = x_stride,
                                   .columns = columns,
                                   .sums = sums,
                                   .sums_stride = sums_stride});
  }

  void Activate(int table, GateArgs args, int32_t* y) const {
    const KernelOperand& f = call_.operands[kTables + table];
    args.n = dims_.units;
    args.table = f.bytes;
    args.entries = f.type->shape.num_elements();
    loops_.gates[CodeOf(f.storage)](args, y);
  }

  // Gate number `gate` with its share of R h.
  GateArgs GateOf(int64_t gate, const int64_t* in, const int64_t* sums) const {
    const int64_t row = gate * dims_.units;
    return {.in = in + row,
            .sums = sums + row,
            .m = buffers_.m_h + row,
            .weights = nullptr,
            .values = nullptr,
            .n = dims_.units,
            .shift = attrs_.shift,
            .table = nullptr,
            .entries = 0};
  }

  const RecurrentLoops& loops() const { return loops_; }
  const RecurrentDims& dims() const { return dims_; }
  const RecurrentBuffers& buffers() const { return buffers_; }
  int64_t direction() const { return direction_; }

 private:
  void Load(int operand, int64_t first, int64_t n, Storage to, void* out) const {
    const KernelOperand& x = call_.operands[operand];
    convert_.convert[CodeOf(x.storage)][CodeOf(to)](x.bytes + first * SizeBytes(x.storage), out, n);
  }
  void Store(const void* from, Storage storage, int64_t n, int result, int64_t first) const {
    const KernelResult& y = call_.results[result];
    convert_.convert[CodeOf(storage)][CodeOf(y.storage)](from, y.bytes + first * SizeBytes(y.storage), n);
  }

  void LoadParameters(int64_t d) {
    direction_ = d;
    const int64_t rows = dims_.gates * dims_.units;
    const auto load = [&](int operand, int64_t n, int64_t* out) {
      if (operand >= 0) Load(operand, d * n, n, Storage::kI64, out);
    };
    load(kMx, rows, buffers_.m_x);
    load(kMh, rows, buffers_.m_h);
    load(kB, rows, buffers_.b);
    load(at_.peephole, 3 * dims_.units, buffers_.peephole);
    load(at_.projection_m, dims_.states, buffers_.m_p);
    load(at_.reset_bias, dims_.units, buffers_.reset_bias);
  }

  // The bytes after a column are 0, as the products want it.
  void LoadColumn(int operand, int64_t first, int64_t n, int64_t width, int16_t* out) const {
    if (operand >= 0) Load(operand, first, n, Storage::kI16, out);
    std::fill(out + (operand >= 0 ? n : 0), out + width, int16_t{0});
  }

  template <typename Step>
  void StepTogether(int64_t d, int64_t first, int64_t count, Step step) {
    const RecurrentBuffers& at = buffers_;
    const int64_t rows = dims_.gates * dims_.units, P = dims_.states, H = dims_.units;
    const bool has_cell = call_.results.size() > 2;
    const bool reverse = attrs_.direction == Direction::kReverse || d == 1;
    std::array<int64_t, kSequences> lengths;
    for (int64_t s = 0; s < count; ++s) {
      const int64_t sequence = d * dims_.batch + first + s;
      lengths[s] = dims_.steps;
      if (at_.lengths >= 0) {
        const KernelOperand& given = call_.operands[at_.lengths];
        lengths[s] = LoadElement(given.storage, given.bytes, first + s);
      }
      LoadColumn(at_.initial_h, sequence * P, P, at.h_width, at.h + s * at.h_width);
      std::fill(at.u + s * at.u_width, at.u + (s + 1) * at.u_width, int16_t{0});
      if (has_cell && at_.initial_c >= 0) {
        Load(at_.initial_c, sequence * H, H, Storage::kI64, at.c + s * H);
      } else {
        std::fill(at.c + s * H, at.c + (s + 1) * H, int64_t{0});
      }
    }
    // Behind its end a sequence has zeros.
    const auto step_of = [&](int64_t s, int64_t n) {
      return n < lengths[s] && reverse ? lengths[s] - 1 - n : n;
    };
    for (int64_t start = 0; start < dims_.steps; start += kSteps) {
      const int64_t steps = std::min(kSteps, dims_.steps - start);
      for (int64_t k = 0; k < steps * count; ++k) {
        const int64_t s = k % count, t = step_of(s, start + k / count);
        LoadColumn(kX, (t * dims_.batch + first + s) * dims_.inputs, dims_.inputs, at.x_width,
                   at.x + k * at.x_width);
      }
      Multiply(kW, d * rows, rows, dims_.inputs, at.x, at.x_width, steps * count, at.input, rows);
      for (int64_t k = 0; k < steps * count; ++k) loops_.scale(at.input + k * rows, at.m_x, at.b, rows);
      for (int64_t k = 0; k < steps; ++k) {
        const int64_t n = start + k;
        Multiply(kR, d * rows, rows, P, at.h, at.h_width, count, at.sums, rows);
        for (int64_t s = 0; s < count; ++s) {
          const int64_t y = ((step_of(s, n) * dims_.directions + d) * dims_.batch + first + s) * P;
          if (n < lengths[s]) {
            step(s, at.input + (k * count + s) * rows, at.sums + s * rows);
            Store(at.h + s * at.h_width, Storage::kI16, P, 0, y);
          } else {
            convert_.fill[CodeOf(call_.results[0].storage)](
                call_.results[0].bytes + y * SizeBytes(call_.results[0].storage), P, 0);
          }
        }
      }
    }
    for (int64_t s = 0; s < count; ++s) {
      const int64_t sequence = d * dims_.batch + first + s;
      Store(at.h + s * at.h_width, Storage::kI16, P, 1, sequence * P);
      if (has_cell) Store(at.c + s * H, Storage::kI64, H, 2, sequence * H);
    }
  }

  const KernelCall& call_;
  const RnnAttrs& attrs_;
  const OptionalOperands& at_;
  const RecurrentDims& dims_;
  const RecurrentBuffers buffers_;
  int64_t direction_ = 0;
  const RecurrentLoops& loops_ = GetRecurrentLoops<isa>();
  const ConvertLoops& convert_ = GetConvertLoops<isa>();
};

int64_t MagnitudeOf(const Interval& x) { return std::max(x.hi, -x.lo); }

// Whether products of these can be summed in lanes of 32 bits, as DotArgs says.
bool FitsLanes(const Interval& w, int64_t x, int64_t n) {
  return MagnitudeOf(w) <= kState && x <= kState &&
         MagnitudeOf(w) * x * 2 * ((n + 15) / 16) < (int64_t{1} << 31);
}

// Weights, inputs and states of at most 16 bits whose products can be summed in lanes of 32.
bool Accepts(const KernelFacts& facts, const OptionalOperands& at, const RecurrentDims& dims) {
  for (const int i : {kX, kW, kR}) {
    if (facts.storages[i] > Storage::kI16) return false;
  }
  const Interval& h = facts.results[1].interval;
  if (h.lo < -kState || h.hi >= kState || facts.results[0].storage() > Storage::kI16) return false;
  const int64_t state =
      std::max(MagnitudeOf(h), at.initial_h >= 0 ? kState : MagnitudeOf(facts.results[0].interval));
  return FitsLanes(facts.operands[kW].interval, MagnitudeOf(facts.operands[kX].interval), dims.inputs) &&
         FitsLanes(facts.operands[kR].interval, state, dims.states);
}

// Whether the output of an lstm before its projection has 16 bits too, where there is one.
bool ProjectionFits(const KernelFacts& facts, const LstmAttrs& attrs, const OptionalOperands& at,
                    const RecurrentDims& dims) {
  if (!attrs.projection) return true;
  const int64_t o = MagnitudeOf(facts.operands[kTables].interval),
                a = MagnitudeOf(facts.operands[kTables + 2].interval);
  const int64_t half = int64_t{1} << (attrs.output_shift - 1);
  return facts.storages[at.projection] <= Storage::kI16 && (o * a + half) >> attrs.output_shift < kState &&
         FitsLanes(facts.operands[at.projection].interval, kState, dims.units);
}

template <typename Attrs, int64_t gates>
std::optional<Prepared<RecurrentParams<Attrs>>> PrepareRecurrent(const KernelFacts& facts) {
  const auto attrs = facts.attrs<Attrs>();
  const OptionalOperands at = OperandsOf(attrs);
  const RecurrentDims dims = DimsOf(facts.operands[kX].shape, facts.operands[kR].shape, gates);
  if (!Accepts(facts, at, dims)) return std::nullopt;
  if constexpr (std::is_same_v<Attrs, LstmAttrs>) {
    if (!ProjectionFits(facts, attrs, at, dims)) return std::nullopt;
  }
  return Prepared<RecurrentParams<Attrs>>{{attrs, at, dims}, RecurrentBuffers(dims, nullptr).bytes};
}

template <Isa isa>
void Rnn(const RecurrentParams<RnnAttrs>& p, const KernelCall& call) noexcept {
  Recurrence<isa> r(p, call);
  const RecurrentBuffers& at = r.buffers();
  r.ForEachStep([&](int64_t s, const int64_t* in, const int64_t* sums) {
    r.Activate(0, r.GateOf(0, in, sums), at.gates[0]);
    std::transform(at.gates[0], at.gates[0] + r.dims().units, at.h + s * at.h_width,
                   [](int32_t v) { return static_cast<int16_t>(v); });
  });
}

template <Isa isa>
void Lstm(const RecurrentParams<LstmAttrs>& p, const KernelCall& call) noexcept {
  enum { kInput, kOutput, kForget, kCell };  // gates, as rows and as weights of the cell
  const LstmAttrs& attrs = p.attrs;
  Recurrence<isa> r(p, call);
  const RecurrentBuffers& at = r.buffers();
  const int64_t H = r.dims().units, P = r.dims().states;
  r.ForEachStep([&](int64_t s, const int64_t* in, const int64_t* sums) {
    int64_t* c = at.c + s * H;
    const auto gate = [&](int number) {
      GateArgs args = r.GateOf(number, in, sums);
      if (attrs.peephole) {
        args.weights = at.peephole + number * H;
        args.values = c;
      }
      r.Activate(0, args, at.gates[number]);
    };
    gate(kInput);
    if (!attrs.coupled) gate(kForget);
    r.Activate(1, r.GateOf(kCell, in, sums), at.gates[kCell]);
    r.loops().cell(at.gates[kInput], attrs.coupled ? nullptr : at.gates[kForget], at.gates[kCell], c, H,
                   attrs.cell_bits, attrs.cell_lo, attrs.cell_hi);
    gate(kOutput);
    const GateArgs cell = {.in = c,
                           .sums = nullptr,
                           .m = nullptr,
                           .weights = nullptr,
                           .values = nullptr,
                           .n = H,
                           .shift = 0,
                           .table = nullptr,
                           .entries = 0};
    r.Activate(2, cell, at.gates[kCell]);
    int16_t *h = at.h + s * at.h_width, *u = attrs.projection ? at.u + s * at.u_width : h;
    r.loops().product(at.gates[kOutput], at.gates[kCell], u, H, attrs.output_shift);
    if (!attrs.projection) return;
    r.Multiply(p.at.projection, r.direction() * P, P, H, u, at.u_width, 1, at.wide, P);
    r.loops().project(at.wide, at.m_p, h, P, attrs.projection_shift);
  });
}

template <Isa isa>
void Gru(const RecurrentParams<GruAttrs>& p, const KernelCall& call) noexcept {
  enum { kUpdate, kReset, kNew };
  const GruAttrs& attrs = p.attrs;
  Recurrence<isa> r(p, call);
  const RecurrentBuffers& at = r.buffers();
  const int64_t H = r.dims().units;
  r.ForEachStep([&](int64_t s, const int64_t* in, const int64_t* sums) {
    int16_t *h = at.h + s * at.h_width, *q = at.u + s * at.u_width;
    r.Activate(0, r.GateOf(kUpdate, in, sums), at.gates[kUpdate]);
    r.Activate(0, r.GateOf(kReset, in, sums), at.gates[kReset]);
    GateArgs args = r.GateOf(kNew, in, sums);
    if (attrs.reset_after) {
      // in * 2^15 + r * ((R h) * m_h + b_r), with one rounding
      int64_t *scaled = at.wide, *state = at.c + s * H;
      for (int64_t j = 0; j < H; ++j) {
        scaled[j] = args.in[j] * kState;
        state[j] = args.sums[j] * args.m[j] + at.reset_bias[j];
        at.wide[H + j] = at.gates[kReset][j];
      }
      args.in = scaled;
      args.sums = nullptr;
      args.weights = state;
      args.values = at.wide + H;
      args.shift = attrs.shift + 15;
    } else {
      // The rows of n take the state that r leaves.
      r.loops().reset(at.gates[kReset], h, q, H);
      r.Multiply(kR, (r.direction() * 3 + kNew) * H, H, H, q, at.u_width, 1, at.wide, H);
      args.sums = at.wide;
    }
    r.Activate(1, args, at.gates[kNew]);
    r.loops().blend(at.gates[kUpdate], at.gates[kNew], h, H);
  });
}

constexpr auto kRecurrentKernels = JoinKernels(
    EveryIsa<"rnn">({.op = Opcode::kRnn},
                    []<Isa isa>() { return kKernel<PrepareRecurrent<RnnAttrs, 1>, Rnn<isa>>; }),
    EveryIsa<"lstm">({.op = Opcode::kLstm},
                     []<Isa isa>() { return kKernel<PrepareRecurrent<LstmAttrs, 4>, Lstm<isa>>; }),
    EveryIsa<"gru">({.op = Opcode::kGru},
                    []<Isa isa>() { return kKernel<PrepareRecurrent<GruAttrs, 3>, Gru<isa>>; }));

}  // namespace

std::vector<KernelTable> AllRecurrentKernels() { return {kRecurrentKernels}; }

}  // namespace tally
