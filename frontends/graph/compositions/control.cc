#include "frontends/graph/compositions/control.h"

#include <string>
#include <utility>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "frontends/graph/labels.h"

namespace tally::frontend {

absl::StatusOr<Operand> Either(Emitter& emitter, const Operand& condition, const Operand& a,
                               const Operand& b) {
  if (!condition.is_integer() || quant::NumElements(condition.shape()) != 1) {
    return MakeError(label::model_malformed, "its condition is not one flag");
  }
  if (a.type != b.type) {
    return MakeError(label::model_unsupported_operand,
                     "its condition is computed at run time, and a result is " + ToString(a.type) + " or " +
                         ToString(b.type) +
                         ": where the condition depends on shapes, fix these (--shape, --batch), and where "
                         "on an input, fix that (--fix NAME=VALUE)");
  }
  ASSIGN_OR_RETURN(const Operand flag, emitter.Emit(quant::Reshape{{}}, {condition}, "condition"));
  return emitter.Emit(quant::Where{}, {flag, a, b}, "chosen");
}

absl::StatusOr<std::optional<int64_t>> KnownInteger(const Operand& operand) {
  const auto* integers =
      operand.is_constant() ? std::get_if<quant::Int64Tensor>(operand.constant.get()) : nullptr;
  if (integers == nullptr) return std::nullopt;
  if (integers->data.size() == 1) return integers->data[0];
  return MakeError(label::model_malformed, "'" + PrintableStart(operand.name) + "' is not one number");
}

absl::StatusOr<std::optional<LoopResults>> Unrolled(Emitter& emitter, const LoopStart& start,
                                                    std::vector<Operand> states, const TripImporter& import) {
  LoopResults loop = {.states = std::move(states)};
  bool goes_on = start.goes_on;
  std::optional<Operand> counts = start.condition;  // whether a trip does, where that is computed
  for (int64_t number = 0; goes_on && (!start.trips.has_value() || number < *start.trips); ++number) {
    if (number == kMostTrips) {
      return MakeError(label::model_too_large,
                       "it has more than " + std::to_string(kMostTrips) + " trips, which are unrolled");
    }
    ASSIGN_OR_RETURN(std::optional<Trip> trip, import(number, loop.states));
    if (!trip.has_value()) return std::nullopt;
    for (size_t i = 0; i < loop.states.size(); ++i) {
      Operand& next = trip->states[i];
      if (counts.has_value()) {
        ASSIGN_OR_RETURN(next, Either(emitter, *counts, next, loop.states[i]));
      }
      loop.states[i] = std::move(next);
    }
    loop.trips.push_back(std::move(trip->results));
    if (!trip->goes_on.has_value()) continue;
    ASSIGN_OR_RETURN(const std::optional<int64_t> condition, KnownInteger(*trip->goes_on));
    if (condition.has_value()) {
      goes_on = *condition != 0;
      continue;
    }
    if (!start.trips.has_value()) {
      return MakeError(
          label::model_unsupported_operand,
          "whether it goes on is computed at run time, and nothing says how many trips it has at "
          "most");
    }
    if (counts.has_value()) {
      using Kind = quant::IntegerArithmetic::Kind;
      ASSIGN_OR_RETURN(
          counts, emitter.Emit(quant::IntegerArithmetic{Kind::kMin}, {*counts, *trip->goes_on}, "goes_on"));
    } else {
      counts = std::move(trip->goes_on);
    }
  }
  loop.counts_trips = !counts.has_value();
  return loop;
}

absl::StatusOr<Operand> Stacked(Emitter& emitter, const std::vector<Operand>& parts) {
  if (parts.empty()) return MakeError(label::model_shape, "it has no trips: an empty result");
  std::vector<Operand> slices;
  for (const Operand& part : parts) {
    quant::Shape shape = part.shape();
    shape.insert(shape.begin(), 1);
    ASSIGN_OR_RETURN(Operand slice, emitter.Emit(quant::Reshape{shape}, {part}, "slice"));
    slices.push_back(std::move(slice));
  }
  return emitter.Emit(quant::Concat{0}, slices, "stacked");
}

}  // namespace tally::frontend
