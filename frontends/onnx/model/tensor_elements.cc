#include "frontends/onnx/model/tensor_elements.h"

#include <bit>
#include <cstring>
#include <string>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/onnx/model/labels.h"

namespace tally::onnx {

using ::onnx::TensorProto;

static_assert(std::endian::native == std::endian::little, "raw_data is little-endian and copied as it is");

absl::Status CheckHasItsData(const TensorProto& proto) {
  if (proto.data_location() != TensorProto::EXTERNAL && proto.external_data_size() == 0)
    return absl::OkStatus();
  return MakeError(label::onnx_external_data,
                   "a tensor's data lie in another file; save the model as one file");
}

absl::StatusOr<TensorElements::Layout> TensorElements::LayoutOf(int data_type) {
  switch (data_type) {
    case TensorProto::BOOL:
    case TensorProto::UINT8: return Layout{Field::kInt32, 1, false};
    case TensorProto::INT8: return Layout{Field::kInt32, 1, true};
    case TensorProto::INT16: return Layout{Field::kInt32, 2, true};
    case TensorProto::UINT16:
    case TensorProto::FLOAT16:
    case TensorProto::BFLOAT16: return Layout{Field::kInt32, 2, false};
    case TensorProto::INT32: return Layout{Field::kInt32, 4, true};
    case TensorProto::UINT32: return Layout{Field::kUint64, 4, false};
    case TensorProto::INT64: return Layout{Field::kInt64, 8, true};
    case TensorProto::UINT64: return Layout{Field::kUint64, 8, false};
    case TensorProto::FLOAT: return Layout{Field::kFloat, 4, false};
    case TensorProto::DOUBLE: return Layout{Field::kDouble, 8, false};
    default:
      return MakeError(label::model_unsupported_type,
                       "a tensor has element type " + std::to_string(data_type));
  }
}

absl::StatusOr<TensorElements> TensorElements::Of(const TensorProto& proto, size_t count) {
  RETURN_IF_ERROR(CheckHasItsData(proto));
  if (proto.has_segment()) return MakeError(label::model_unsupported_type, "a tensor is stored in segments");
  ASSIGN_OR_RETURN(const Layout layout, LayoutOf(proto.data_type()));
  const TensorElements elements(proto, layout);
  const size_t fields = elements.FieldSize();
  if (!proto.has_raw_data() && fields != count) {
    return MakeError(label::model_malformed, "a tensor has " + std::to_string(fields) +
                                                 " elements, its shape " + std::to_string(count));
  }
  if (!proto.has_raw_data()) return elements;
  if (fields != 0) return MakeError(label::model_malformed, "a tensor has its data twice");
  const size_t bytes = count * static_cast<size_t>(layout.bytes);
  if (proto.raw_data().size() != bytes) {
    return MakeError(label::model_malformed, "a tensor has " + std::to_string(proto.raw_data().size()) +
                                                 " bytes, its shape " + std::to_string(bytes));
  }
  return elements;
}

size_t TensorElements::FieldSize() const {
  switch (layout_.field) {
    case Field::kFloat: return static_cast<size_t>(proto_->float_data_size());
    case Field::kDouble: return static_cast<size_t>(proto_->double_data_size());
    case Field::kInt32: return static_cast<size_t>(proto_->int32_data_size());
    case Field::kInt64: return static_cast<size_t>(proto_->int64_data_size());
    case Field::kUint64: break;
  }
  return static_cast<size_t>(proto_->uint64_data_size());
}

uint64_t TensorElements::Stored(size_t i) const {
  const int index = static_cast<int>(i);
  if (proto_->has_raw_data()) {
    uint64_t word = 0;
    std::memcpy(&word, proto_->raw_data().data() + i * layout_.bytes, static_cast<size_t>(layout_.bytes));
    return word;
  }
  switch (layout_.field) {
    case Field::kFloat: return std::bit_cast<uint32_t>(proto_->float_data(index));
    case Field::kDouble: return std::bit_cast<uint64_t>(proto_->double_data(index));
    case Field::kInt32: return static_cast<uint64_t>(proto_->int32_data(index));
    case Field::kInt64: return static_cast<uint64_t>(proto_->int64_data(index));
    case Field::kUint64: break;
  }
  return proto_->uint64_data(index);
}

int64_t TensorElements::operator[](size_t i) const {
  // A field may be wider than the type.
  const int unused = 64 - 8 * layout_.bytes;
  const uint64_t word = Stored(i) << unused;
  return layout_.is_signed ? static_cast<int64_t>(word) >> unused : static_cast<int64_t>(word >> unused);
}

}  // namespace tally::onnx
