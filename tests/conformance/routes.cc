#include "tests/conformance/routes.h"

#include <array>

#include "serializer/decode.h"
#include "serializer/encode.h"

namespace tally {
namespace {

absl::StatusOr<Module> AsBuilt(const Module& module) { return module; }

absl::StatusOr<Module> ThroughBytes(const Module& module) { return Decode(Encode(module)); }

constexpr std::array kRoutes = {
    Route{"as built", true, AsBuilt},
    Route{"encoded and decoded", false, ThroughBytes},
};

}  // namespace

std::span<const Route> AllRoutes() { return kRoutes; }

}  // namespace tally
