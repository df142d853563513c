#include "quant/lower/quantized_tensor.h"

namespace tally::quant {

tally::Tensor QuantizeTensor(std::span<const float> reals, QuantizedType grid, const TensorType& type) {
  grid.interval = type.interval;
  tally::Tensor codes(type.shape, type.storage());
  for (size_t i = 0; i < reals.size(); ++i) {
    StoreElement(type.storage(), codes.mutable_bytes().data(), static_cast<int64_t>(i),
                 grid.Quantize(reals[i]));
  }
  return codes;
}

void RoundToGrid(const QuantizedType& grid, FloatTensor& tensor) {
  for (float& element : tensor.data)
    element = static_cast<float>(grid.scale * static_cast<double>(grid.Quantize(element) - grid.zero_point));
}

std::vector<double> DequantizeTensor(const TensorView& codes, const QuantizedType& grid) {
  std::vector<double> reals(static_cast<size_t>(codes.shape.num_elements()));
  for (size_t i = 0; i < reals.size(); ++i) {
    reals[i] = grid.scale * static_cast<double>(codes.at(static_cast<int64_t>(i)) - grid.zero_point);
  }
  return reals;
}

}  // namespace tally::quant
