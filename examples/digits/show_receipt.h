// The last act of the demo: who ran it, and what happens to those who lie about it.
#pragma once

#include <memory>

#include "absl/status/status.h"
#include "base/tensor.h"
#include "vm/valid_module.h"

namespace tally::digits {

// Runs `image` on one engine, signs the receipt, and prints what another engine, a changed file and a false
// claim lead to. Errors: demo_receipt where that is not what has to be; those of MakePlan.
absl::Status ShowReceipt(const std::shared_ptr<const ValidModule>& module, const TensorView& image);

}  // namespace tally::digits
