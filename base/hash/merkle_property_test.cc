// Laws of base/hash/merkle.h: the tree is RFC 6962's recursion, a proof verifies, and nothing else does.
#include <cstdint>
#include <span>
#include <vector>

#include "base/hash/merkle.h"
#include "base/hash/sha256.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"

namespace tally {
namespace {

using Bytes = std::vector<uint8_t>;

// MTH of RFC 6962 section 2.1, word for word.
Digest DefinedRoot(std::span<const Bytes> leaves) {
  if (leaves.empty()) return Sha256Hash({});
  if (leaves.size() == 1) {
    Bytes preimage = {0x00};
    preimage.insert(preimage.end(), leaves[0].begin(), leaves[0].end());
    return Sha256Hash(preimage);
  }
  size_t k = 1;
  while (2 * k < leaves.size()) k *= 2;
  Bytes preimage = {0x01};
  for (const Digest& half : {DefinedRoot(leaves.first(k)), DefinedRoot(leaves.subspan(k))}) {
    preimage.insert(preimage.end(), half.begin(), half.end());
  }
  return Sha256Hash(preimage);
}

struct Claim {
  std::vector<Digest> leaf_hashes;
  uint64_t index;
  std::vector<Digest> path;
  Digest root;
};

Claim AnyTrueClaim() {
  Claim claim;
  const auto size = *rc::gen::inRange<size_t>(1, 70);
  for (uint8_t i = 0; i < size; ++i) claim.leaf_hashes.push_back(MerkleLeafHash(Bytes{i}));
  claim.index = *rc::gen::inRange<size_t>(0, size);
  claim.path = InclusionProof(claim.leaf_hashes, claim.index);
  claim.root = MerkleRoot(claim.leaf_hashes);
  return claim;
}

bool Verify(const Claim& claim) {
  return VerifyInclusion(claim.leaf_hashes[claim.index], claim.index, claim.leaf_hashes.size(), claim.path,
                         claim.root);
}

void FlipAnyBit(Digest& digest) {
  digest[*rc::gen::inRange<size_t>(0, digest.size())] ^= 1 << *rc::gen::inRange(0, 8);
}

RC_GTEST_PROP(MerkleProperty, StreamingGivesTheDefinedRoot, (const std::vector<Bytes>& leaves)) {
  MerkleTree tree;
  for (size_t i = 0; i < leaves.size(); ++i) {
    RC_ASSERT(tree.Root() == DefinedRoot(std::span(leaves).first(i)));
    tree.AddLeaf(leaves[i]);
  }
  RC_ASSERT(tree.Root() == DefinedRoot(leaves));
}

// Whatever is in the tree already, and in however many calls.
RC_GTEST_PROP(MerkleProperty, AddingManyLeavesGivesTheDefinedRoot, ()) {
  const auto calls = *rc::gen::resize(30, rc::gen::arbitrary<std::vector<std::vector<Bytes>>>());
  std::vector<Bytes> leaves;
  MerkleTree tree, tree_of_hashes;
  for (const std::vector<Bytes>& call : calls) {
    const LeafAt leaf_at = [&](uint64_t i) { return std::span(call[i]); };
    tree.AddLeaves(call.size(), leaf_at);
    tree_of_hashes.AddLeafHashes(MerkleLeafHashes(call.size(), leaf_at));
    leaves.insert(leaves.end(), call.begin(), call.end());
  }
  const Digest defined_root = DefinedRoot(leaves);
  RC_ASSERT(tree.size() == leaves.size());
  RC_ASSERT(tree.Root() == defined_root);
  RC_ASSERT(tree_of_hashes.Root() == defined_root);
}

RC_GTEST_PROP(MerkleProperty, AProofVerifiesAndIsShort, ()) {
  const Claim claim = AnyTrueClaim();
  RC_ASSERT(Verify(claim));
  RC_ASSERT((size_t{1} << claim.path.size()) < 2 * claim.leaf_hashes.size());
}

RC_GTEST_PROP(MerkleProperty, AFlippedBitIsRefused, ()) {
  Claim claim = AnyTrueClaim();
  const auto part = *rc::gen::inRange<size_t>(0, claim.path.size() + 2);
  FlipAnyBit(part < claim.path.size()    ? claim.path[part]
             : part == claim.path.size() ? claim.root
                                         : claim.leaf_hashes[claim.index]);
  RC_ASSERT(!Verify(claim));
}

RC_GTEST_PROP(MerkleProperty, AnotherIndexIsRefused, ()) {
  const Claim claim = AnyTrueClaim();
  const Digest& leaf_hash = claim.leaf_hashes[claim.index];
  for (uint64_t index = 0; index < claim.leaf_hashes.size() + 2; ++index) {
    RC_ASSERT(VerifyInclusion(leaf_hash, index, claim.leaf_hashes.size(), claim.path, claim.root) ==
              (index == claim.index));
  }
}

RC_GTEST_PROP(MerkleProperty, APathOfAnotherLengthIsRefused, ()) {
  Claim claim = AnyTrueClaim();
  const Claim original = claim;
  claim.path.push_back(claim.root);
  RC_ASSERT(!Verify(claim));
  claim = original;
  claim.path.insert(claim.path.begin(), claim.root);
  RC_ASSERT(!Verify(claim));
  for (size_t i = 0; i < original.path.size(); ++i) {
    claim = original;
    claim.path.erase(claim.path.begin() + i);
    RC_ASSERT(!Verify(claim));
  }
}

}  // namespace
}  // namespace tally
