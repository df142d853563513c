// Branches and loops, all of whose layers are in the graph: what chooses between their results, what unrolls
// trips, and what joins their results.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/graph/emitter.h"

namespace tally::frontend {

// `a` where `condition`, one flag, is not 0, else `b`. Errors: model_malformed for another condition,
// model_unsupported_operand where the two have different types.
absl::StatusOr<Operand> Either(Emitter& emitter, const Operand& condition, const Operand& a,
                               const Operand& b);

constexpr int64_t kMostTrips = 256;

// The initial values of a loop.
struct LoopStart {
  std::optional<int64_t> trips = {};  // at most
  bool goes_on = true;
  std::optional<Operand> condition = {};  // where it is computed; then there are trips
};

// The results of one trip.
struct Trip {
  std::optional<Operand> goes_on;  // one flag; none, where the trips alone say it
  std::vector<Operand> states;     // the values that the next trip begins with
  std::vector<Operand> results;
};

struct LoopResults {
  std::vector<Operand> states;
  std::vector<std::vector<Operand>> trips;  // the results of each
  bool counts_trips = true;  // false, where how many of the trips are meant is computed at run time
};

// The graph of a trip, of its number and the states before it; nothing where a report says why there is none.
using TripImporter = std::function<absl::StatusOr<std::optional<Trip>>(int64_t, const std::vector<Operand>&)>;

// A trip after the other, until their number or a condition that is a constant ends them. After a condition
// that is computed, states stay as they are. Nothing where a trip is nothing. Errors: model_too_large beyond
// kMostTrips; model_unsupported_operand where nothing says how many there are at most, or where a state that
// a computed condition chooses has another type than before.
absl::StatusOr<std::optional<LoopResults>> Unrolled(Emitter& emitter, const LoopStart& start,
                                                    std::vector<Operand> states, const TripImporter& import);

// The one number that an operand is, where it is a constant of integers. Errors: model_malformed for several.
absl::StatusOr<std::optional<int64_t>> KnownInteger(const Operand& operand);

// One after the other along a new first axis. Errors: model_shape where there are none.
absl::StatusOr<Operand> Stacked(Emitter& emitter, const std::vector<Operand>& parts);

}  // namespace tally::frontend
