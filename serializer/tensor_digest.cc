#include "serializer/tensor_digest.h"

#include "base/tensor_leaves.h"
#include "serializer/cbor_writer.h"
#include "serializer/hash_domain.h"

namespace tally {

Digest TensorDigestOf(Storage storage, const Shape& shape, const Digest& root) {
  CborWriter writer;
  writer.WriteMap(4);
  writer.WriteUnsigned(1);
  writer.WriteUnsigned(static_cast<uint64_t>(storage));
  writer.WriteUnsigned(2);
  writer.WriteArray(shape.dims().size());
  for (const int64_t dim : shape.dims()) writer.WriteInt(dim);
  writer.WriteUnsigned(3);
  writer.WriteInt(kTensorLeafBytes);
  writer.WriteUnsigned(4);
  writer.WriteBytes(root);
  return HashInDomain(HashDomain::kTensor, writer.Take());
}

Digest TensorDigest(const TensorView& tensor) {
  return TensorDigestOf(tensor.storage, tensor.shape, TensorRoot(tensor));
}

}  // namespace tally
