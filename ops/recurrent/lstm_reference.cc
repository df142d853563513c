#include <utility>
#include <vector>

#include "ops/recurrent/attrs.h"
#include "ops/recurrent/recurrent_shape.h"
#include "ops/recurrent/recurrent_steps.h"
#include "ops/reference.h"

namespace tally {
namespace {

using recurrent::DimsOf;
using recurrent::ForEachStep;
using recurrent::GateSums;
using recurrent::OperandsOf;
using recurrent::OptionalOperands;
using recurrent::RecurrentDims;
using recurrent::Step;
using enum recurrent::RecurrentOperand;

template <typename Int>
class Lstm {
 public:
  Lstm(const ReferenceContext<Int>& c, const LstmAttrs& attrs)
      : c_(c),
        attrs_(attrs),
        at_(OperandsOf(attrs)),
        dims_(DimsOf(c.operands[kX].shape(), c.operands[kR].shape(), 4)),
        sums_(c, dims_) {}

  void Run() const {
    ForEachStep(c_, attrs_, dims_, {at_.initial_h, at_.initial_c}, at_.lengths,
                [&](const Step& step, auto& states) { Advance(step, states); });
  }

 private:
  // Rows of the gates i, o, f, c; peephole weights have the first three.
  enum { kInput, kOutput, kForget, kCell };

  // states are h and c.
  void Advance(const Step& step, std::vector<std::vector<Int>>& states) const {
    const std::vector<Int> h = states[0];
    std::vector<Int> output;
    for (int64_t j = 0; j < dims_.units; ++j) {
      Int& cell = states[1][j];
      const Int i = Gate(step, kInput, j, h, cell);
      const Int f = attrs_.coupled ? Int(Int(kState) - i) : Gate(step, kForget, j, h, cell);
      const Int g = Activate<Int>(c_.operands[kTables + 1], Rounded(step, kCell, j, h, Int(int64_t{0})));
      cell = NextCell<Int>(attrs_.cell(), i, f, g, cell);
      const Int o = Gate(step, kOutput, j, h, cell);
      output.push_back(
          HalfUpShift<Int>(Int(o * Activate<Int>(c_.operands[kTables + 2], cell)), attrs_.output_shift));
    }
    states[0] = attrs_.projection ? Project(step, output) : output;
  }

  Int Gate(const Step& step, int64_t gate, int64_t j, const std::vector<Int>& h, const Int& cell) const {
    Int peephole(int64_t{0});
    if (attrs_.peephole) {
      peephole = Int(c_.operands[at_.peephole][(step.direction * 3 + gate) * dims_.units + j] * cell);
    }
    return Activate<Int>(c_.operands[kTables], Rounded(step, gate, j, h, peephole));
  }

  Int Rounded(const Step& step, int64_t gate, int64_t j, const std::vector<Int>& h,
              const Int& peephole) const {
    const int64_t row = gate * dims_.units + j;
    const Int sum = Int(sums_.Input(step, row) + sums_.State(step, row, h));
    return HalfUpShift<Int>(Int(sum + peephole), attrs_.shift);
  }

  std::vector<Int> Project(const Step& step, const std::vector<Int>& output) const {
    std::vector<Int> h;
    for (int64_t p = 0; p < dims_.states; ++p) {
      const int64_t row = step.direction * dims_.states + p;
      Int sum(int64_t{0});
      for (int64_t j = 0; j < dims_.units; ++j) {
        sum = Int(sum + c_.operands[at_.projection][row * dims_.units + j] * output[j]);
      }
      h.push_back(ProjectedState<Int>(sum, c_.operands[at_.projection_m][row], attrs_.projection_shift));
    }
    return h;
  }

  const ReferenceContext<Int>& c_;
  const LstmAttrs attrs_;
  const OptionalOperands at_;
  const RecurrentDims dims_;
  const GateSums<Int> sums_;
};

}  // namespace

// i, o, f = F[..], g = G[..], c' = clamp(round((f * c * 2^(15 - cell_bits) + i * g) / 2^(30 - cell_bits))),
// h' = round(o * H[c'] / 2^output_shift), or a projection of it.
template <typename Int>
void ReferenceLstm(const ReferenceContext<Int>& c) {
  Lstm<Int>(c, c.template attrs<LstmAttrs>()).Run();
}

TALLY_REFERENCE(Lstm);

}  // namespace tally
