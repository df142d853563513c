// The commitment to a tensor: its shape, its storage and the root of a Merkle tree over its elements, so that
// single leaves can be opened (docs/spec/commitment.md#tensors).
//
//   const Digest digest = TensorDigest(weights);
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "base/hash/digest.h"
#include "base/layout.h"
#include "base/tensor.h"

namespace tally {

// No header has more bytes: 8 dims of 5 bytes, a root, and 12 small numbers.
inline constexpr size_t kMaxTensorHeaderBytes = 96;

// CBOR {1: storage, 2: dims, 3: 1024, 4: root}, with {5: 1} where leaves are channels last. The header fixes
// the number and the sizes of the leaves, which a root alone does not.
std::vector<uint8_t> TensorHeader(Storage storage, const Shape& shape, Layout layout, const Digest& root);

// The fields of a header. Errors: those of CborReader and of Shape; tensor_header, where no tensor has it.
struct TensorHeaderFields {
  Storage storage;
  Shape shape;
  Layout layout;
  Digest root;
};
absl::StatusOr<TensorHeaderFields> DecodeTensorHeader(std::span<const uint8_t> header);

// The first byte of the root in a header of so many bytes.
constexpr size_t RootInTensorHeader(size_t bytes, Layout layout) {
  return bytes - sizeof(Digest) - (layout == Layout::kChannelsLast ? 2 : 0);
}

// SHA256(10 || header)
Digest TensorHeaderDigest(std::span<const uint8_t> header);
Digest TensorDigestOf(Storage storage, const Shape& shape, Layout layout, const Digest& root);

// That of a constant, whose leaves are row-major.
Digest TensorDigest(const TensorView& tensor);

// That of a value of a run, input or result or between, whose leaves are in its CommittedLayout
// (base/hash/tensor_leaves.h); from its ValueRoot.
Digest ValueDigest(const TensorView& value);
Digest ValueDigestOf(Storage storage, const Shape& shape, const Digest& root);

}  // namespace tally
