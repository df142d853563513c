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
  int64_t key_heads = 0;   // heads that keys and values have, each for several in turn; 0: as many
  bool is_causal = false;  // queries see the keys up to their own
  int64_t window = 0;      // so many of those, the last; 0: all
  // The first query's own key; where it is left out, the last keys are those of the queries.
  std::optional<int64_t> first_key = {};
  float softcap = 0;         // scores become softcap * tanh(score / softcap); 0: they stay
  float hidden = -10000.0f;  // the addend of a score that the mask or the order hides
  float scale = 0;           // for the scores; 0: 1 / sqrt(H)
};

struct AttentionInputs {
  Operand q;                         // [B, S, N * H]
  Operand k, v;                      // [B, T, N * H]; the heads of v may have another H
  std::optional<Operand> bias = {};  // the addend of the scores, which broadcasts to [B, N, S, T]
  // Integers: not 0 where a key is seen, [B, T] or [B, S, T]; or how many keys of each sequence are, [B].
  std::optional<Operand> mask = {};
  std::optional<Operand> seen = {};  // the same, where it broadcasts to [B, N, S, T]
  // Keys and values of former steps, [B, key heads, P, H], which come first; or none.
  std::vector<Operand> past = {};
  bool wants_present = false;  // whether keys and values of all steps are read
};

struct Attended {
  Operand y;  // [B, S, N * H]
  // Keys and values of all steps, [B, key heads, P + T, H], where they are wanted.
  std::vector<Operand> present;
};

// Errors: model_shape, model_unsupported_type for a mask of floats, those of the graph.
absl::StatusOr<Attended> Attention(Emitter& emitter, const AttentionInputs& inputs,
                                   const AttentionForm& form);

// "WHAT is [2, 3]". Error: model_shape.
absl::Status BadShape(const std::string& what, const Operand& operand);

}  // namespace tally::frontend
