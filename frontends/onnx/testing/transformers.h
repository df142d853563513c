// Small transformers as exporters write them: shapes computed by Shape, Gather and Concat, norms and
// activations of single operators, masks added or chosen in front of the softmaxes. Weights are drawn.
//
//   const ModelBuilder model = Encoder({.opset = 13, .mask = "additive"});
#pragma once

#include <string>

#include "frontends/onnx/testing/model_builder.h"

namespace tally::onnx {

struct TransformerStyle {
  int64_t opset = 13;
  // How the attention mask meets the scores: "additive" (1 - mask) * -10000, "least" with the least float in
  // its place, "fill" a choice of -infinity, "sum" a sum with what a choice between 0 and -infinity gives,
  // for the triangle too; "none".
  std::string mask = "additive";
  // Each attention is one node of domain com.microsoft, as ONNX Runtime's optimizer writes it; of what
  // follows and of masks that are added.
  bool is_fused = false;
};

inline constexpr int64_t kWords = 50, kSteps = 12, kFeatures = 32, kHeads = 4;

// In the manner of BERT: input_ids, attention_mask and token_type_ids [1, 12]; last_hidden_state [1, 12, 32],
// pooler_output [1, 32].
ModelBuilder Encoder(const TransformerStyle& style);

// In the manner of RoBERTa: as Encoder, with positions counted by which of the ids are not padding, the id 1.
// input_ids and attention_mask.
ModelBuilder CountingEncoder(const TransformerStyle& style);

// In the manner of GPT-2: input_ids and attention_mask [1, 12]; logits [1, 12, 50]. What follows a word is
// hidden by a triangle.
ModelBuilder Decoder(const TransformerStyle& style);

// In the manner of LLaMA: as Decoder, with root mean squares, rotations of computed angles for positions, a
// gate, and a mask that is written into a constant.
ModelBuilder RotaryDecoder(const TransformerStyle& style);

}  // namespace tally::onnx
