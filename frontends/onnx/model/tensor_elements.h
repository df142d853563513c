// The elements of a TensorProto as the file stores them: raw bytes, or the field of their type.
//
//   ASSIGN_OR_RETURN(const TensorElements elements, TensorElements::Of(proto, count));
//   for (size_t i = 0; i < count; ++i) use(elements[i]);
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "third_party/onnx/onnx.pb.h"

namespace tally::onnx {

// Error onnx_external_data, where the data of `proto` are in another file.
absl::Status CheckHasItsData(const ::onnx::TensorProto& proto);

class TensorElements {
 public:
  // Refers to `proto`, which must outlive the result, and whose shape has `count` elements. Nothing is
  // allocated.
  // Errors: onnx_external_data, model_unsupported_type (strings, complex numbers, segments), model_malformed
  // (the data are not as many, or there twice).
  static absl::StatusOr<TensorElements> Of(const ::onnx::TensorProto& proto, size_t count);

  // An integer, extended to 64 bits by its sign if its type has one; or the encoding of a float.
  int64_t operator[](size_t i) const;

 private:
  enum class Field { kFloat, kDouble, kInt32, kInt64, kUint64 };
  struct Layout {
    Field field;
    int bytes;
    bool is_signed;
  };

  TensorElements(const ::onnx::TensorProto& proto, Layout layout) : proto_(&proto), layout_(layout) {}
  static absl::StatusOr<Layout> LayoutOf(int data_type);
  size_t FieldSize() const;
  uint64_t Stored(size_t i) const;

  const ::onnx::TensorProto* proto_;
  Layout layout_;
};

}  // namespace tally::onnx
