#include "frontends/onnx/decode_tensor.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"

namespace tally::onnx {
namespace {

using ::onnx::TensorProto;
using quant::Shape;

static_assert(std::endian::native == std::endian::little, "raw_data is little-endian and copied as it is");

absl::StatusOr<size_t> CountElements(const TensorProto& proto) {
  if (static_cast<size_t>(proto.dims_size()) > quant::kMaxRank) {
    return MakeError("onnx_shape", "a tensor's rank is above " + std::to_string(quant::kMaxRank));
  }
  int64_t count = 1;
  for (const int64_t dimension : proto.dims()) {
    if (dimension < 0) return MakeError("onnx_malformed", "a tensor has a negative dimension");
    if (count > 0 && dimension > quant::kMaxElements / count) {
      return MakeError("onnx_shape", "a tensor has too many elements");
    }
    count *= dimension;
  }
  return static_cast<size_t>(count);
}

// The elements as the file stores them: raw bytes of T, or `field`, whose elements may be wider than T.
template <typename T, typename Field>
absl::StatusOr<std::vector<T>> Elements(const TensorProto& proto, const Field& field) {
  ASSIGN_OR_RETURN(const size_t count, CountElements(proto));
  if (!proto.has_raw_data()) {
    if (static_cast<size_t>(field.size()) != count) {
      return MakeError("onnx_malformed", "a tensor has " + std::to_string(field.size()) +
                                             " elements, its shape " + std::to_string(count));
    }
    std::vector<T> elements;
    elements.reserve(count);
    for (const auto element : field) elements.push_back(static_cast<T>(element));
    return elements;
  }
  if (!field.empty()) return MakeError("onnx_malformed", "a tensor has its data twice");
  if (proto.raw_data().size() != count * sizeof(T)) {
    return MakeError("onnx_malformed", "a tensor has " + std::to_string(proto.raw_data().size()) +
                                           " bytes, its shape " + std::to_string(count * sizeof(T)));
  }
  std::vector<T> elements(count);
  if (count > 0) std::memcpy(elements.data(), proto.raw_data().data(), count * sizeof(T));
  return elements;
}

float HalfToFloat(uint16_t half) {
  const int exponent = half >> 10 & 31;
  const int fraction = half & 1023;
  float magnitude;
  if (exponent == 0) {
    magnitude = std::ldexp(static_cast<float>(fraction), -24);
  } else if (exponent == 31) {
    magnitude =
        fraction == 0 ? std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
  } else {
    magnitude = std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
  }
  return half >> 15 != 0 ? -magnitude : magnitude;
}

// T as the file stores it, converted element by element.
template <typename T, typename Result, typename Field, typename Convert>
absl::StatusOr<quant::Tensor> Decode(const TensorProto& proto, const Field& field, Convert convert) {
  ASSIGN_OR_RETURN(const std::vector<T> elements, (Elements<T>(proto, field)));
  Result tensor{Shape(proto.dims().begin(), proto.dims().end()), {}};
  tensor.data.reserve(elements.size());
  for (const T element : elements) tensor.data.push_back(convert(element));
  return tensor;
}

}  // namespace

absl::StatusOr<quant::Tensor> DecodeTensor(const TensorProto& proto) {
  using quant::FloatTensor;
  using quant::Int64Tensor;
  if (proto.data_location() == TensorProto::EXTERNAL || proto.external_data_size() > 0) {
    return MakeError("onnx_external_data", "a tensor's data lie in another file; save the model as one file");
  }
  if (proto.has_segment()) return MakeError("onnx_unsupported_type", "a tensor is stored in segments");
  const auto to_float = [](auto element) { return static_cast<float>(element); };
  const auto to_int64 = [](auto element) { return static_cast<int64_t>(element); };
  switch (proto.data_type()) {
    case TensorProto::FLOAT: return Decode<float, FloatTensor>(proto, proto.float_data(), to_float);
    case TensorProto::DOUBLE: return Decode<double, FloatTensor>(proto, proto.double_data(), to_float);
    case TensorProto::FLOAT16: return Decode<uint16_t, FloatTensor>(proto, proto.int32_data(), HalfToFloat);
    case TensorProto::INT64: return Decode<int64_t, Int64Tensor>(proto, proto.int64_data(), to_int64);
    case TensorProto::INT32: return Decode<int32_t, Int64Tensor>(proto, proto.int32_data(), to_int64);
    case TensorProto::BOOL: return Decode<uint8_t, Int64Tensor>(proto, proto.int32_data(), to_int64);
    default:
      return MakeError("onnx_unsupported_type",
                       "a tensor has element type " + std::to_string(proto.data_type()) +
                           "; FLOAT, DOUBLE, FLOAT16, INT64, INT32 and BOOL are read");
  }
}

}  // namespace tally::onnx
