// Layers with bodies: TensorIterator and Loop, whose trips are unrolled, and If.
#include "frontends/graph/compositions/control.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/graph/axis.h"
#include "frontends/graph/compositions/layout.h"
#include "frontends/openvino/operators.h"

namespace tally::openvino {
namespace {

// An input of which each trip reads a part.
struct SlicedInput {
  int64_t layer = 0;  // the Parameter
  Operand x;
  size_t axis = 0;
  int64_t first = 0, stride = 1, size = 1;  // where the part of the first trip begins
  int64_t trips = 0;
};

// `end` is in the last part, and negative places count from the back.
absl::StatusOr<SlicedInput> Sliced(const IrPortMap& entry, Operand x) {
  SlicedInput sliced = {.layer = entry.layer, .stride = entry.stride, .size = entry.part_size};
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(*entry.axis, x.shape().size()));
  sliced.axis = static_cast<size_t>(axis);
  const int64_t size = x.shape()[sliced.axis];
  if (entry.part_size < 1 || entry.part_size > size ||
      (entry.stride != entry.part_size && entry.stride != -entry.part_size))
    return Unsupported(absl::StrCat("parts of ", entry.part_size, " with stride ", entry.stride));
  const int64_t start = entry.start < 0 ? entry.start + size : entry.start;
  const int64_t end = entry.end < 0 ? entry.end + size : entry.end;
  if (start < 0 || end < 0 || start >= size || end >= size || (end - start) * entry.stride < 0)
    return MakeError(label::model_shape, absl::StrCat("parts from ", start, " to ", end, " of ", size));
  const int64_t span = std::abs(end - start) + 1;
  if (span % entry.part_size != 0) return MakeError(label::model_shape, "the last part is not whole");
  sliced.trips = span / entry.part_size;
  sliced.first = entry.stride > 0 ? start : start - entry.part_size + 1;
  sliced.x = std::move(x);
  return sliced;
}

// The number of a trip, in the shape of the Parameter that takes it.
absl::StatusOr<Operand> TripNumber(IrNode& node, const IrBody& body, int64_t parameter, int64_t number) {
  const auto layer = std::ranges::find(body.layers, parameter, &IrLayer::id);
  if (layer == body.layers.end() || layer->outputs.size() != 1)
    return Malformed("no Parameter takes the trips");
  const quant::Shape& shape = layer->outputs[0].dims;
  if (std::ranges::any_of(shape, [](int64_t size) { return size != 1; }))
    return Malformed("what takes the number of a trip is not one number");
  return node.NewConstant(quant::Int64Tensor{shape, {number}}, "trip");
}

// A layer with a body once for each trip. The back edges are its states.
class BodyLoop {
 public:
  BodyLoop(IrNode& node, const IrBody& body) : node_(node), body_(body) {}

  absl::Status Import(LoopStart start) {
    RETURN_IF_ERROR(ReadInputs());
    for (const SlicedInput& input : sliced_) {
      if (start.trips.value_or(input.trips) != input.trips)
        return MakeError(label::model_shape, "its inputs have parts for other numbers of trips");
      start.trips = input.trips;
    }
    if (!start.trips.has_value() && !HasCondition()) {
      return MakeError(label::model_unsupported_operand, "nothing says how many trips it has");
    }
    ASSIGN_OR_RETURN(const std::optional<LoopResults> results,
                     Unrolled(node_, start, std::move(states_),
                              [&](int64_t trip, const auto& before) { return ImportTrip(trip, before); }));
    if (!results.has_value()) return absl::OkStatus();
    for (size_t i = 0; i < body_.outputs.size(); ++i) {
      const IrPortMap& output = body_.outputs[i];
      if (!output.port.has_value()) continue;
      RETURN_IF_ERROR(node_.FinishOutputAs(*output.port, ResultOf(*results, i)));
    }
    return absl::OkStatus();
  }

 private:
  bool HasCondition() const {
    return std::ranges::any_of(body_.outputs,
                               [](const auto& o) { return o.purpose == "execution_condition"; });
  }

  absl::Status ReadInputs() {
    BodyOperands whole;
    std::set<int64_t> given;
    for (const IrPortMap& input : body_.inputs) {
      if (!given.insert(input.layer).second) return Malformed("a Parameter of its body gets two inputs");
      if (input.purpose == "current_iteration") {
        counters_.push_back(input.layer);
        continue;
      }
      if (!input.port.has_value()) return Malformed("a Parameter of its body gets no input");
      ASSIGN_OR_RETURN(Operand x, node_.Input(*input.port));
      if (!input.axis.has_value()) {
        whole.emplace(input.layer, std::move(x));
        continue;
      }
      ASSIGN_OR_RETURN(SlicedInput sliced, Sliced(input, std::move(x)));
      sliced_.push_back(std::move(sliced));
    }
    for (const auto& [from, to] : body_.back_edges) {
      const auto start = whole.find(to);
      if (start == whole.end())
        return Malformed(absl::StrCat("a back edge reaches layer ", to, ", which nothing begins, or two do"));
      states_.push_back(std::move(start->second));
      whole.erase(start);
    }
    fixed_ = std::move(whole);
    return absl::OkStatus();
  }

  absl::StatusOr<std::optional<Trip>> ImportTrip(int64_t number, const std::vector<Operand>& states) {
    BodyOperands parameters = fixed_;
    for (size_t i = 0; i < states.size(); ++i) parameters.emplace(body_.back_edges[i].second, states[i]);
    for (const int64_t counter : counters_) {
      ASSIGN_OR_RETURN(Operand trip, TripNumber(node_, body_, counter, number));
      parameters.emplace(counter, std::move(trip));
    }
    for (const SlicedInput& input : sliced_) {
      const int64_t begin = input.first + number * input.stride;
      ASSIGN_OR_RETURN(Operand part, Part(node_, input.x, static_cast<int64_t>(input.axis), begin,
                                          begin + input.size, "part"));
      parameters.emplace(input.layer, std::move(part));
    }
    ASSIGN_OR_RETURN(const std::optional<BodyOperands> results,
                     node_.ImportBody(0, parameters, /*is_again=*/number > 0));
    if (!results.has_value()) return std::nullopt;
    const auto result = [&](int64_t layer) -> absl::StatusOr<Operand> {
      const auto found = results->find(layer);
      if (found != results->end()) return found->second;
      return Malformed(absl::StrCat("its body has no Result ", layer));
    };
    Trip trip;
    for (const auto& [from, to] : body_.back_edges) {
      ASSIGN_OR_RETURN(Operand state, result(from));
      trip.states.push_back(std::move(state));
    }
    for (const IrPortMap& output : body_.outputs) {
      ASSIGN_OR_RETURN(Operand operand, result(output.layer));
      if (output.purpose == "execution_condition") trip.goes_on = operand;
      trip.results.push_back(std::move(operand));
    }
    return trip;
  }

  // The results of all trips, joined, or those of the last one.
  absl::StatusOr<Operand> ResultOf(const LoopResults& results, size_t index) {
    const IrPortMap& output = body_.outputs[index];
    const auto state = std::ranges::find(body_.back_edges, output.layer, &std::pair<int64_t, int64_t>::first);
    if (!output.axis.has_value() && state != body_.back_edges.end())
      return results.states[static_cast<size_t>(state - body_.back_edges.begin())];
    if (results.trips.empty()) return MakeError(label::model_shape, "it has no trips, and a result of them");
    if (!results.counts_trips) {
      return MakeError(label::model_unsupported_operand,
                       "how many trips it has is computed at run time: keep their results in a state");
    }
    if (!output.axis.has_value()) return results.trips.back()[index];
    std::vector<Operand> parts;
    for (const auto& trip : results.trips) parts.push_back(trip[index]);
    if (output.stride < 0) std::ranges::reverse(parts);
    ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(*output.axis, parts[0].shape().size()));
    if (parts.size() == 1) return parts[0];
    return node_.Emit(quant::Concat{axis}, parts, "joined");
  }

  IrNode& node_;
  const IrBody& body_;
  std::vector<SlicedInput> sliced_;
  std::vector<int64_t> counters_;  // Parameters that take the number of the trip
  std::vector<Operand> states_;    // in the order of the back edges
  BodyOperands fixed_;             // the same in each trip
};

absl::StatusOr<const IrBody*> BodyOf(const IrNode& node, size_t count) {
  if (node.file().bodies.size() == count) return &node.file().bodies[0];
  return Malformed(count == 1 ? "it has no body" : "it has no then_body and else_body");
}

constexpr const char* kFix =
    ": where it depends on shapes, fix these (--shape, --batch), else let a constant say it";

}  // namespace

absl::Status ImportTensorIterator(IrNode& node) {
  ASSIGN_OR_RETURN(const IrBody* body, BodyOf(node, 1));
  return BodyLoop(node, *body).Import({});
}

// Inputs 0 and 1 are the number of trips, -1 for any, and whether there is a first one.
absl::Status ImportLoop(IrNode& node) {
  ASSIGN_OR_RETURN(const IrBody* body, BodyOf(node, 1));
  ASSIGN_OR_RETURN(const Operand trips, node.Input(0));
  ASSIGN_OR_RETURN(const Operand condition, node.Input(1));
  LoopStart start;
  ASSIGN_OR_RETURN(start.trips, KnownInteger(trips));
  if (!start.trips.has_value())
    return MakeError(label::model_unsupported_operand,
                     std::string("how many trips it has is computed at run time") + kFix);
  if (*start.trips < 0) start.trips.reset();
  ASSIGN_OR_RETURN(const std::optional<int64_t> goes_on, KnownInteger(condition));
  start.goes_on = goes_on.value_or(1) != 0;
  if (!goes_on.has_value()) start.condition = condition;
  return BodyLoop(node, *body).Import(std::move(start));
}

// The branch that a constant says, or both, and of each result the one that a computed condition says.
absl::Status ImportIf(IrNode& node) {
  RETURN_IF_ERROR(BodyOf(node, 2).status());
  ASSIGN_OR_RETURN(const Operand condition, node.Input(0));
  ASSIGN_OR_RETURN(const std::optional<int64_t> known, KnownInteger(condition));
  std::vector<std::map<size_t, Operand>> results(2);  // by port
  for (size_t branch = 0; branch < 2; ++branch) {
    if (known.has_value() && (*known != 0) != (branch == 0)) continue;
    const IrBody& body = node.file().bodies[branch];
    BodyOperands parameters;
    for (const IrPortMap& input : body.inputs) {
      if (!input.port.has_value()) return Malformed("a Parameter of a branch gets no input");
      ASSIGN_OR_RETURN(Operand x, node.Input(*input.port));
      parameters.emplace(input.layer, std::move(x));
    }
    ASSIGN_OR_RETURN(const std::optional<BodyOperands> given, node.ImportBody(branch, parameters));
    if (!given.has_value()) return absl::OkStatus();
    for (const IrPortMap& output : body.outputs) {
      const auto result = given->find(output.layer);
      if (!output.port.has_value() || result == given->end())
        return Malformed(absl::StrCat("a branch has no Result ", output.layer));
      results[branch].emplace(*output.port, result->second);
    }
  }
  for (size_t i = 0; i < node.num_outputs(); ++i) {
    const auto a = results[0].find(i), b = results[1].find(i);
    const bool has_a = a != results[0].end(), has_b = b != results[1].end();
    if (!has_a && !has_b) return Malformed(absl::StrCat("no branch gives output ", i));
    if (known.has_value()) {
      RETURN_IF_ERROR(node.FinishOutputAs(i, has_a ? a->second : b->second));
      continue;
    }
    if (!has_a || !has_b) return Malformed(absl::StrCat("one branch alone gives output ", i));
    RETURN_IF_ERROR(node.FinishOutputAs(i, Either(node, condition, a->second, b->second)));
  }
  return absl::OkStatus();
}

absl::Status RefuseState(IrNode&) {
  return MakeError(label::model_unsupported_operator,
                   "a module keeps nothing between runs: convert the model with its state as an input and an "
                   "output");
}

}  // namespace tally::openvino
