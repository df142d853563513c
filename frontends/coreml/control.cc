// Copies, branches and loops, which change what names mean after them.
#include "frontends/graph/compositions/control.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/coreml/networks.h"
#include "frontends/coreml/operators.h"

namespace tally::coreml {
namespace {

using Kind = quant::IntegerArithmetic::Kind;

// Two values of one type, of which a condition chooses.
absl::StatusOr<Blob> ChosenBlob(CoremlLayer& layer, const Operand& condition, Blob a, Blob b) {
  if (a.operand.is_integer() != b.operand.is_integer()) {
    ASSIGN_OR_RETURN(a.operand, AsReal(layer, a.operand));
    ASSIGN_OR_RETURN(b.operand, AsReal(layer, b.operand));
  }
  if (a.operand.value == b.operand.value && a.operand.constant == b.operand.constant) return a;
  ASSIGN_OR_RETURN(a.operand, Either(layer, condition, a.operand, b.operand));
  return a;
}

// Whether an input is not 0, as one flag; Core ML compares with a millionth, which is 0 to a flag.
absl::StatusOr<Operand> Flag(CoremlLayer& layer, const Operand& x) {
  if (quant::NumElements(x.shape()) != 1)
    return BadShape("the condition is " + quant::ToString(x.shape()) + ", not one number");
  ASSIGN_OR_RETURN(const Operand flag, FlagsOf(layer, x));
  return layer.Emit(quant::Reshape{{1}}, {flag}, "one_flag");
}

absl::StatusOr<Operand> Both(Emitter& emitter, const Operand& a, const Operand& b) {
  return emitter.Emit(quant::IntegerArithmetic{Kind::kMin}, {a, b}, "both");
}

// A break or a continue where branches around it are computed: the trip ends there if they lead to it.
absl::Status AddEarlyEnd(CoremlLayer& layer, Flow flow) {
  Networks& networks = layer.networks();
  OpenLoop& loop = networks.loops().back();
  EarlyEnd end = {.condition = loop.conditions[0], .flow = flow};
  for (size_t i = 1; i < loop.conditions.size(); ++i) {
    ASSIGN_OR_RETURN(end.condition, Both(layer, end.condition, loop.conditions[i]));
  }
  for (const std::string& name : loop.states) {
    const std::optional<Blob> state = networks.Find(name).blob;
    if (!state.has_value()) return absl::OkStatus();  // a report says why
    end.states.push_back(*state);
  }
  loop.ends.push_back(std::move(end));
  return absl::OkStatus();
}

// The blobs that a branch gives, which are then as they were before it.
absl::StatusOr<std::map<std::string, Meaning>> Branch(CoremlLayer& layer, const std::set<std::string>& names,
                                                      const schema::NeuralNetwork& network,
                                                      const Operand& condition) {
  Networks& networks = layer.networks();
  std::map<std::string, Meaning> before, given;
  for (const std::string& name : names) before.emplace(name, networks.Find(name));
  const bool is_in_loop = !networks.loops().empty();
  if (is_in_loop) networks.loops().back().conditions.push_back(condition);
  ASSIGN_OR_RETURN(const Flow flow, networks.Import(network, /*is_again=*/false));
  if (flow != Flow::kEnd) RETURN_IF_ERROR(AddEarlyEnd(layer, flow));
  if (is_in_loop) networks.loops().back().conditions.pop_back();
  for (const std::string& name : names) {
    given.emplace(name, networks.Find(name));
    RETURN_IF_ERROR(networks.Set(name, before.at(name)));
  }
  return given;
}

}  // namespace

absl::Status ImportCopy(CoremlLayer& layer) {
  RETURN_IF_ERROR(layer.CheckInputCount(1, 1));
  return layer.FinishAs(layer.Input(0));
}

// The branch that a constant says; else both, and of each blob that both give, or that there was before, the
// one that the condition says.
absl::Status ImportBranch(CoremlLayer& layer) {
  const schema::Branch& params = layer.file().branch();
  RETURN_IF_ERROR(layer.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand x, layer.Input(0));
  ASSIGN_OR_RETURN(const Operand condition, Flag(layer, x));
  ASSIGN_OR_RETURN(const std::optional<int64_t> known, KnownInteger(condition));
  Networks& networks = layer.networks();
  if (known.has_value()) {
    ASSIGN_OR_RETURN(const Flow flow, networks.Import(*known != 0 ? params.if_branch() : params.else_branch(),
                                                      /*is_again=*/false));
    if (flow != Flow::kEnd) networks.End(flow);
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const Operand otherwise,
                   layer.Emit(quant::Compare{Comparison::kEqual}, {condition, condition}, "always"));
  ASSIGN_OR_RETURN(const Operand opposite,
                   layer.Emit(quant::Compare{Comparison::kNotEqual}, {condition, otherwise}, "opposite"));
  std::set<std::string> names = GivenBy(params.if_branch());
  names.merge(GivenBy(params.else_branch()));
  ASSIGN_OR_RETURN(const auto first, Branch(layer, names, params.if_branch(), condition));
  ASSIGN_OR_RETURN(const auto second, Branch(layer, names, params.else_branch(), opposite));
  for (const std::string& name : names) {
    const Meaning &a = first.at(name), &b = second.at(name);
    if (a.blob.has_value() && b.blob.has_value()) {
      ASSIGN_OR_RETURN(const Blob chosen, ChosenBlob(layer, condition, *a.blob, *b.blob));
      RETURN_IF_ERROR(networks.Set(name, {.blob = chosen}));
    } else {  // if only one branch computes it, nothing may read it
      RETURN_IF_ERROR(networks.Set(name, {.is_reported = a.is_reported || b.is_reported}));
    }
  }
  return absl::OkStatus();
}

namespace {

// The builder of coremltools writes a network without layers where a loop has no condition.
bool HasCondition(const schema::Loop& params) {
  return params.has_condition_network() &&
         (params.condition_network().layers_size() > 0 || !params.condition_var().empty());
}

// One loop: its condition, the trips, and the blobs that each gives anew.
class LoopImport {
 public:
  LoopImport(CoremlLayer& layer, const schema::Loop& params)
      : layer_(layer), networks_(layer.networks()), params_(params), has_condition_(HasCondition(params)) {}

  absl::Status Import(LoopStart start) {
    std::set<std::string> given = GivenBy(params_.body_network());
    given.merge(GivenBy(params_.condition_network()));
    if (has_condition_) {
      ASSIGN_OR_RETURN(const std::optional<Operand> condition, Condition(/*is_again=*/false));
      if (!condition.has_value()) return Reported(given);
      ASSIGN_OR_RETURN(const std::optional<int64_t> known, KnownInteger(*condition));
      start.goes_on = known.value_or(1) != 0;
      if (!known.has_value()) start.condition = *condition;
    }
    std::vector<Operand> states;
    for (const std::string& name : given) {
      const std::optional<Blob> before = networks_.Find(name).blob;
      if (!before.has_value()) continue;
      names_.push_back(name);
      sequences_.push_back(before->sequence);
      states.push_back(before->operand);
    }
    ASSIGN_OR_RETURN(const std::optional<LoopResults> results,
                     Unrolled(layer_, start, std::move(states),
                              [&](int64_t trip, const auto& before) { return Trip(trip, before); }));
    if (!results.has_value()) return Reported(given);
    for (size_t i = 0; i < names_.size(); ++i)
      RETURN_IF_ERROR(networks_.Set(names_[i], {.blob = Blob{results->states[i], sequences_[i]}}));
    // Values that are new in a body exist after a last trip that is one.
    if (results->counts_trips && !results->trips.empty() && !ends_early_) return absl::OkStatus();
    for (const std::string& name : given) {
      if (std::ranges::find(names_, name) == names_.end()) RETURN_IF_ERROR(networks_.Set(name, {}));
    }
    return absl::OkStatus();
  }

 private:
  // A report says why there are no results.
  absl::Status Reported(const std::set<std::string>& given) {
    for (const std::string& name : given) RETURN_IF_ERROR(networks_.Set(name, {.is_reported = true}));
    return absl::OkStatus();
  }

  absl::StatusOr<std::optional<Operand>> Condition(bool is_again) {
    ASSIGN_OR_RETURN(const Flow flow, networks_.Import(params_.condition_network(), is_again));
    if (flow != Flow::kEnd) return Malformed("a loopBreak or loopContinue in the network of a condition");
    const Meaning condition = networks_.Find(params_.condition_var());
    if (condition.is_reported) return std::optional<Operand>();
    if (!condition.blob.has_value()) return Malformed("no layer gives " + Quoted(params_.condition_var()));
    ASSIGN_OR_RETURN(Operand flag, Flag(layer_, condition.blob->operand));
    return std::optional(std::move(flag));
  }

  absl::StatusOr<std::optional<frontend::Trip>> Trip(int64_t number, const std::vector<Operand>& before) {
    for (size_t i = 0; i < names_.size(); ++i)
      RETURN_IF_ERROR(networks_.Set(names_[i], {.blob = Blob{before[i], sequences_[i]}}));
    networks_.loops().push_back({.states = names_});
    const auto flow = networks_.Import(params_.body_network(), number > 0);
    const std::vector<EarlyEnd> ends = std::move(networks_.loops().back().ends);
    networks_.loops().pop_back();
    RETURN_IF_ERROR(flow.status());
    // Where the trip ended early, states are as they were there; the first of several ends counts.
    std::optional<Operand> stops;
    if (*flow == Flow::kBreak) {
      ASSIGN_OR_RETURN(stops, layer_.NewConstant(quant::Int64Tensor{{1}, {1}}, "stops"));
    }
    for (auto end = ends.rbegin(); end != ends.rend(); ++end) {
      ends_early_ = true;
      for (size_t i = 0; i < names_.size(); ++i) {
        const std::optional<Blob> state = networks_.Find(names_[i]).blob;
        if (!state.has_value()) return std::optional<frontend::Trip>();
        ASSIGN_OR_RETURN(const Blob chosen, ChosenBlob(layer_, end->condition, end->states[i], *state));
        RETURN_IF_ERROR(networks_.Set(names_[i], {.blob = chosen}));
      }
      ASSIGN_OR_RETURN(
          const Operand here,
          layer_.NewConstant(quant::Int64Tensor{{1}, {end->flow == Flow::kBreak ? 1 : 0}}, "here"));
      if (!stops.has_value()) {
        ASSIGN_OR_RETURN(stops, layer_.NewConstant(quant::Int64Tensor{{1}, {0}}, "stops"));
      }
      ASSIGN_OR_RETURN(stops, layer_.Emit(quant::Where{}, {end->condition, here, *stops}, "stops"));
    }
    frontend::Trip trip;
    if (has_condition_) {
      ASSIGN_OR_RETURN(trip.goes_on, Condition(/*is_again=*/true));
      if (!trip.goes_on.has_value()) return std::optional<frontend::Trip>();
    }
    if (stops.has_value()) {
      ASSIGN_OR_RETURN(const Operand one, layer_.NewConstant(quant::Int64Tensor{{1}, {1}}, "one"));
      ASSIGN_OR_RETURN(const Operand goes_on,
                       layer_.Emit(quant::IntegerArithmetic{Kind::kSub}, {one, *stops}, "goes_on"));
      if (trip.goes_on.has_value()) {
        ASSIGN_OR_RETURN(trip.goes_on, Both(layer_, *trip.goes_on, goes_on));
      } else {
        trip.goes_on = goes_on;
      }
    }
    for (size_t i = 0; i < names_.size(); ++i) {
      std::optional<Blob> state = networks_.Find(names_[i]).blob;
      if (!state.has_value()) return std::optional<frontend::Trip>();
      if (state->operand.is_integer() != before[i].is_integer()) {
        ASSIGN_OR_RETURN(state->operand, AsReal(layer_, state->operand));
      }
      sequences_[i] = state->sequence;
      trip.states.push_back(state->operand);
    }
    return std::optional(std::move(trip));
  }

  CoremlLayer& layer_;
  Networks& networks_;
  const schema::Loop& params_;
  const bool has_condition_;
  std::vector<std::string> names_;  // blobs from before the loop that it gives anew
  std::vector<int64_t> sequences_;  // theirs
  bool ends_early_ = false;
};

}  // namespace

// As often as an input or the file says, and as long as a condition that a network of its own gives is not 0.
absl::Status ImportLoop(CoremlLayer& layer) {
  const schema::Loop& params = layer.file().loop();
  RETURN_IF_ERROR(layer.CheckInputCount(0, 1));
  LoopStart start;
  if (layer.num_inputs() == 1) {
    ASSIGN_OR_RETURN(start.trips, layer.Number(0));
  } else if (params.max_loop_iterations() > 0 || !HasCondition(params)) {
    constexpr uint64_t kMost = std::numeric_limits<int32_t>::max();
    start.trips = static_cast<int64_t>(std::min(params.max_loop_iterations(), kMost));
  }
  if (!params.has_body_network()) return Malformed("it has no body");
  return LoopImport(layer, params).Import(std::move(start));
}

namespace {

absl::Status EndTrip(CoremlLayer& layer, Flow flow) {
  if (layer.networks().loops().empty()) return Malformed("it is in no loop");
  layer.networks().End(flow);
  return absl::OkStatus();
}

}  // namespace

absl::Status ImportLoopBreak(CoremlLayer& layer) { return EndTrip(layer, Flow::kBreak); }
absl::Status ImportLoopContinue(CoremlLayer& layer) { return EndTrip(layer, Flow::kContinue); }

absl::Status RefuseCustom(CoremlLayer& layer) {
  return MakeError(
      label::model_unsupported_operator,
      "class " + Quoted(layer.file().custom().class_name()) +
          " is code of an application, which the file does not have: replace the layer by layers of the "
          "format");
}

}  // namespace tally::coreml
