// The answers that an engine has to give before it serves: known answers at the ends of the integers.
//
//   RETURN_IF_ERROR(CheckKnownAnswers("cpu", [&](auto module) { return MakeCpuPlan(std::move(module), options); }));
//
// Processors, their emulators and accelerators have accumulated 8-bit products in 24 bits, saturated where
// instructions wrap, and had units that failed. A validated module cannot overflow, so every such machine is
// wrong, and must not answer. The test has sums that need more than 24 bits and all of 32, -128 * -128,
// products of 16 and of 64 bits, rounding of ties, saturation at both ends, tables, windows and rows; the
// shapes are those that make the engine take its packed kernels.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "vm/plan.h"
#include "vm/valid_module.h"

namespace tally {

using PlanMaker =
    std::function<absl::StatusOr<std::unique_ptr<const Plan>>(std::shared_ptr<const ValidModule> module)>;

// Plans and runs the module of the test and compares the roots of its results with those that stand in the
// source. `machine` is who is named in the message. Errors: self_test (another value), and those of `make`.
absl::Status CheckKnownAnswers(std::string_view machine, const PlanMaker& make);

}  // namespace tally
