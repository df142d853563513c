#include <array>

#include "base/int_math.h"
#include "ops/cuda/append_work.h"
#include "ops/cuda/gemm/gemm.h"
#include "ops/linear/attrs.h"
#include "ops/recurrent/cuda/kernel_tables.h"
#include "ops/recurrent/cuda/recurrent_device.h"
#include "ops/recurrent/recurrent_shape.h"

namespace tally::cuda {
namespace {

using recurrent::DimsOf;
using recurrent::OperandsOf;
using recurrent::OptionalOperands;
using recurrent::RecurrentDims;
using enum recurrent::RecurrentOperand;

constexpr int64_t kMostSteps = int64_t{1} << 14;  // a launch or two each
constexpr int64_t kMostInputBytes = int64_t{1} << 32;

// A state between steps, in two copies that steps read and write in turns.
struct State {
  std::array<Ref, 2> copies;
  Ref before(int64_t step) const { return copies[step % 2]; }
  Ref behind(int64_t step) const { return copies[(step + 1) % 2]; }
};

// The launches that all recurrent operators have: products with the inputs, the states before the first step,
// steps, the states after the last.
class Sequences {
 public:
  Sequences(const KernelFacts& facts, const RnnAttrs& attrs, const OptionalOperands& at, int gates,
            int tables)
      : facts_(facts), at_(at), dims_(DimsOf(facts.operands[kX].shape, facts.operands[kR].shape, gates)) {
    params_ = {.step = 0,
               .steps = dims_.steps,
               .batch = dims_.batch,
               .directions = dims_.directions,
               .reverse = attrs.direction == Direction::kReverse,
               .has_lengths = at.lengths >= 0,
               .groups = CeilDiv<int64_t>(dims_.batch, kSequencesOfWarp),
               .units = dims_.units,
               .depth = dims_.states,
               .gates = gates,
               .lengths = at.lengths >= 0 ? facts.storages[at.lengths] : Storage::kI8,
               .matrix = facts.storages[kR],
               .input = Storage::kI8,
               .y = facts.results[0].storage(),
               .shift = attrs.shift,
               .tables = {},
               .entries = {},
               .cell = {},
               .coupled = false};
    for (int i = 0; i < tables; ++i) {
      params_.tables[i] = facts.storages[kTables + i];
      params_.entries[i] = facts.operands[kTables + i].shape.num_elements();
    }
  }

  // (W x) of all gates, steps and directions: one product. `more`: the operand with GateRow::more of the
  // first gates, or -1. False where it would be too large.
  bool AddInputs(int more, int first_gate_of_more = 0) {
    const int64_t rows = dims_.directions * dims_.gates * dims_.units, columns = dims_.steps * dims_.batch;
    const TensorType &x = facts_.operands[kX], &w = facts_.operands[kW];
    const auto matrix = [](int64_t height, int64_t width) { return Shape::Create({height, width}); };
    const auto y_shape = matrix(columns, rows);
    if (dims_.steps > kMostSteps || !y_shape.ok()) return false;
    const TensorType sums = {*y_shape, facts_.accumulator};
    if (sums.size_bytes() > kMostInputBytes) return false;
    const Attributes attributes = Pack(MatmulAttrs{.transpose_b = true});
    const std::array<TensorType, 2> operands = {TensorType{*matrix(columns, dims_.inputs), x.interval},
                                                TensorType{*matrix(rows, dims_.inputs), w.interval}};
    TensorView constant;
    if (facts_.constants[kW] != nullptr) constant = *facts_.constants[kW];
    constant.shape = operands[1].shape;
    const std::array<const TensorView*, 2> constants = {
        nullptr, facts_.constants[kW] != nullptr ? &constant : nullptr};
    const KernelFacts product_facts = {.op = Opcode::kMatmul,
                                       .attributes = &attributes,
                                       .operands = operands,
                                       .storages = facts_.storages.subspan(kX, 2),
                                       .constants = constants,
                                       .results = {&sums, 1},
                                       .accumulator = facts_.accumulator};
    auto product = PrepareGemm(product_facts, {.y = sums}, {});
    if (!product) return false;
    input_ = work_.AddScratch(sums.size_bytes());
    params_.input = sums.storage();
    AppendWork(work_, *std::move(product), {OperandAt(kX), OperandAt(kW)}, {input_});
    rows_ = AddRows(more, first_gate_of_more);
    return true;
  }

  // As operand `initial` has it, or zeros.
  State AddState(int initial, int64_t width) {
    const State state = {{AddScratch(width), AddScratch(width)}};
    const bool zero = initial < 0;
    Convert(zero ? ConvertStateParams{StateElements(width), true, Storage::kI32, Storage::kI32}
                 : ConvertStateParams{StateElements(width), false, facts_.storages[initial], Storage::kI32},
            zero ? state.before(0) : OperandAt(initial), state.before(0));
    return state;
  }
  Ref AddScratch(int64_t width) { return work_.AddScratch(StateElements(width) * 4); }

  // Result `result` is a state after the last step.
  void Finish(const State& state, int64_t width, int result) {
    Convert({StateElements(width), false, Storage::kI32, facts_.results[result].storage()},
            state.before(dims_.steps), ResultAt(result));
  }

  // A launch of step `step`; `memory` is that of StepMemory.
  void AddStep(KernelId kernel, StepParams params, int64_t step, const std::vector<Ref>& memory) {
    params.step = step;
    work_.Add(kernel, GridOver(params.directions * params.units * params.groups * kWarp), params, memory);
  }

  const RecurrentDims& dims() const { return dims_; }
  const StepParams& params() const { return params_; }
  Ref lengths() const { return OperandAt(at_.lengths >= 0 ? at_.lengths : static_cast<int>(kX)); }
  Ref rows() const { return rows_; }
  Ref input() const { return input_; }
  Work& work() { return work_; }

 private:
  int64_t StateElements(int64_t width) const { return dims_.directions * dims_.batch * width; }

  void Convert(const ConvertStateParams& params, Ref from, Ref to) {
    work_.Add(KernelId::kConvertState, GridOver(params.count), params, {from, to});
  }

  Ref AddRows(int more, int first_gate_of_more) {
    const auto list = [&](int operand, int64_t i) { return facts_.constants[operand]->at(i); };
    const int64_t of_direction = dims_.gates * dims_.units;
    std::vector<GateRow> rows(dims_.directions * of_direction);
    for (size_t i = 0; i < rows.size(); ++i) {
      const auto row = static_cast<int64_t>(i);
      rows[i] = {list(kMx, row), list(kMh, row), list(kB, row), 0};
    }
    if (more < 0) return work_.AddConstant(rows);
    const int64_t width = facts_.operands[more].shape.num_elements() / dims_.directions;
    for (int64_t d = 0; d < dims_.directions; ++d) {
      for (int64_t i = 0; i < width; ++i) {
        rows[d * of_direction + first_gate_of_more * dims_.units + i].more = list(more, d * width + i);
      }
    }
    return work_.AddConstant(rows);
  }

  const KernelFacts& facts_;
  const OptionalOperands at_;
  const RecurrentDims dims_;
  StepParams params_;
  Work work_;
  Ref input_ = {}, rows_ = {};
};

// Each of the three takes up to 2^14 steps and 4 GiB of products with the inputs.
std::optional<Work> PrepareRnn(const KernelFacts& facts) {
  const auto attrs = facts.attrs<RnnAttrs>();
  const OptionalOperands at = OperandsOf(attrs);
  Sequences s(facts, attrs, at, 1, 1);
  if (!s.AddInputs(-1)) return std::nullopt;
  const int64_t H = s.dims().units;
  const State h = s.AddState(at.initial_h, H);
  for (int64_t n = 0; n < s.dims().steps; ++n) {
    s.AddStep(KernelId::kRnnStep, s.params(), n,
              {OperandAt(kR), h.before(n), s.lengths(), s.rows(), s.input(), h.behind(n), ResultAt(0),
               OperandAt(kTables)});
  }
  s.Finish(h, H, 1);
  return std::move(s.work());
}

std::optional<Work> PrepareLstm(const KernelFacts& facts) {
  const auto attrs = facts.attrs<LstmAttrs>();
  const OptionalOperands at = OperandsOf(attrs);
  Sequences s(facts, attrs, at, 4, 3);
  if (!s.AddInputs(at.peephole)) return std::nullopt;
  const int64_t H = s.dims().units, P = s.dims().states;
  const State h = s.AddState(at.initial_h, P), c = s.AddState(at.initial_c, H);
  StepParams step = s.params(), projection = step;
  step.cell = attrs.cell();
  step.coupled = attrs.coupled;
  Ref output = {}, projected_rows = {};
  if (attrs.projection) {
    output = s.AddScratch(H);
    projection.units = P;
    projection.depth = H;
    projection.gates = 1;
    projection.matrix = facts.storages[at.projection];
    projection.shift = attrs.projection_shift;
    std::vector<GateRow> rows(s.dims().directions * P);
    for (size_t i = 0; i < rows.size(); ++i) {
      rows[i] = {0, facts.constants[at.projection_m]->at(static_cast<int64_t>(i)), 0, 0};
    }
    projected_rows = s.work().AddConstant(rows);
  }
  for (int64_t n = 0; n < s.dims().steps; ++n) {
    s.AddStep(attrs.projection ? KernelId::kProjectedLstmStep : KernelId::kLstmStep, step, n,
              {OperandAt(kR), h.before(n), s.lengths(), s.rows(), s.input(),
               attrs.projection ? output : h.behind(n), ResultAt(0), OperandAt(kTables),
               OperandAt(kTables + 1), OperandAt(kTables + 2), c.before(n), c.behind(n)});
    if (!attrs.projection) continue;
    s.AddStep(KernelId::kProjectionStep, projection, n,
              {OperandAt(at.projection), output, s.lengths(), projected_rows, h.before(n), h.behind(n),
               ResultAt(0)});
  }
  s.Finish(h, P, 1);
  s.Finish(c, H, 2);
  return std::move(s.work());
}

std::optional<Work> PrepareGru(const KernelFacts& facts) {
  const auto attrs = facts.attrs<GruAttrs>();
  const OptionalOperands at = OperandsOf(attrs);
  Sequences s(facts, attrs, at, 3, 2);
  if (!s.AddInputs(at.reset_bias, kNewGate)) return std::nullopt;
  const int64_t H = s.dims().units;
  const State h = s.AddState(at.initial_h, H);
  const Ref update = attrs.reset_after ? Ref{} : s.AddScratch(H),
            reset = attrs.reset_after ? Ref{} : s.AddScratch(H);
  for (int64_t n = 0; n < s.dims().steps; ++n) {
    const auto memory = [&](Ref vector) {
      return std::vector<Ref>{OperandAt(kR),
                              vector,
                              s.lengths(),
                              s.rows(),
                              s.input(),
                              h.behind(n),
                              ResultAt(0),
                              OperandAt(kTables),
                              OperandAt(kTables + 1)};
    };
    if (attrs.reset_after) {
      s.AddStep(KernelId::kGruAfterStep, s.params(), n, memory(h.before(n)));
      continue;
    }
    std::vector<Ref> gates = memory(h.before(n)), last = memory(reset);
    for (const Ref& ref : {update, reset}) gates.push_back(ref);
    for (const Ref& ref : {update, reset, h.before(n)}) last.push_back(ref);
    s.AddStep(KernelId::kGruGatesStep, s.params(), n, gates);
    s.AddStep(KernelId::kGruNewStep, s.params(), n, last);
  }
  s.Finish(h, H, 1);
  return std::move(s.work());
}

constexpr KernelEntry kRecurrentKernels[] = {
    {Opcode::kRnn, "rnn", Arch::kSm80, Layouts::kRowMajor, PrepareRnn},
    {Opcode::kLstm, "lstm", Arch::kSm80, Layouts::kRowMajor, PrepareLstm},
    {Opcode::kGru, "gru", Arch::kSm80, Layouts::kRowMajor, PrepareGru},
};

}  // namespace

std::vector<KernelTable> AllRecurrentKernels() { return {kRecurrentKernels}; }

}  // namespace tally::cuda
