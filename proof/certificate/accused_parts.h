// The parts of the accused that a certificate needs: parts of the trees that they have committed to.
#pragma once

#include <cstdint>
#include <vector>

#include "base/hash/digest.h"
#include "proof/certificate/certificate.h"

namespace tally {

class AccusedParts {
 public:
  virtual ~AccusedParts() = default;

  virtual uint64_t entries() const = 0;  // how many the trace has
  virtual TraceEntry Entry(uint64_t number) const = 0;
  // The root of `size` leaves from `first` on, of the tree of the trace.
  virtual Digest TracePart(uint64_t first, uint64_t size) const = 0;

  // The value that is accused: the same for its tree, a leaf, and what its digest is of.
  virtual Digest ValuePart(uint64_t first, uint64_t size) const = 0;
  virtual std::vector<uint8_t> Leaf(uint64_t leaf) const = 0;
  virtual std::vector<uint8_t> Header() const = 0;

  // The expansion that is part of the evidence: the digests of its columns are the leaves of a tree.
  virtual uint64_t columns() const { return 0; }
  virtual Digest ColumnsPart(uint64_t /*first*/, uint64_t /*size*/) const { return {}; }
  virtual Digest Column(uint64_t /*number*/) const { return {}; }
};

}  // namespace tally
