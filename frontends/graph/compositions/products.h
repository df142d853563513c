// Matrix products. By a constant matrix they are layers (quant::Dense), whatever the rank of the other
// factor.
#pragma once

#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "frontends/graph/emitter.h"

namespace tally::frontend {

// A matrix, or a stack of them, with its last two axes swapped. Errors: model_shape.
absl::StatusOr<Operand> Transposed(Emitter& emitter, const Operand& matrix, std::string_view step);
// A constant of floats times a number.
absl::StatusOr<Operand> Scaled(Emitter& emitter, const Operand& constant, float factor,
                               std::string_view step);

// factor * A B, where leading axes broadcast; a vector is a row on the left and a column on the right, and
// its axis is none of the result's. Errors: model_shape.
absl::StatusOr<Operand> MatrixProduct(Emitter& emitter, const Operand& a, const Operand& b, float factor);

// x [.., K] times the transpose of weight [N, K], a constant, + bias [N]. Errors: those of the graph.
absl::StatusOr<Operand> DenseLayer(Emitter& emitter, const Operand& x, const Operand& weight,
                                   const std::optional<Operand>& bias);

// A B + C of matrices: A [M, K], B [K, N], or [N, K] where it is `b_is_transposed`, and C, which broadcasts
// to [M, N]. Errors: model_shape.
absl::StatusOr<Operand> AffineProduct(Emitter& emitter, const Operand& a, const Operand& b,
                                      bool b_is_transposed, const std::optional<Operand>& c);

}  // namespace tally::frontend
