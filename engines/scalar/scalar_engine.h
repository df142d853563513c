// The engines that run the references as they are written, over three integer types.
#pragma once

#include <memory>

#include "vm/plan.h"

namespace tally {

// Over cpp_int: arithmetic in Z, nothing can overflow. The definition.
std::unique_ptr<const Plan> MakeFormalPlan(std::shared_ptr<const ValidModule> module);

// Over int64_t, values in their narrowest storage at the planned offsets of one arena.
std::unique_ptr<const Plan> MakeReferencePlan(std::shared_ptr<const ValidModule> module);

// Over TrappingInt: as the reference engine, but throws std::overflow_error where int64_t would wrap or a
// result would leave its proven interval. For tests: it never throws on a validated module.
std::unique_ptr<const Plan> MakeTrappingPlan(std::shared_ptr<const ValidModule> module);

}  // namespace tally
