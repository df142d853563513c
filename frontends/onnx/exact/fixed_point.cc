#include "frontends/onnx/exact/fixed_point.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/onnx/model/labels.h"
#include "frontends/onnx/model/tensor_elements.h"
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
  if (!std::isfinite(value)) return MakeError(label::model_inexact, "a tensor holds an infinity or a NaN");
  if (value == 0) return Dyadic{};
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);  // in [1/2, 1)
  Dyadic d = {static_cast<int64_t>(std::ldexp(fraction, 53)), exponent - 53};
  const int zeros = std::countr_zero(static_cast<uint64_t>(d.mantissa));
  return Dyadic{d.mantissa / (int64_t{1} << zeros), d.exponent + zeros};
}

absl::StatusOr<Shape> ShapeOf(const TensorProto& proto) {
  const auto shape = Shape::Create(std::vector<int64_t>(proto.dims().begin(), proto.dims().end()));
  if (!shape.ok()) return MakeError(label::model_shape, std::string(shape.status().message()));
  return *shape;
}

}  // namespace

bool IsEmpty(const TensorProto& proto) {
  return std::find(proto.dims().begin(), proto.dims().end(), 0) != proto.dims().end();
}

absl::StatusOr<FixedPoint> DecodeFixedPoint(const TensorProto& proto) {
  ASSIGN_OR_RETURN(FixedPoint result, DecodeSaturated(proto));
  if (result.is_saturated) return MakeError(label::model_inexact, "an element is outside 48 bits");
  return result;
}

absl::StatusOr<FixedPoint> DecodeSaturated(const TensorProto& proto) {
  ASSIGN_OR_RETURN(const Shape shape, ShapeOf(proto));
  const auto count = static_cast<size_t>(shape.num_elements());
  ASSIGN_OR_RETURN(const TensorElements elements, TensorElements::Of(proto, count));
  std::vector<int64_t> values(count);
  FixedPoint result = {.data_type = proto.data_type()};
  if (!IsFloat(proto.data_type())) {
    const bool is_unsigned = proto.data_type() == TensorProto::UINT64;  // its upper half reads as negative
    for (size_t i = 0; i < count; ++i) {
      values[i] = is_unsigned && elements[i] < 0 ? std::numeric_limits<int64_t>::max() : elements[i];
    }
  } else {
    const frontend::FloatFormat format = FormatOf(proto.data_type());
    std::vector<Dyadic> reals;
    for (size_t i = 0; i < count; ++i) {
      ASSIGN_OR_RETURN(const Dyadic real,
                       ToDyadic(frontend::DecodeFloat(static_cast<uint64_t>(elements[i]), format)));
      reals.push_back(real);
      result.fraction_bits = std::max(result.fraction_bits, -real.exponent);
    }
    for (size_t i = 0; i < reals.size(); ++i) {
      const int shift = reals[i].mantissa == 0 ? 0 : reals[i].exponent + result.fraction_bits;
      const uint64_t magnitude = static_cast<uint64_t>(std::abs(reals[i].mantissa));
      if (std::bit_width(magnitude) + shift > 47) {
        return MakeError(label::model_inexact, "the magnitudes of a tensor span more than 47 bits");
      }
      values[i] = reals[i].mantissa * (int64_t{1} << shift);
    }
  }
  const Interval limit = TensorLimit(Profile::kCore);
  for (int64_t& value : values) {
    const int64_t within = std::clamp(value, limit.lo, limit.hi);
    result.is_saturated |= value != within;
    value = within;
  }
  ASSIGN_OR_RETURN(result.tensor, Tensor::FromValues(shape, values));
  return result;
}

uint64_t EncodeFixed(int64_t value, int fraction_bits, int data_type) {
  // A 48-bit integer times a power of two is a double.
  return frontend::EncodeFloat(std::ldexp(static_cast<double>(value), -fraction_bits), FormatOf(data_type));
}

absl::StatusOr<std::vector<uint64_t>> FloatEncodings(const TensorProto& proto) {
  ASSIGN_OR_RETURN(const Shape shape, ShapeOf(proto));
  const auto count = static_cast<size_t>(shape.num_elements());
  ASSIGN_OR_RETURN(const TensorElements elements, TensorElements::Of(proto, count));
  std::vector<uint64_t> encodings(count);
  for (size_t i = 0; i < count; ++i) encodings[i] = static_cast<uint64_t>(elements[i]);
  return encodings;
}

}  // namespace tally::onnx
