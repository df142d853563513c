// Which values of a run its trace commits to (docs/spec/trace.md#values).
//
//   const CommittedValues committed(module);
//   if (committed.contains(function, id)) ...
//
// Most of what instructions compute is read once, element by element: a sum is rescaled, then clamped. Such a
// value is folded into its reader: who judges an element of the reader computes the element of the folded
// value on the way. Everything else is committed to. The rule looks at the program alone, so that all nodes
// commit to the same values.
#pragma once

#include <cstddef>
#include <vector>

#include "vm/valid_module.h"

namespace tally {

// Instructions that are judged together at most: a committed value's and those of what is folded into it.
inline constexpr int kMostFoldedInstructions = 16;

class CommittedValues {
 public:
  explicit CommittedValues(const ValidModule& module);

  // `id`: a value that an instruction computes, so no parameter and no constant.
  bool contains(size_t function, ValueId id) const { return !folded_[function][id]; }

 private:
  std::vector<std::vector<bool>> folded_;  // by function and value
};

}  // namespace tally
