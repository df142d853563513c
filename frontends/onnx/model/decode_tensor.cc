#include "frontends/onnx/model/decode_tensor.h"

#include <string>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/graph/float_format.h"
#include "frontends/onnx/model/data_type.h"
#include "frontends/onnx/model/labels.h"
#include "frontends/onnx/model/tensor_elements.h"

namespace tally::onnx {
namespace {

using ::onnx::TensorProto;
using quant::Shape;

absl::StatusOr<size_t> CountElements(const TensorProto& proto) {
  if (static_cast<size_t>(proto.dims_size()) > quant::kMaxRank) {
    return MakeError(label::model_shape, "a tensor's rank is above " + std::to_string(quant::kMaxRank));
  }
  int64_t count = 1;
  for (const int64_t dimension : proto.dims()) {
    if (dimension < 0) return MakeError(label::model_malformed, "a tensor has a negative dimension");
    if (count > 0 && dimension > quant::kMaxElements / count) {
      return MakeError(label::model_shape, "a tensor has too many elements");
    }
    count *= dimension;
  }
  return static_cast<size_t>(count);
}

template <typename Result, typename Convert>
Result Decoded(const TensorProto& proto, const TensorElements& elements, size_t count, Convert convert) {
  Result tensor{Shape(proto.dims().begin(), proto.dims().end()), {}};
  tensor.data.reserve(count);
  for (size_t i = 0; i < count; ++i) tensor.data.push_back(convert(elements[i]));
  return tensor;
}

bool IsRead(int data_type) {
  switch (data_type) {
    case TensorProto::FLOAT:
    case TensorProto::DOUBLE:
    case TensorProto::FLOAT16:
    case TensorProto::BFLOAT16:
    case TensorProto::INT64:
    case TensorProto::INT32:
    case TensorProto::BOOL: return true;
    default: return false;
  }
}

// Two integers of 4 bits in each byte, the first one in the low bits. Protobuf before opset 21 knows no field
// for them but raw_data.
absl::StatusOr<quant::Int64Tensor> DecodeNibbles(const TensorProto& proto, size_t count) {
  RETURN_IF_ERROR(CheckHasItsData(proto));
  const std::string& bytes = proto.raw_data();
  if (bytes.size() != (count + 1) / 2) {
    return MakeError(label::model_malformed, "a tensor has " + std::to_string(bytes.size()) + " bytes for " +
                                                 std::to_string(count) + " elements of 4 bits");
  }
  quant::Int64Tensor tensor{Shape(proto.dims().begin(), proto.dims().end()), {}};
  tensor.data.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    const int64_t code = static_cast<uint8_t>(bytes[i / 2]) >> (i % 2 == 0 ? 0 : 4) & 15;
    tensor.data.push_back(proto.data_type() == kInt4 && code > 7 ? code - 16 : code);
  }
  return tensor;
}

}  // namespace

absl::StatusOr<quant::Int64Tensor> DecodeCodes(const TensorProto& proto) {
  ASSIGN_OR_RETURN(const size_t count, CountElements(proto));
  if (proto.data_type() == kInt4 || proto.data_type() == kUint4) return DecodeNibbles(proto, count);
  ASSIGN_OR_RETURN(const TensorElements elements, TensorElements::Of(proto, count));
  return Decoded<quant::Int64Tensor>(proto, elements, count, [](int64_t element) { return element; });
}

absl::StatusOr<quant::Tensor> DecodeTensor(const TensorProto& proto) {
  const int type = proto.data_type();
  if (!IsRead(type)) {
    return MakeError(label::model_unsupported_type,
                     "a tensor has element type " + std::to_string(type) +
                         "; FLOAT, DOUBLE, FLOAT16, BFLOAT16, INT64, INT32 and BOOL are read");
  }
  ASSIGN_OR_RETURN(const size_t count, CountElements(proto));
  ASSIGN_OR_RETURN(const TensorElements elements, TensorElements::Of(proto, count));
  if (!IsFloat(type)) {
    return Decoded<quant::Int64Tensor>(proto, elements, count, [](int64_t element) { return element; });
  }
  return Decoded<quant::FloatTensor>(proto, elements, count, [format = FormatOf(type)](int64_t element) {
    return static_cast<float>(frontend::DecodeFloat(static_cast<uint64_t>(element), format));
  });
}

}  // namespace tally::onnx
