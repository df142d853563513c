// Rotary positions: pairs of features, turned by angles that depend on where a step is.
//
//   ASSIGN_OR_RETURN(const Operand cos, emitter.Emit(quant::Gather{0}, {table, places}, "cos"));  // [B, S, R / 2]
//   ASSIGN_OR_RETURN(const Operand turned, Rotated(emitter, q, cos, sin, {.heads = 12}));
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "frontends/graph/emitter.h"

namespace tally::frontend {

struct RotaryForm {
  int64_t heads = 1;
  int64_t width = 0;         // features of a head that turn, the first ones; 0: all
  bool interleaved = false;  // pairs are neighbours; else halves of the width
};

// x [B, S, heads * H]; cos and sin broadcast to [B, S, width / 2]. Errors: model_shape, those of the graph.
absl::StatusOr<Operand> Rotated(Emitter& emitter, const Operand& x, const Operand& cos, const Operand& sin,
                                const RotaryForm& form);

}  // namespace tally::frontend
