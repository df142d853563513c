// The objects of runs, added to a folder. Apart from reading them, which libtally does alone.
#pragma once

#include <span>
#include <string>

#include "absl/status/status.h"
#include "base/hash/digest.h"
#include "base/tensor.h"
#include "vm/plan.h"
#include "vm/valid_module.h"

namespace tally {

// Adds the objects of a run to a folder; those that it has already stay. Errors: those of
// WriteFilesAtomically.
absl::Status KeepRun(const std::string& folder, const ValidModule& module, const Digest& module_id,
                     std::span<const TensorView> inputs);

// Adds the products of a run that gave a claim. Errors: those of the run; as above.
absl::Status KeepProducts(const std::string& folder, const Digest& claim, const Plan& plan,
                          std::span<const TensorView> inputs);

}  // namespace tally
