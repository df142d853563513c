#include "serializer/tensor_digest.h"

#include "base/tensor_leaves.h"
#include "serializer/cbor_writer.h"
#include "serializer/hash_domain.h"

namespace tally {

Digest TensorDigestOf(Storage storage, const Shape& shape, Layout layout, const Digest& root) {
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
  return HashInDomain(HashDomain::kTensor, writer.Take());
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
