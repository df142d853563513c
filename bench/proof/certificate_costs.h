// The cost of a dispute about one element, and of the certificate that it ends in.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "base/tensor.h"
#include "vm/valid_module.h"

namespace tally::bench {

// The largest of each, over the elements that were disputed.
struct CertificateCost {
  int64_t elements = 0;
  int64_t by_steps = 0;  // that were judged by their expansion
  uint64_t certificate_bytes = 0;
  double check_ms = 0;                       // the median of a few, for each certificate
  uint64_t messages = 0, message_bytes = 0;  // the asserter's
  double asserter_ms = 0, challenger_ms = 0;
};

struct DisputeCosts {
  uint64_t program_bytes = 0, bounds_bytes = 0;    // in each certificate
  std::map<std::string, CertificateCost> by_name;  // by the instructions that are judged together
};

// Alters elements of every committed value of a run, the first, the last and some drawn ones, one at a time,
// and plays the dispute about each. Errors: those of a run; internal, where one does not end in a conviction.
absl::StatusOr<DisputeCosts> MeasureDisputes(const std::shared_ptr<const ValidModule>& module,
                                             std::span<const TensorView> inputs, int64_t elements_of_each);

}  // namespace tally::bench
