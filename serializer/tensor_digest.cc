#include "serializer/tensor_digest.h"

#include "base/error.h"
#include "base/hash/tensor_leaves.h"
#include "base/status_macros.h"
#include "serializer/cbor_reader.h"
#include "serializer/cbor_writer.h"
#include "serializer/hash_domain.h"
#include "serializer/labels.h"

namespace tally {

std::vector<uint8_t> TensorHeader(Storage storage, const Shape& shape, Layout layout, const Digest& root) {
  const bool channels_last = layout == Layout::kChannelsLast;
  CborWriter writer;
  writer.WriteMap(channels_last ? 5 : 4);
  writer.WriteUnsigned(1);
  writer.WriteUnsigned(static_cast<uint64_t>(storage));
  writer.WriteUnsigned(2);
  writer.WriteArray(shape.dims().size());
  for (const int64_t dim : shape.dims()) writer.WriteInt(dim);
  writer.WriteUnsigned(3);
  writer.WriteInt(kTensorLeafBytes);
  writer.WriteUnsigned(4);
  writer.WriteBytes(root);
  if (channels_last) {
    writer.WriteUnsigned(5);
    writer.WriteUnsigned(1);
  }
  return writer.Take();
}

absl::StatusOr<TensorHeaderFields> DecodeTensorHeader(std::span<const uint8_t> header) {
  CborReader reader(header);
  TensorHeaderFields fields;
  ASSIGN_OR_RETURN(const uint64_t pairs, reader.ReadMap());
  RETURN_IF_ERROR(reader.ExpectKey(1));
  ASSIGN_OR_RETURN(const uint64_t storage, reader.ReadUnsigned());
  RETURN_IF_ERROR(reader.ExpectKey(2));
  ASSIGN_OR_RETURN(const uint64_t rank, reader.ReadArray());
  std::vector<int64_t> dims;
  for (uint64_t i = 0; i < rank; ++i) {
    ASSIGN_OR_RETURN(dims.emplace_back(), reader.ReadInt());
  }
  ASSIGN_OR_RETURN(fields.shape, Shape::Create(dims));
  RETURN_IF_ERROR(reader.ExpectKey(3));
  ASSIGN_OR_RETURN(const uint64_t leaf_bytes, reader.ReadUnsigned());
  RETURN_IF_ERROR(reader.ExpectKey(4));
  ASSIGN_OR_RETURN(fields.root, reader.ReadDigest());
  uint64_t channels_last = 0;
  if (pairs == 5) {
    RETURN_IF_ERROR(reader.ExpectKey(5));
    ASSIGN_OR_RETURN(channels_last, reader.ReadUnsigned());
  }
  RETURN_IF_ERROR(reader.ExpectEnd());
  // Row-major may be anything: constants are.
  const bool has_layout = channels_last == 0 || CommittedLayout(fields.shape) == Layout::kChannelsLast;
  if (storage >= kAllStorages.size() || leaf_bytes != kTensorLeafBytes || pairs != 4 + channels_last ||
      !has_layout) {
    return MakeError(label::tensor_header, "no tensor has such a header");
  }
  fields.storage = static_cast<Storage>(storage);
  fields.layout = channels_last == 1 ? Layout::kChannelsLast : Layout::kRowMajor;
  return fields;
}

Digest TensorHeaderDigest(std::span<const uint8_t> header) {
  return HashInDomain(HashDomain::kTensor, header);
}

Digest TensorDigestOf(Storage storage, const Shape& shape, Layout layout, const Digest& root) {
  return TensorHeaderDigest(TensorHeader(storage, shape, layout, root));
}

Digest TensorDigest(const TensorView& tensor) {
  return TensorDigestOf(tensor.storage, tensor.shape, Layout::kRowMajor, TensorRoot(tensor));
}

Digest ValueDigest(const TensorView& value) {
  return ValueDigestOf(value.storage, value.shape, ValueRoot(value));
}

Digest ValueDigestOf(Storage storage, const Shape& shape, const Digest& root) {
  return TensorDigestOf(storage, shape, CommittedLayout(shape), root);
}

}  // namespace tally
