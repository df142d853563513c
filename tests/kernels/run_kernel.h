// Runs a kernel and the reference of its operator on the same call.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tests/kernels/drawn_call.h"

namespace tally {

// The results as the definition has them, in their narrowest storage.
std::vector<Tensor> RunReference(const DrawnCall& call);

// The data that the entry prepares from the call's facts, which are overwritten then: a plan does not keep
// them either.
std::optional<PreparedKernel> PrepareKernel(const KernelEntry& entry, const DrawnCall& call);

// The fault of the entry on this call, for which it is prepared: "" when the results of all splits among
// threads, apart and in place, are `expected` and no other byte was written.
std::string CheckKernel(const KernelEntry& entry, const PreparedKernel& prepared, const DrawnCall& call,
                        const std::vector<Tensor>& expected);

// The types and the attributes of the call, for messages.
std::string Describe(const DrawnCall& call);

// The elements of a row-major tensor as they are in `layout`.
Tensor InLayout(const Tensor& tensor, Layout layout);

}  // namespace tally
