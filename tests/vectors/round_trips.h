// The ways a module reaches an engine: as it was built, or through a form that must not change it.
#pragma once

#include <span>
#include <string_view>

#include "absl/status/statusor.h"
#include "vm/module.h"

namespace tally {

struct RoundTrip {
  std::string_view name;
  bool any_module;  // or only modules with as many operands as the rows of their operators say
  absl::StatusOr<Module> (*take)(const Module&);
};

std::span<const RoundTrip> AllRoundTrips();

}  // namespace tally
