#include "frontends/openvino/element_type.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/graph/float_format.h"
#include "frontends/graph/labels.h"
#include "quant/graph/infer_type.h"

namespace tally::openvino {
namespace {

using Kind = IrType::Kind;

struct NamedType {
  std::string_view name, port;  // as attributes and as ports have it
  IrType type;
};

constexpr NamedType kTypes[] = {
    {"f16", "fp16", {16, Kind::kFloat}},   {"f32", "fp32", {32, Kind::kFloat}},
    {"f64", "fp64", {64, Kind::kFloat}},   {"bf16", "bf16", {16, Kind::kBrainFloat}},
    {"i4", "i4", {4, Kind::kSigned}},      {"i8", "i8", {8, Kind::kSigned}},
    {"i16", "i16", {16, Kind::kSigned}},   {"i32", "i32", {32, Kind::kSigned}},
    {"i64", "i64", {64, Kind::kSigned}},   {"u1", "bin", {1, Kind::kUnsigned}},
    {"u4", "u4", {4, Kind::kUnsigned}},    {"u8", "u8", {8, Kind::kUnsigned}},
    {"u16", "u16", {16, Kind::kUnsigned}}, {"u32", "u32", {32, Kind::kUnsigned}},
    {"u64", "u64", {64, Kind::kUnsigned}}, {"boolean", "bool", {8, Kind::kFlag}},
};

// Element `i` as its bits.
uint64_t BitsAt(std::span<const uint8_t> bytes, int bits, size_t i) {
  if (bits == 1) return bytes[i / 8] >> (7 - i % 8) & 1;
  if (bits == 4) return bytes[i / 2] >> (i % 2 * 4) & 15;
  uint64_t word = 0;
  const size_t size = static_cast<size_t>(bits / 8);
  std::memcpy(&word, bytes.data() + i * size, size);  // little endian, as is every machine of ours
  return word;
}

frontend::FloatFormat FormatOf(const IrType& type) {
  if (type.kind == Kind::kBrainFloat) return frontend::kBrain;
  return type.bits == 16 ? frontend::kHalf : type.bits == 32 ? frontend::kSingle : frontend::kDouble;
}

}  // namespace

std::optional<Interval> IrType::interval() const {
  if (kind == Kind::kFlag) return Interval{0, 1};
  if (is_float() || bits > 16) return std::nullopt;
  const int64_t count = int64_t{1} << bits;
  return kind == Kind::kSigned ? Interval{-count / 2, count / 2 - 1} : Interval{0, count - 1};
}

absl::StatusOr<IrType> IrTypeOf(std::string_view name) {
  const auto is_called = [&](std::string_view known) {
    return absl::EqualsIgnoreCase({known.data(), known.size()}, {name.data(), name.size()});
  };
  const auto row = std::ranges::find_if(
      kTypes, [&](const NamedType& t) { return is_called(t.name) || is_called(t.port); });
  if (row != std::end(kTypes)) return row->type;
  return MakeError(label::model_unsupported_type,
                   "elements of type '" + PrintableStart(name) + "' are not read");
}

absl::StatusOr<quant::Tensor> DecodeConstant(IrType type, const quant::Shape& shape,
                                             std::span<const uint8_t> bytes) {
  const bool is_empty = std::ranges::count(shape, 0) > 0;
  quant::Shape filled = shape;  // a constant without elements has other dimensions, which are checked too
  std::ranges::replace(filled, 0, 1);
  RETURN_IF_ERROR(quant::CheckShape(filled));
  const auto count = is_empty ? 0 : static_cast<size_t>(quant::NumElements(shape));
  const size_t wanted = (count * static_cast<size_t>(type.bits) + 7) / 8;
  if (bytes.size() != wanted) {
    return MakeError(label::model_malformed,
                     absl::StrCat("it has ", bytes.size(), " bytes, and its shape asks for ", wanted));
  }
  if (type.is_float()) {
    quant::FloatTensor floats{shape, frontend::DecodeFloats(bytes, FormatOf(type))};
    const auto is_finite = [](float value) { return std::isfinite(value); };
    if (!std::ranges::all_of(floats.data, is_finite)) {
      return MakeError(label::model_nan_weight, "it holds NaN or an infinity");
    }
    return quant::Tensor(std::move(floats));
  }
  quant::Int64Tensor integers{shape, {}};
  integers.data.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    const uint64_t word = BitsAt(bytes, type.bits, i);
    auto value = static_cast<int64_t>(word);
    if (type.kind == Kind::kSigned && type.bits < 64) {
      const int shift = 64 - type.bits;
      value = static_cast<int64_t>(word << shift) >> shift;
    } else if (type.kind == Kind::kUnsigned && value < 0) {
      return MakeError(label::model_unsupported_type, "it holds an integer beyond 63 bits");
    } else if (type.kind == Kind::kFlag) {
      value = word != 0 ? 1 : 0;
    }
    integers.data.push_back(value);
  }
  return quant::Tensor(std::move(integers));
}

}  // namespace tally::openvino
