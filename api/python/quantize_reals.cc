#include "api/python/quantize_reals.h"

#include "quant/grid/quantized_type.h"

namespace tally::python {

void QuantizeReals(std::span<const double> reals, int64_t multiplier, int64_t shift, int64_t zero_point,
                   int64_t lowest, int64_t highest, std::span<int64_t> codes) {
  quant::QuantizedType grid = quant::FromMetadata({zero_point, multiplier, shift});
  grid.interval = {lowest, highest};
  for (size_t i = 0; i < reals.size(); ++i) codes[i] = grid.Quantize(reals[i]);
}

}  // namespace tally::python
