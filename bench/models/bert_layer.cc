#include "bench/models/bert_layer.h"

#include <cmath>

#include "bench/models/moments.h"

namespace tally::bench {
namespace {

constexpr double kDeviation = 127.0 / 4;  // for signed results

BertNorm RandomNorm(int64_t hidden, RandomSource& random) {
  BertNorm norm;
  for (int64_t i = 0; i < hidden; ++i) {
    norm.gamma.push_back(kDeviation * Spread(random));
    norm.beta.push_back(static_cast<double>(random.Uniform(-8, 8)));
  }
  return norm;
}

}  // namespace

BertLayer BertBaseLayer(const ModelOptions& options) {
  BertLayer bert;
  bert.batch = options.batch;
  bert.sequence = options.Scaled(128, 4);
  bert.heads = options.Scaled(12, 2);
  bert.hidden = bert.heads * options.Scaled(64, 8);
  bert.inner = 4 * bert.hidden;
  RandomSource random(768);
  const auto projection = [&](double rms) {
    return RandomDense(bert.hidden, bert.hidden, 0, 0, rms, kDeviation, random);
  };
  bert.query = projection(kInputRms);
  bert.key = projection(kInputRms);
  bert.value = projection(kInputRms);
  const double head = static_cast<double>(bert.head_size());
  // Logits with a deviation of 1.5, so that some ten positions share most of the attention.
  bert.logit_gain = 1.5 * (1 << kLogitBits) / (std::sqrt(head) * kDeviation * kDeviation);
  bert.context_gain = std::sqrt(13.0) / (1 << 15);
  bert.output = projection(kDeviation);
  bert.residual_gain = 0.59;
  bert.attention_norm = RandomNorm(bert.hidden, random);
  bert.expand = RandomDense(bert.hidden, bert.inner, 0, 0, kDeviation, 1.5 * (1 << kGeluInBits), random);
  // Codes of gelu over a normal distribution of deviation 1.5: a mean of 0.5, a root mean square of about 1.
  constexpr double kOne = 1 << kGeluOutBits;
  bert.contract =
      RandomDense(bert.inner, bert.hidden, kGeluOut.zero, 0.5 * kOne, 0.97 * kOne, kDeviation, random);
  bert.result_norm = RandomNorm(bert.hidden, random);
  return bert;
}

}  // namespace tally::bench
