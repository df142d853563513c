// How much of a run one element reads: the leaves that its judgements open.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/tensor.h"
#include "proof/trace/judged_run.h"
#include "vm/valid_module.h"

namespace tally::bench {

struct ReadCost {
  int64_t elements = 0;  // that were judged
  int64_t by_steps = 0;  // those that read more than 48 KiB of leaves, and were judged by steps
  LeafCost most;         // in one judgement
  // Bytes that the largest judgement of any element reads, judged or not, where its parts are gathered: an
  // upper bound by types.
  int64_t gathered_bytes = 0;
};

// By the names of the instruction and of those that are folded into it, as "convolution+rescale+relu".
// Elements of every committed value are judged: the first, the last and some drawn ones. Errors: those of a
// run; internal, where the referee does not say what the run has.
absl::StatusOr<std::map<std::string, ReadCost>> MeasureReads(const std::shared_ptr<const ValidModule>& module,
                                                             const std::vector<Tensor>& inputs,
                                                             int64_t elements_of_each);

}  // namespace tally::bench
