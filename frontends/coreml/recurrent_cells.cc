#include "frontends/coreml/recurrent_cells.h"

#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/graph/compositions/arithmetic.h"
#include "frontends/graph/compositions/control.h"
#include "frontends/graph/compositions/layout.h"
#include "frontends/graph/compositions/products.h"

namespace tally::coreml {
namespace {

constexpr float kGateBound = 50;

class Walk {
 public:
  Walk(Emitter& emitter, const RecurrentCells& layer)
      : emitter_(emitter), layer_(layer), units_(layer.r.shape()[1]) {}

  absl::StatusOr<CellResults> All() {
    const quant::Shape shape = layer_.x.shape();
    const int64_t steps = shape[0], batch = shape[1];
    if (steps > kMostTrips) {
      return MakeError(label::model_too_large,
                       "it has more than " + std::to_string(kMostTrips) + " steps, which are unrolled");
    }
    ASSIGN_OR_RETURN(const Operand rows,
                     emitter_.Emit(quant::Reshape{{steps * batch, shape[2]}}, {layer_.x}, "rows"));
    ASSIGN_OR_RETURN(const Operand inputs, DenseLayer(emitter_, rows, layer_.w, layer_.bias));
    ASSIGN_OR_RETURN(h_, StartOf(layer_.state, batch));
    if (layer_.cell == Cell::kLstm) {
      ASSIGN_OR_RETURN(c_, StartOf(layer_.start, batch));
    }
    std::vector<Operand> states(static_cast<size_t>(steps));
    for (int64_t n = 0; n < steps; ++n) {
      const int64_t t = layer_.is_reverse ? steps - 1 - n : n;
      ASSIGN_OR_RETURN(const Operand of_x, Part(emitter_, inputs, 0, t * batch, (t + 1) * batch, "of_x"));
      RETURN_IF_ERROR(layer_.cell == Cell::kRnn   ? Simple(of_x)
                      : layer_.cell == Cell::kGru ? Gated(of_x)
                                                  : LongShort(of_x));
      states[static_cast<size_t>(t)] = h_;
    }
    CellResults results = {std::move(states), h_};
    if (layer_.cell == Cell::kLstm) results.last_cell = c_;
    return results;
  }

 private:
  absl::StatusOr<Operand> StartOf(const std::optional<Operand>& given, int64_t batch) {
    if (given.has_value()) return *given;
    ASSIGN_OR_RETURN(const Operand zero, emitter_.NewConstant(0.0f, "zero"));
    return emitter_.Emit(quant::Expand{{batch, units_}}, {zero}, "zeros");
  }

  // Gate `index` of sums of all.
  absl::StatusOr<Operand> Of(const Operand& sums, int64_t index) {
    return Part(emitter_, sums, 1, index * units_, (index + 1) * units_, "gate");
  }
  // f of a sum, bounded where f does not bound it itself.
  absl::StatusOr<Operand> Gate(Operand sum, size_t function) {
    using Type = schema::Activation;
    const ActivationFunction& f = layer_.functions[function];
    if (f.type == Type::kLinear || f.type == Type::kRelu) {
      ASSIGN_OR_RETURN(sum, Clip(emitter_, sum, -kGateBound, kGateBound));
    }
    return Activate(emitter_, sum, f);
  }
  absl::StatusOr<Operand> Complement(const Operand& gate) {
    ASSIGN_OR_RETURN(const Operand one, emitter_.NewConstant(1.0f, "one"));
    return Difference(emitter_, one, gate);
  }

  absl::Status Simple(const Operand& of_x) {
    ASSIGN_OR_RETURN(const Operand of_h, DenseLayer(emitter_, h_, layer_.r, std::nullopt));
    ASSIGN_OR_RETURN(const Operand sum, Sum(emitter_, of_x, of_h));
    ASSIGN_OR_RETURN(h_, Gate(sum, 0));
    return absl::OkStatus();
  }

  absl::Status Gated(const Operand& of_x) {
    ASSIGN_OR_RETURN(const Operand both, Part(emitter_, layer_.r, 0, 0, 2 * units_, "r_of_gates"));
    ASSIGN_OR_RETURN(const Operand fresh, Part(emitter_, layer_.r, 0, 2 * units_, 3 * units_, "r_of_state"));
    ASSIGN_OR_RETURN(const Operand of_h, DenseLayer(emitter_, h_, both, std::nullopt));
    ASSIGN_OR_RETURN(const Operand x_gates, Part(emitter_, of_x, 1, 0, 2 * units_, "x_gates"));
    ASSIGN_OR_RETURN(const Operand sums, Sum(emitter_, x_gates, of_h));
    ASSIGN_OR_RETURN(const Operand z_sum, Of(sums, 0));
    ASSIGN_OR_RETURN(const Operand r_sum, Of(sums, 1));
    ASSIGN_OR_RETURN(const Operand z, Gate(z_sum, 0));
    ASSIGN_OR_RETURN(const Operand r, Gate(r_sum, 0));
    ASSIGN_OR_RETURN(const Operand reset, Product(emitter_, h_, r));
    ASSIGN_OR_RETURN(const Operand of_reset, DenseLayer(emitter_, reset, fresh, std::nullopt));
    ASSIGN_OR_RETURN(const Operand x_state, Of(of_x, 2));
    ASSIGN_OR_RETURN(const Operand n_sum, Sum(emitter_, x_state, of_reset));
    ASSIGN_OR_RETURN(const Operand n, Gate(n_sum, 1));
    ASSIGN_OR_RETURN(const Operand rest, Complement(z));
    ASSIGN_OR_RETURN(const Operand kept, Product(emitter_, z, h_));
    ASSIGN_OR_RETURN(const Operand added, Product(emitter_, rest, n));
    ASSIGN_OR_RETURN(h_, Sum(emitter_, added, kept));
    return absl::OkStatus();
  }

  // A gate of an LSTM, with what its peephole sees of a cell: i, o and f are the first three.
  absl::StatusOr<Operand> Peeping(const Operand& sums, int64_t index, const Operand& cell) {
    ASSIGN_OR_RETURN(Operand sum, Of(sums, index));
    if (layer_.peephole.has_value()) {
      ASSIGN_OR_RETURN(const Operand p,
                       Part(emitter_, *layer_.peephole, 0, index * units_, (index + 1) * units_, "peephole"));
      ASSIGN_OR_RETURN(const Operand seen, Product(emitter_, cell, p));
      ASSIGN_OR_RETURN(sum, Sum(emitter_, sum, seen));
    }
    return Gate(std::move(sum), 0);
  }

  absl::Status LongShort(const Operand& of_x) {
    ASSIGN_OR_RETURN(const Operand of_h, DenseLayer(emitter_, h_, layer_.r, std::nullopt));
    ASSIGN_OR_RETURN(const Operand sums, Sum(emitter_, of_x, of_h));
    ASSIGN_OR_RETURN(const Operand i, Peeping(sums, 0, c_));
    ASSIGN_OR_RETURN(const Operand f, layer_.is_coupled ? Complement(i) : Peeping(sums, 2, c_));
    ASSIGN_OR_RETURN(const Operand z_sum, Of(sums, 3));
    ASSIGN_OR_RETURN(const Operand z, Gate(z_sum, 1));
    ASSIGN_OR_RETURN(const Operand kept, Product(emitter_, c_, f));
    ASSIGN_OR_RETURN(const Operand added, Product(emitter_, i, z));
    ASSIGN_OR_RETURN(const Operand cell, Sum(emitter_, kept, added));
    ASSIGN_OR_RETURN(c_, Clip(emitter_, cell, -layer_.cell_bound, layer_.cell_bound));
    ASSIGN_OR_RETURN(const Operand o, Peeping(sums, 1, c_));
    ASSIGN_OR_RETURN(const Operand bent, Activate(emitter_, c_, layer_.functions[2]));
    ASSIGN_OR_RETURN(h_, Product(emitter_, bent, o));
    return absl::OkStatus();
  }

  Emitter& emitter_;
  const RecurrentCells& layer_;
  const int64_t units_;
  Operand h_, c_;
};

}  // namespace

absl::StatusOr<CellResults> StepByStep(Emitter& emitter, const RecurrentCells& layer) {
  return Walk(emitter, layer).All();
}

}  // namespace tally::coreml
