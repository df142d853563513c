// The commitment to a tensor: its shape, its storage and the root of a Merkle tree over its bytes, so that
// single leaves can be opened (docs/spec/commitment.md#tensors).
//
//   const Digest digest = TensorDigest(weights);
#pragma once

#include "base/digest.h"
#include "base/tensor.h"

namespace tally {

// SHA256(10 || CBOR {1: storage, 2: dims, 3: 1024, 4: root}). The header fixes the number and the sizes of
// the leaves, which a root alone does not.
Digest TensorDigestOf(Storage storage, const Shape& shape, const Digest& root);

Digest TensorDigest(const TensorView& tensor);

}  // namespace tally
