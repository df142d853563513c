#include "frontends/openvino/constant_codes.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tally::openvino {
namespace {

using frontend::Operand;
using quant::ConstantCodes;

// Numbers of a constant that broadcasts to `shape`: one, or one for each entry of `axis`.
struct ByEntry {
  std::vector<float> numbers;
  int64_t axis = 0;
  int64_t inner = 1;  // elements of the shape after the axis

  float Of(size_t element) const {
    return numbers[static_cast<size_t>(static_cast<int64_t>(element) / inner) % numbers.size()];
  }
};

std::optional<ByEntry> AlongOneAxis(const Operand& c, const quant::Shape& shape) {
  const auto* floats = c.is_constant() ? std::get_if<quant::FloatTensor>(c.constant.get()) : nullptr;
  if (floats == nullptr || floats->shape.size() > shape.size()) return std::nullopt;
  ByEntry entries = {.numbers = floats->data};
  if (floats->data.size() == 1) return entries;
  const size_t in_front = shape.size() - floats->shape.size();
  bool has_axis = false;
  for (size_t i = 0; i < floats->shape.size(); ++i) {
    if (floats->shape[i] == 1) continue;
    if (has_axis || floats->shape[i] != shape[in_front + i]) return std::nullopt;
    has_axis = true;
    entries.axis = static_cast<int64_t>(in_front + i);
  }
  for (size_t i = static_cast<size_t>(entries.axis) + 1; i < shape.size(); ++i) entries.inner *= shape[i];
  return entries;
}

}  // namespace

Operand WithIntegersAsCodes(Operand floats, const Operand& integers) {
  constexpr int64_t kMost = 255;  // unsigned codes, before their zero point is taken off
  const auto* data =
      integers.is_constant() ? std::get_if<quant::Int64Tensor>(integers.constant.get()) : nullptr;
  if (data == nullptr || !floats.is_constant() || data->data.empty()) return floats;
  if (std::ranges::any_of(data->data, [](int64_t v) { return v < -kMost || v > kMost; })) return floats;
  floats.constant_codes =
      std::make_shared<const ConstantCodes>(ConstantCodes{{data->data.begin(), data->data.end()}, {1.0}, 0});
  return floats;
}

Operand WithCodesLess(Operand result, const Operand& x, const Operand& c) {
  const auto entries = AlongOneAxis(c, x.shape());
  if (x.constant_codes == nullptr || !entries.has_value() ||
      x.constant_codes->scales != std::vector<double>{1.0})
    return result;
  const auto is_code = [](float v) { return std::abs(v) <= 255 && std::trunc(v) == v; };
  if (!std::ranges::all_of(entries->numbers, is_code) || result.shape() != x.shape()) return result;
  ConstantCodes codes = *x.constant_codes;
  for (size_t i = 0; i < codes.codes.size(); ++i) codes.codes[i] -= static_cast<int32_t>(entries->Of(i));
  result.constant_codes = std::make_shared<const ConstantCodes>(std::move(codes));
  return result;
}

Operand WithCodesTimes(Operand result, const Operand& x, const Operand& c) {
  const auto entries = AlongOneAxis(c, x.shape());
  if (x.constant_codes == nullptr || !entries.has_value() || result.shape() != x.shape()) return result;
  ConstantCodes codes = *x.constant_codes;
  const bool both = codes.scales.size() > 1 && entries->numbers.size() > 1;
  if (both && codes.axis != entries->axis) return result;
  const size_t count = std::max(codes.scales.size(), entries->numbers.size());
  if (entries->numbers.size() > 1) codes.axis = entries->axis;
  codes.scales.resize(count, codes.scales[0]);
  for (size_t i = 0; i < count; ++i) {
    codes.scales[i] *= entries->numbers[entries->numbers.size() == 1 ? 0 : i];
    const auto rounded = static_cast<float>(codes.scales[i]);
    if (!(rounded > 0) || !std::isnormal(rounded)) return result;
  }
  result.constant_codes = std::make_shared<const ConstantCodes>(std::move(codes));
  return result;
}

}  // namespace tally::openvino
