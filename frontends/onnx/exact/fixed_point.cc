#include "frontends/onnx/exact/fixed_point.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "base/error.h"
#include "base/status_macros.h"
#include "ops/tensor_type.h"

namespace tally::onnx {
namespace {

using ::onnx::TensorProto;

// mantissa * 2^exponent with an odd mantissa, or 0 * 2^0.
struct Dyadic {
  int64_t mantissa = 0;
  int exponent = 0;
};

absl::StatusOr<Dyadic> ToDyadic(double value) {
  if (!std::isfinite(value)) return MakeError("onnx_inexact", "a tensor holds an infinity or a NaN");
  if (value == 0) return Dyadic{};
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);  // in [1/2, 1)
  Dyadic d = {static_cast<int64_t>(std::ldexp(fraction, 53)), exponent - 53};
  const int zeros = std::countr_zero(static_cast<uint64_t>(d.mantissa));
  return Dyadic{d.mantissa / (int64_t{1} << zeros), d.exponent + zeros};
}

// One format of IEEE 754.
struct FloatFormat {
  int mantissa_bits;
  int exponent_bits;

  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
};

FloatFormat FormatOf(int data_type) {
  switch (data_type) {
    case TensorProto::DOUBLE: return {52, 11};
    case TensorProto::FLOAT16: return {10, 5};
    case TensorProto::BFLOAT16: return {7, 8};
    default: return {23, 8};
  }
}

double DecodeFloat(uint64_t bits, FloatFormat format) {
  const int all_ones = (1 << format.exponent_bits) - 1;
  const int exponent = static_cast<int>(bits >> format.mantissa_bits) & all_ones;
  const uint64_t fraction = bits & ((uint64_t{1} << format.mantissa_bits) - 1);
  const bool negative = (bits >> (format.mantissa_bits + format.exponent_bits) & 1) != 0;
  double magnitude;
  if (exponent == all_ones) {
    magnitude =
        fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    magnitude = std::ldexp(static_cast<double>(fraction), 1 - format.bias() - format.mantissa_bits);
  } else {
    const uint64_t significand = fraction | uint64_t{1} << format.mantissa_bits;
    magnitude = std::ldexp(static_cast<double>(significand), exponent - format.bias() - format.mantissa_bits);
  }
  return negative ? -magnitude : magnitude;
}

// The elements of `proto`, each as an unsigned or sign-extended 64-bit word: raw bytes of `size` each, or `field`.
template <typename Field>
absl::StatusOr<std::vector<int64_t>> Words(const TensorProto& proto, size_t count, size_t size,
                                           bool is_signed, const Field& field) {
  std::vector<int64_t> words(count);
  if (!proto.has_raw_data()) {
    if (static_cast<size_t>(field.size()) != count)
      return MakeError("onnx_malformed", "data and shape differ");
    for (size_t i = 0; i < count; ++i) {
      using Element = std::decay_t<decltype(field.Get(0))>;
      if constexpr (std::is_same_v<Element, float>) {
        words[i] = std::bit_cast<uint32_t>(field.Get(static_cast<int>(i)));
      } else if constexpr (std::is_same_v<Element, double>) {
        words[i] = std::bit_cast<int64_t>(field.Get(static_cast<int>(i)));
      } else {
        words[i] = static_cast<int64_t>(field.Get(static_cast<int>(i)));
      }
    }
    return words;
  }
  if (proto.raw_data().size() != count * size) return MakeError("onnx_malformed", "data and shape differ");
  for (size_t i = 0; i < count; ++i) {
    uint64_t word = 0;
    std::memcpy(&word, proto.raw_data().data() + i * size, size);  // little-endian
    const int unused = 64 - 8 * static_cast<int>(size);
    words[i] = is_signed ? static_cast<int64_t>(word << unused) >> unused : static_cast<int64_t>(word);
  }
  return words;
}

absl::StatusOr<std::vector<int64_t>> WordsOf(const TensorProto& proto, size_t count) {
  switch (proto.data_type()) {
    case TensorProto::BOOL: return Words(proto, count, 1, false, proto.int32_data());
    case TensorProto::INT8: return Words(proto, count, 1, true, proto.int32_data());
    case TensorProto::UINT8: return Words(proto, count, 1, false, proto.int32_data());
    case TensorProto::INT16: return Words(proto, count, 2, true, proto.int32_data());
    case TensorProto::UINT16: return Words(proto, count, 2, false, proto.int32_data());
    case TensorProto::INT32: return Words(proto, count, 4, true, proto.int32_data());
    case TensorProto::UINT32: return Words(proto, count, 4, false, proto.uint64_data());
    case TensorProto::INT64: return Words(proto, count, 8, true, proto.int64_data());
    case TensorProto::UINT64: return Words(proto, count, 8, false, proto.uint64_data());
    case TensorProto::FLOAT: return Words(proto, count, 4, false, proto.float_data());
    case TensorProto::DOUBLE: return Words(proto, count, 8, false, proto.double_data());
    case TensorProto::FLOAT16:
    case TensorProto::BFLOAT16: return Words(proto, count, 2, false, proto.int32_data());
    default: return MakeError("onnx_unsupported_type", "element type " + std::to_string(proto.data_type()));
  }
}

absl::StatusOr<Shape> ShapeOf(const TensorProto& proto) {
  const auto shape = Shape::Create(std::vector<int64_t>(proto.dims().begin(), proto.dims().end()));
  if (!shape.ok()) return MakeError("onnx_shape", std::string(shape.status().message()));
  return *shape;
}

}  // namespace

bool IsFloat(int data_type) {
  return data_type == TensorProto::FLOAT || data_type == TensorProto::DOUBLE ||
         data_type == TensorProto::FLOAT16 || data_type == TensorProto::BFLOAT16;
}

bool IsEmpty(const TensorProto& proto) {
  return std::find(proto.dims().begin(), proto.dims().end(), 0) != proto.dims().end();
}

absl::StatusOr<FixedPoint> DecodeFixedPoint(const TensorProto& proto) {
  ASSIGN_OR_RETURN(const Shape shape, ShapeOf(proto));
  ASSIGN_OR_RETURN(std::vector<int64_t> values, WordsOf(proto, static_cast<size_t>(shape.num_elements())));
  FixedPoint result = {.data_type = proto.data_type()};
  if (IsFloat(proto.data_type())) {
    std::vector<Dyadic> reals;
    for (const int64_t word : values) {
      ASSIGN_OR_RETURN(const Dyadic real,
                       ToDyadic(DecodeFloat(static_cast<uint64_t>(word), FormatOf(proto.data_type()))));
      reals.push_back(real);
      result.fraction_bits = std::max(result.fraction_bits, -real.exponent);
    }
    for (size_t i = 0; i < reals.size(); ++i) {
      const int shift = reals[i].mantissa == 0 ? 0 : reals[i].exponent + result.fraction_bits;
      const uint64_t magnitude = static_cast<uint64_t>(std::abs(reals[i].mantissa));
      if (std::bit_width(magnitude) + shift > 47) {
        return MakeError("onnx_inexact", "the magnitudes of a tensor span more than 47 bits");
      }
      values[i] = reals[i].mantissa * (int64_t{1} << shift);
    }
  }
  ASSIGN_OR_RETURN(result.tensor, Tensor::FromValues(shape, values));
  if (!TensorLimit(Profile::kCore).Contains(result.tensor.view().Bounds())) {
    return MakeError("onnx_inexact", "an element is outside 48 bits");
  }
  return result;
}

uint64_t EncodeFloat(int64_t value, int fraction_bits, int data_type) {
  // A 48-bit integer times a power of two is a double, and the hardware's conversions round to nearest even.
  const double exact = std::ldexp(static_cast<double>(value), -fraction_bits);
  if (data_type == TensorProto::DOUBLE) return std::bit_cast<uint64_t>(exact);
  if (data_type == TensorProto::FLOAT) return std::bit_cast<uint32_t>(static_cast<float>(exact));
  // To a multiple of the unit in the last place of float16, whose exponents go down to -14.
  int exponent = 0;
  std::frexp(exact, &exponent);
  const int unit = std::max(exponent - 11, -24);
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(std::fabs(exact), -unit)), unit);
  const uint64_t sign = std::signbit(exact) ? uint64_t{1} << 15 : 0;
  if (rounded >= 65536) return sign | 0x7c00;
  if (rounded < std::ldexp(1, -14)) return sign | static_cast<uint64_t>(std::ldexp(rounded, 24));
  std::frexp(rounded, &exponent);
  const auto significand = static_cast<uint64_t>(std::ldexp(rounded, 11 - exponent));
  return sign | static_cast<uint64_t>(exponent - 1 + 15) << 10 | (significand & 1023);
}

absl::StatusOr<std::vector<uint64_t>> FloatEncodings(const TensorProto& proto) {
  ASSIGN_OR_RETURN(const Shape shape, ShapeOf(proto));
  ASSIGN_OR_RETURN(const std::vector<int64_t> words,
                   WordsOf(proto, static_cast<size_t>(shape.num_elements())));
  return std::vector<uint64_t>(words.begin(), words.end());
}

}  // namespace tally::onnx
