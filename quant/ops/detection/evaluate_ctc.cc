#include <algorithm>

#include "quant/ops/detection/detection_ops.h"

namespace tally::quant {

Tensor CtcGreedyDecoder::Evaluate(Operands operands, const Shape& shape) const {
  const FloatTensor& x = Float(operands[0]);
  const Int64Tensor* mask = operands.size() == 2 ? &std::get<Int64Tensor>(*operands[1]) : nullptr;
  const int64_t steps = x.shape[0], batch = x.shape[1], classes = x.shape[2];
  Int64Tensor symbols{shape, {}}, lengths{shape, {}};
  for (int64_t n = 0; n < batch; ++n) {
    int64_t count = 0, before = -1;
    for (int64_t t = 0; t < steps && (mask == nullptr || mask->data[t * batch + n] != 0); ++t) {
      const float* scores = x.data.data() + (t * batch + n) * classes;
      const int64_t best = std::max_element(scores, scores + classes) - scores;
      const bool repeats = merge_repeated && best == before;
      before = best;
      if (best == blank || repeats) continue;
      symbols.data.push_back(best);
      ++count;
    }
    symbols.data.resize(static_cast<size_t>((n + 1) * steps), -1);
    lengths.data.push_back(count);
  }
  if (result == CtcResult::kLength) return lengths;
  return symbols;
}

}  // namespace tally::quant
