// Attention of several heads: softmax(scale q k + masks) v. Letters: S queries meet T keys of B sequences in
// N heads of H features.
//
//   ASSIGN_OR_RETURN(const Attended attended, Attention(emitter, {.q = q, .k = k, .v = v}, {.heads = 12}));
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frontends/graph/emitter.h"

namespace tally::frontend {

struct AttentionForm {
  int64_t heads = 1;
  bool is_causal = false;    // queries see the keys up to their own, where the last keys are theirs
  float hidden = -10000.0f;  // what is added to a score that the mask or the order hides
  float scale = 0;           // for the scores; 0: 1 / sqrt(H)
};

struct AttentionInputs {
  Operand q;                         // [B, S, N * H]
  Operand k, v;                      // [B, T, N * H]; the heads of v may have another H
  std::optional<Operand> bias = {};  // what is added to the scores, and broadcasts to [B, N, S, T]
  // Integers: not 0 where a key is seen, [B, T] or [B, S, T]; or how many keys of each sequence are, [B].
  std::optional<Operand> mask = {};
  // Keys and values of former steps, [B, N, P, H], which come first; or none.
  std::vector<Operand> past = {};
  bool wants_present = false;  // whether keys and values of all steps are read
};

struct Attended {
  Operand y;                     // [B, S, N * H]
  std::vector<Operand> present;  // keys and values of all steps, [B, N, P + T, H], where they are wanted
};

// Errors: model_shape, model_unsupported_type for a mask of floats, those of the graph.
absl::StatusOr<Attended> Attention(Emitter& emitter, const AttentionInputs& inputs,
                                   const AttentionForm& form);

// "WHAT is [2, 3]". Error: model_shape.
absl::Status BadShape(const std::string& what, const Operand& operand);

}  // namespace tally::frontend
