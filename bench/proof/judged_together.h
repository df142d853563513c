// The instructions that are judged with one element of a value.
#pragma once

#include <string>

#include "vm/committed_values.h"
#include "vm/valid_module.h"

namespace tally::bench {

struct JudgedTogether {
  std::string name;  // in the order in which they compute, as "convolution+rescale+relu"
  // Bytes that their judgement reads at most, for any element, where parts are gathered: an upper bound by
  // types.
  int64_t gathered = 0;
};

// `id`: a committed value of a function.
JudgedTogether TogetherWith(const ValidModule& module, const CommittedValues& committed, size_t function,
                            ValueId id);

}  // namespace tally::bench
