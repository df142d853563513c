// One encoder layer of BERT-base as data: sequence 128, hidden size 768, 12 heads, inner size 3072.
//
// Projections are 8 bits on both sides. The sums around each residual, which layer norm reads, and the
// logits, which softmax reads, have 16 bits; probabilities have 15, so that flat rows do not round to
// nothing.
#pragma once

#include <string>
#include <vector>

#include "bench/models/layer_writer.h"
#include "bench/models/model_options.h"

namespace tally::bench {

struct BertNorm {
  std::vector<double> gamma;  // codes of the result for one deviation
  std::vector<double> beta;   // codes
};

struct BertLayer {
  std::string name = "bert_layer";
  int64_t batch = 1, sequence = 128, hidden = 768, heads = 12, inner = 3072;
  DenseLayer query, key, value, output, expand, contract;
  BertNorm attention_norm, result_norm;
  double logit_gain = 1;     // for the sums of q k, to codes of 1 / 256
  double context_gain = 1;   // for the sums of p v, p in 2^-15
  double residual_gain = 1;  // for a projection where it joins the residual, in units of that

  int64_t head_size() const { return hidden / heads; }
  int64_t rows() const { return batch * sequence; }
};

inline constexpr Grid kGeluOut = {.zero = -122};  // codes of 1 / 32; gelu is -0.17 at least
inline constexpr int kGeluInBits = 4;             // codes of 1 / 16
inline constexpr int kGeluOutBits = 5;
inline constexpr int kLogitBits = 8;  // codes of 1 / 256

BertLayer BertBaseLayer(const ModelOptions& options);
Module BertToModule(const BertLayer& bert);

}  // namespace tally::bench
