// How much of a run one element reads: the leaves that a judgement of it opens.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/tensor.h"
#include "vm/valid_module.h"

namespace tally::bench {

struct ReadCost {
  int64_t elements = 0;  // that were judged
  int64_t leaves = 0;    // the most that one of them reads
  int64_t leaf_bytes = 0;
  int64_t path_bytes = 0;  // for that element 32 for each level above each leaf
};

// By the names of the instruction and of those that are folded into it, as "convolution+rescale+relu".
// Elements of every committed value are judged: the first, the last and some drawn ones. Errors: those of a
// run; internal, where the referee does not say what the run has.
absl::StatusOr<std::map<std::string, ReadCost>> MeasureReads(const std::shared_ptr<const ValidModule>& module,
                                                             const std::vector<Tensor>& inputs,
                                                             int64_t elements_of_each);

}  // namespace tally::bench
