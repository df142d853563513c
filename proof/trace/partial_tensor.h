// A value of which only some leaves are at hand.
//
//   PartialTensor x(type.storage(), type.shape, CommittedLayout(type.shape));
//   RETURN_IF_ERROR(x.Add(leaf, bytes));
//   ASSIGN_OR_RETURN(const int64_t element, x.Read(7));  // or error leaf_missing
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/hash/tensor_leaves.h"

namespace tally {

class PartialTensor {
 public:
  PartialTensor(Storage storage, const Shape& shape, Layout layout)
      : storage_(storage), leaves_(storage, shape, layout), elements_(shape.num_elements()) {}

  const TensorLeaves& leaves() const { return leaves_; }

  // Error leaf_bytes: there is no such leaf, or it has another size.
  absl::Status Add(int64_t leaf, std::span<const uint8_t> bytes);

  // An element by its row-major number. Error leaf_missing, with the number of the leaf.
  absl::StatusOr<int64_t> Read(int64_t element) const;

 private:
  Storage storage_;
  TensorLeaves leaves_;
  int64_t elements_;
  std::map<int64_t, std::vector<uint8_t>> bytes_;  // by leaf
};

}  // namespace tally
