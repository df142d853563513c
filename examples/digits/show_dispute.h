// A false trace, and the dispute that convicts whoever claims it.
#pragma once

#include <memory>

#include "absl/status/status.h"
#include "base/tensor.h"
#include "vm/valid_module.h"

namespace tally::digits {

// Alters one element deep in the trace of a run, plays the dispute about it, and draws how it narrows. Error
// demo_dispute, where it does not end in that element and a certificate.
absl::Status ShowDispute(const std::shared_ptr<const ValidModule>& module, const TensorView& image);

}  // namespace tally::digits
