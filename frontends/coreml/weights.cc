#include "frontends/coreml/weights.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/graph/float_format.h"
#include "frontends/graph/labels.h"
#include "frontends/graph/refusals.h"
#include "frontends/graph/scope.h"

namespace tally::coreml {
namespace {

using coreml_schema::Quantization;
using coreml_schema::Weights;
using frontend::Operand;
using quant::ConstantCodes;

constexpr int32_t kMostCode = 255;  // with its zero point taken off: what lowering has room for

using frontend::Malformed;

std::span<const uint8_t> BytesOf(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

// Codes of fewer than 8 bits are one stream of bits, the highest first.
std::vector<int32_t> UnpackCodes(std::span<const uint8_t> bytes, int bits, size_t count) {
  std::vector<int32_t> codes(count);
  for (size_t i = 0; i < count; ++i) {
    int32_t code = 0;
    for (size_t bit = i * static_cast<size_t>(bits); bit < (i + 1) * static_cast<size_t>(bits); ++bit) {
      code = code << 1 | (bytes[bit / 8] >> (7 - bit % 8) & 1);
    }
    codes[i] = code;
  }
  return codes;
}

// Numbers of a quantization: one for all elements, or one for each entry of an axis.
struct PerChannel {
  size_t count = 1, inner = 1;
  size_t Of(size_t element) const { return element / inner % count; }
};

struct Decoded {
  std::vector<float> floats;
  std::shared_ptr<const ConstantCodes> codes = nullptr;
};

// `codes` less `zeros`, of which there are as many as scales, where they are integers that fit.
std::shared_ptr<const ConstantCodes> OnGrid(std::vector<int32_t> codes, std::vector<double> scales,
                                            const std::vector<double>& zeros, const PerChannel& channels,
                                            size_t axis) {
  for (const double scale : scales) {
    if (!(scale > 0) || !std::isnormal(static_cast<float>(scale))) return nullptr;
  }
  for (const double zero : zeros) {
    if (std::trunc(zero) != zero || std::abs(zero) > kMostCode) return nullptr;
  }
  for (size_t i = 0; i < codes.size(); ++i) {
    codes[i] -= static_cast<int32_t>(zeros[channels.Of(i)]);
    if (std::abs(codes[i]) > kMostCode) return nullptr;
  }
  return std::make_shared<const ConstantCodes>(
      ConstantCodes{std::move(codes), std::move(scales), static_cast<int64_t>(axis)});
}

// scale * code + bias
absl::StatusOr<Decoded> DecodeLinear(const Quantization::Linear& linear, std::vector<int32_t> codes,
                                     const quant::Shape& shape, size_t axis) {
  PerChannel channels;
  channels.count = static_cast<size_t>(linear.scale_size());
  const bool by_channel = channels.count > 1;
  if (channels.count == 0 || (by_channel && (axis >= shape.size() || linear.scale_size() != shape[axis]))) {
    return Malformed(
        absl::StrCat("its quantization has ", channels.count, " scales, not one, or one for each channel"));
  }
  if (linear.bias_size() != 0 && linear.bias_size() != linear.scale_size())
    return Malformed(
        absl::StrCat("its quantization has ", channels.count, " scales and ", linear.bias_size(), " biases"));
  for (size_t i = axis + 1; by_channel && i < shape.size(); ++i)
    channels.inner *= static_cast<size_t>(shape[i]);
  Decoded decoded;
  std::vector<double> scales, zeros;
  for (int i = 0; i < linear.scale_size(); ++i) {
    const double scale = linear.scale(i), bias = linear.bias_size() == 0 ? 0 : linear.bias(i);
    scales.push_back(scale);
    zeros.push_back(bias == 0 ? 0 : -bias / scale);
  }
  decoded.floats.reserve(codes.size());
  for (size_t i = 0; i < codes.size(); ++i) {
    const size_t c = channels.Of(i);
    const double bias = linear.bias_size() == 0 ? 0 : linear.bias(static_cast<int>(c));
    decoded.floats.push_back(static_cast<float>(scales[c] * codes[i] + bias));
  }
  decoded.codes = OnGrid(std::move(codes), std::move(scales), zeros, channels, axis);
  return decoded;
}

// The largest number of which all entries are multiples, where none is more than kMostCode times as large, or
// 0: floats are integers times a power of two.
double StepOf(std::span<const float> table) {
  constexpr int kMantissaBits = 24, kRoom = 62 - kMantissaBits;
  int least = std::numeric_limits<int>::max(), most = std::numeric_limits<int>::min();
  for (const float v : table) {
    if (v == 0 || !std::isfinite(v)) continue;
    least = std::min(least, std::ilogb(v));
    most = std::max(most, std::ilogb(v));
  }
  if (least > most || most - least > kRoom) return 0;
  const int unit = least - kMantissaBits + 1;
  int64_t common = 0;
  for (const float v : table) {
    if (!std::isfinite(v)) return 0;
    common = std::gcd(common, static_cast<int64_t>(std::ldexp(static_cast<double>(v), -unit)));
  }
  const double step = std::ldexp(static_cast<double>(common), unit);
  const bool fits = std::ranges::all_of(table, [&](float v) { return std::abs(v / step) <= kMostCode; });
  return fits ? step : 0;
}

absl::StatusOr<Decoded> DecodeTable(const Quantization::LookUpTable& lookup, int bits,
                                    std::vector<int32_t> places) {
  const std::span<const float> table(lookup.float_value().data(),
                                     static_cast<size_t>(lookup.float_value_size()));
  if (table.size() != size_t{1} << bits)
    return Malformed(absl::StrCat("its table has ", table.size(), " entries for codes of ", bits, " bits"));
  Decoded decoded;
  for (const int32_t place : places) decoded.floats.push_back(table[static_cast<size_t>(place)]);
  const double step = StepOf(table);
  if (step == 0) return decoded;
  for (int32_t& place : places) place = static_cast<int32_t>(table[static_cast<size_t>(place)] / step);
  decoded.codes = OnGrid(std::move(places), {step}, {0}, {}, 0);
  return decoded;
}

absl::StatusOr<Decoded> DecodeQuantized(const Weights& weights, const quant::Shape& shape, size_t axis) {
  const auto count = static_cast<size_t>(quant::NumElements(shape));
  const Quantization& how = weights.quantization();
  const bool is_signed = !weights.int8_raw_value().empty();
  const std::string& raw = is_signed ? weights.int8_raw_value() : weights.raw_value();
  const int bits = how.number_of_bits() > 8 ? 0 : static_cast<int>(how.number_of_bits());
  if (bits < 1 || (is_signed && bits != 8))
    return Malformed(absl::StrCat("its quantization is of ", how.number_of_bits(), " bits"));
  const size_t bytes = (count * static_cast<size_t>(bits) + 7) / 8;
  if (is_signed ? raw.size() != bytes : raw.size() < bytes)
    return Malformed(absl::StrCat("it has ", raw.size(), " bytes of codes, not ", bytes));
  std::vector<int32_t> codes = UnpackCodes(BytesOf(raw), bits, count);
  if (is_signed) {
    for (int32_t& code : codes) code = static_cast<int8_t>(code);
  }
  switch (how.type_case()) {
    case Quantization::kLinearQuantization:
      return DecodeLinear(how.linear_quantization(), std::move(codes), shape, axis);
    case Quantization::kLookupTableQuantization:
      if (is_signed) break;
      return DecodeTable(how.lookup_table_quantization(), bits, std::move(codes));
    case Quantization::TYPE_NOT_SET: break;
  }
  return Malformed("its quantization is neither linear nor a table");
}

absl::StatusOr<Decoded> Decode(const Weights& weights, const quant::Shape& shape, size_t axis) {
  const int encodings = (weights.float_value_size() > 0) + !weights.float16_value().empty() +
                        !weights.raw_value().empty() + !weights.int8_raw_value().empty();
  if (encodings != 1)
    return Malformed(absl::StrCat("it has ", encodings, " encodings of its elements, not one"));
  if (weights.float_value_size() > 0)
    return Decoded{{weights.float_value().begin(), weights.float_value().end()}};
  if (!weights.float16_value().empty()) {
    if (weights.float16_value().size() % 2 != 0)
      return Malformed("its elements of 2 bytes have an odd number of bytes");
    return Decoded{frontend::DecodeFloats(BytesOf(weights.float16_value()), frontend::kHalf)};
  }
  return DecodeQuantized(weights, shape, axis);
}

}  // namespace

bool HasWeights(const Weights& weights) {
  return weights.float_value_size() > 0 || !weights.float16_value().empty() || !weights.raw_value().empty() ||
         !weights.int8_raw_value().empty();
}

absl::StatusOr<Operand> DecodeWeights(const Weights& weights, const quant::Shape& shape,
                                      const WeightPlace& place) {
  RETURN_IF_ERROR(quant::CheckShape(shape));
  auto decoded = Decode(weights, shape, place.channel_axis);
  if (!decoded.ok())
    return Malformed("tensor " + place.name + ": " + std::string(decoded.status().message()));
  const auto count = static_cast<size_t>(quant::NumElements(shape));
  if (decoded->floats.size() != count) {
    return Malformed(absl::StrCat("tensor ", place.name, " has ", decoded->floats.size(),
                                  " elements, not the ", count, " of ", quant::ToString(shape)));
  }
  Operand operand =
      frontend::Scope::FileConstant(place.name, quant::FloatTensor{shape, std::move(decoded->floats)});
  operand.constant_codes = std::move(decoded->codes);
  return operand;
}

}  // namespace tally::coreml
