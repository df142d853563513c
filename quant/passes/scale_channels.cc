#include "quant/passes/scale_channels.h"

#include <cstddef>
#include <variant>

namespace tally::quant {

bool IsLinear(const Op& op) {
  return std::holds_alternative<Conv>(op) || std::holds_alternative<ConvTranspose>(op) ||
         std::holds_alternative<Dense>(op);
}

FloatTensor ScaledChannels(const Op& op, FloatTensor weight, std::span<const double> factors) {
  size_t columns = 1, rows_of_group = 1;
  if (const auto* transposed = std::get_if<ConvTranspose>(&op)) {
    columns = static_cast<size_t>(weight.shape[1]);
    rows_of_group = static_cast<size_t>(weight.shape[0] / transposed->groups);
  }
  const size_t size = weight.data.size() / (static_cast<size_t>(weight.shape[0]) * columns);
  for (size_t i = 0; i < weight.data.size(); ++i) {
    const size_t row = i / size / columns, column = i / size % columns;
    const size_t channel = row / rows_of_group * columns + column;
    weight.data[i] = static_cast<float>(weight.data[i] * factors[channel]);
  }
  return weight;
}

}  // namespace tally::quant
