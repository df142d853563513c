#include "quant/grid/quantized_tensor.h"

#include <algorithm>

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

tally::Tensor NextState(const ValidModule& module, size_t result, size_t parameter,
                        const tally::Tensor& codes) {
  const auto& from = module.module().metadata.results[result].quantization;
  const auto& to = module.module().metadata.params[parameter].quantization;
  const TensorType& type = module.entry().params[parameter];
  const QuantizedType source = from ? FromMetadata(*from) : QuantizedType{};
  QuantizedType target = to ? FromMetadata(*to) : QuantizedType{};
  const bool is_one_grid = source.scale == target.scale && source.zero_point == target.zero_point;
  target.interval = type.interval;
  const TensorView view = codes.view();
  const auto next_of = [&](int64_t i) {
    const int64_t code = view.at(i);
    if (is_one_grid) return to.has_value() ? std::clamp(code, type.interval.lo, type.interval.hi) : code;
    return target.Quantize(source.scale * static_cast<double>(code - source.zero_point));
  };
  const int64_t elements = type.shape.num_elements();
  Storage storage = type.storage();
  for (int64_t i = 0; i < elements; ++i) {
    const int64_t code = next_of(i);
    if (code < type.interval.lo || code > type.interval.hi) storage = Storage::kI64;
  }
  tally::Tensor next(type.shape, storage);
  for (int64_t i = 0; i < elements; ++i) StoreElement(storage, next.mutable_bytes().data(), i, next_of(i));
  return next;
}

std::vector<double> DequantizeTensor(const TensorView& codes, const QuantizedType& grid) {
  std::vector<double> reals(static_cast<size_t>(codes.shape.num_elements()));
  for (size_t i = 0; i < reals.size(); ++i) {
    reals[i] = grid.scale * static_cast<double>(codes.at(static_cast<int64_t>(i)) - grid.zero_point);
  }
  return reals;
}

}  // namespace tally::quant
