#include "tests/vectors/round_trips.h"

#include <array>

#include "serializer/decode.h"
#include "serializer/encode.h"
#include "vm/text/assembler.h"
#include "vm/text/printer.h"

namespace tally {
namespace {

absl::StatusOr<Module> AsBuilt(const Module& module) { return module; }

absl::StatusOr<Module> ThroughBytes(const Module& module) { return Decode(Encode(module)); }

absl::StatusOr<Module> ThroughText(const Module& module) { return Assemble(Print(module)); }

constexpr std::array kRoundTrips = {
    RoundTrip{"as built", true, AsBuilt},
    RoundTrip{"encoded and decoded", false, ThroughBytes},
    RoundTrip{"printed and assembled", false, ThroughText},
};

}  // namespace

std::span<const RoundTrip> AllRoundTrips() { return kRoundTrips; }

}  // namespace tally
