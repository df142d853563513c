#include "quant/grid/given_values.h"

#include <algorithm>
#include <cmath>

#include "base/strings.h"
#include "quant/grid/quantized_tensor.h"

namespace tally::quant {

tally::Tensor GivenIntegers(std::span<const int64_t> values, const TensorType& type) {
  const bool fit = std::ranges::all_of(values, [&](int64_t x) { return type.interval.Contains(x); });
  const Storage storage = fit ? type.storage() : Storage::kI64;
  tally::Tensor tensor(type.shape, storage);
  for (size_t i = 0; i < values.size(); ++i)
    StoreElement(storage, tensor.mutable_bytes().data(), static_cast<int64_t>(i), values[i]);
  return tensor;
}

absl::StatusOr<tally::Tensor> GivenReals(std::span<const float> reals, const ValueInfo& info,
                                         const TensorType& type, Label refusal) {
  if (!info.quantization.has_value()) {
    return MakeError(refusal, absl::StrCat("floats are given, and the module has no grid for '", info.name,
                                           "': it takes integers of ", type.interval.lo, " to ",
                                           type.interval.hi, ", such as pixels"));
  }
  if (!std::ranges::all_of(reals, [](float x) { return std::isfinite(x); }))
    return MakeError(refusal, absl::StrCat("NaN or an infinity is given for '", info.name, "'"));
  return QuantizeTensor(reals, FromMetadata(*info.quantization), type);
}

}  // namespace tally::quant
