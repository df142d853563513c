#include "quant/lower/assign_types.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "quant/graph/integer_intervals.h"
#include "quant/labels.h"
#include "quant/lower/pinned_grids.h"
#include "quant/lower/seen_ranges.h"
#include "quant/lower/wide_values.h"

namespace tally::quant {
namespace {

// How far the grids of values reach below what the values hold, for the readers that ask for it.
std::vector<double> RoomBelow(const Graph& graph) {
  std::vector<double> room(graph.values.size(), 0);
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    if (node->operands.empty()) continue;
    double& of_operand = room[node->operands[0]];
    if (TraitsOf(node->op).grid == Grid::kOfOperand) of_operand = std::max(of_operand, room[node->result]);
    std::visit(
        [&](const auto& op) {
          if constexpr (requires { op.RoomBelow(); }) of_operand = std::max(of_operand, op.RoomBelow());
        },
        node->op);
  }
  return room;
}

// How far a grid of 16 bits reaches beyond what calibration saw, and beyond what a sample of many may have:
// bits of 16 are little, and what is clipped is lost. Scores that a softmax or an argmax reads become ties
// where they are.
constexpr double kRoom = 2, kRoomOfScores = 4;
// How far the grid of a logit reaches at either side: a sigmoid differs by less than half a step of 16 bits
// from 0 or 1 beyond. What no sample had, a score that says yes, is not clipped then.
constexpr double kLogits = 12;
// The share of a bounded function's results that samples have to fill, so that a grid of 8 bits takes all of
// them: what is beyond costs less than half a bit then.
constexpr double kMostlySeen = 0.75;
// Up to how many times the smaller magnitude the larger of a range may be for a grid with the zero point 0,
// if it is to be taken off otherwise: the codes that nothing needs cost less than an instruction.
constexpr double kNearlySymmetric = 1.25;
// How many times as many codes as seen a result of the network may take: it costs a few bytes. One with
// bounds takes as many within them, as a score that no sample had may come.
constexpr int kMoreBitsOfResults = 4;
constexpr int64_t kRoomOfResults = int64_t{1} << kMoreBitsOfResults;

// How a value is used, as far as its grid depends on it.
struct Use {
  bool is_wide = false;      // 16 bits
  bool was_asked = false;    // by a search
  bool is_score = false;     // ScoreValues
  bool is_logit = false;     // LogitValues
  bool is_factor = false;    // WideFactors
  bool is_long = false;      // LongValues
  bool is_result = false;    // and nothing else
  bool is_centered = false;  // CenteredValues
  double room_below = 0;     // RoomBelow
  Bounds bounds = {};        // ResultBounds of the node that makes it
};

// The grid of `bits` bits of what is in [min, max], with the zero point 0 where it is to be `centered`.
QuantizedType ChooseGrid(double min, double max, int bits, bool centered) {
  const auto [smaller, larger] = std::minmax({-min, max});
  return centered && larger <= kNearlySymmetric * smaller ? ChooseSymmetric(larger, bits)
                                                          : ChooseAffine(min, max, bits);
}

// Whether the operator has bounds, and the range was measured and not set by hand.
bool TakesBounds(const Range& range, const Use& use) {
  return range.reach.has_value() && std::isfinite(use.bounds.low) && std::isfinite(use.bounds.high);
}

// Where a grid ends.
struct Ends {
  double min, max;
};
Ends EndsOf(const Range& range, const Use& use) {
  const auto [low, high] = use.bounds;
  const bool is_bounded = TakesBounds(range, use);
  const double seen = static_cast<double>(range.max) - range.min;
  // A value that merely reaches a result by a factor has its half step to keep.
  const bool has_room = use.is_wide && (use.was_asked || use.is_score);
  const bool is_filled = !use.is_wide && seen >= kMostlySeen * (high - low);
  if (is_bounded && (has_room || is_filled)) return {low, high};
  if (use.is_logit && range.reach.has_value())
    return {std::min<double>(range.min, -kLogits), std::max<double>(range.max, kLogits)};
  if (!has_room) return {range.min, range.max};
  const Reach reach = range.reach.value_or(Reach{range.min, range.max});
  const double room = use.is_score ? kRoomOfScores : kRoom;
  return {std::min(room * range.min, kRoom * reach.min), std::max(room * range.max, kRoom * reach.max)};
}

// The grid of a calibrated range; its interval is that of the range where there is room below it.
QuantizedType GridOf(const Range& range, const Use& use) {
  const Ends ends = EndsOf(range, use);
  if (use.is_long && use.was_asked) return ChooseLong(ends.min, ends.max);
  const int bits = use.is_factor ? kFactorBits : use.is_wide ? kWideBits : kActivationBits;
  if (use.is_result && use.is_wide && TakesBounds(range, use))
    return ChooseAffine(use.bounds.low, use.bounds.high, bits + kMoreBitsOfResults);
  if (use.room_below == 0) {
    QuantizedType type = ChooseGrid(ends.min, ends.max, bits, use.is_centered);
    if (use.is_wide && use.is_result)
      type.interval = {type.interval.lo * kRoomOfResults, type.interval.hi * kRoomOfResults};
    return type;
  }
  QuantizedType type = ChooseAffine(std::min<double>(range.min, 0) - use.room_below, range.max, bits);
  type.interval.lo = type.Quantize(std::min<double>(range.min, 0));
  return type;
}

// The grid of an activation: the bounds that a Relu or Clip puts on the integers of its operand.
QuantizedType Clamped(QuantizedType type, const Bounds& bounds) {
  const auto [low, high] = bounds;
  const QuantizedType whole = type;
  if (std::isfinite(low)) type.interval.lo = whole.Quantize(low);
  if (std::isfinite(high)) type.interval.hi = whole.Quantize(high);
  return type;
}

absl::StatusOr<std::optional<QuantizedType>> OwnGridOf(const Graph& graph, const Calibration& calibration,
                                                       const Node& node) {
  OperandTypes types;
  for (const ValueId id : node.operands) types.push_back(graph.values[id].type);
  const SeenRanges none;
  return std::visit(
      [&](const auto& op) -> absl::StatusOr<std::optional<QuantizedType>> {
        if constexpr (requires { op.OwnGrid(types); }) return op.OwnGrid(types);
        if constexpr (requires { op.OwnGrid(none); }) {
          ASSIGN_OR_RETURN(const SeenRanges seen, SeenRangesOf(calibration, graph, node));
          return op.OwnGrid(seen);
        }
        return std::nullopt;
      },
      node.op);
}

// The grid of a constant whose elements an operator moves: that of an activation.
std::optional<QuantizedType> GridOfConstant(const Graph& graph, ValueId id, bool is_wide) {
  const Tensor* constant = ConstantOf(graph, id);
  const auto* floats = constant == nullptr ? nullptr : std::get_if<FloatTensor>(constant);
  if (floats == nullptr) return std::nullopt;
  if (const auto of_file = GridOfCodes(graph, id)) return of_file;
  const auto [min, max] = std::ranges::minmax(floats->data);
  return ChooseAffine(min, max, is_wide ? kWideBits : kActivationBits);
}

// Integers stand for themselves.
QuantizedType OfIntegers(const Interval& interval) { return {.interval = interval}; }

absl::Status CheckFormat(const Value& input, const QuantizedType& type) {
  if (input.type.element == ElementType::kFloat32) return absl::OkStatus();
  if (type.scale == 1 && type.zero_point == 0 &&
      input.interval.value_or(type.interval).Contains(type.interval))
    return absl::OkStatus();
  return MakeError(label::lower_input,
                   absl::StrCat("input '", input.name, "' holds integers: its grid is 1,0,LO,HI",
                                input.interval.has_value() ? ", within " + input.interval->ToString() : ""));
}

// The range of an integer input: what the graph says, or what samples held and 0, as a mask of samples that
// all fill their tensors holds no 0.
absl::StatusOr<QuantizedType> IntegersOfInput(const Graph& graph, const Calibration& calibration,
                                              ValueId id) {
  if (graph.values[id].interval.has_value()) return OfIntegers(*graph.values[id].interval);
  ASSIGN_OR_RETURN(const Range range, RangeOf(calibration, graph, id));
  const Interval seen = {static_cast<int64_t>(std::floor(range.min)),
                         static_cast<int64_t>(std::ceil(range.max))};
  return OfIntegers(seen.Hull({0, 0}));
}

std::optional<QuantizedType> DerivedGridOf(const Node& node,
                                           const std::vector<std::optional<QuantizedType>>& types) {
  std::vector<QuantizedType> operands;
  for (const ValueId id : node.operands) operands.push_back(types[id].value_or(QuantizedType{}));
  if (!types[node.operands[0]].has_value()) return std::nullopt;
  return std::visit(
      [&](const auto& op) -> std::optional<QuantizedType> {
        if constexpr (requires { op.GridFrom(operands); }) return op.GridFrom(operands);
        return std::nullopt;
      },
      node.op);
}

absl::Status AssignInputs(const Graph& graph, const Calibration& calibration,
                          const std::vector<InputFormat>& inputs,
                          const std::vector<std::optional<QuantizedType>>& pinned,
                          const std::vector<bool>& wide, const std::vector<bool>& factors,
                          std::vector<std::optional<QuantizedType>>& types) {
  for (const InputFormat& format : inputs) {
    const auto it = std::find_if(graph.inputs.begin(), graph.inputs.end(),
                                 [&](ValueId id) { return graph.values[id].name == format.name; });
    if (it == graph.inputs.end()) {
      return MakeError(label::lower_input, absl::StrCat("the network has no input '", format.name, "'"));
    }
    const bool sane = std::isfinite(format.type.scale) && format.type.scale > 0 &&
                      format.type.interval.lo <= format.type.interval.hi &&
                      format.type.interval.Magnitude() <= (uint64_t{1} << 31) &&
                      std::abs(format.type.zero_point) <= (int64_t{1} << 30);
    if (!sane || RoundScaleUp(format.type.scale) != format.type.scale) {
      return MakeError(label::lower_input,
                       absl::StrCat("input '", format.name, "' needs a positive scale with at most 24 ",
                                    "significant bits, and bounds and zero point within 32 bits"));
    }
    RETURN_IF_ERROR(CheckFormat(graph.values[*it], format.type));
    types[*it] = format.type;
  }
  for (const ValueId id : graph.inputs) {
    if (types[id].has_value()) continue;
    if ((types[id] = pinned[id]).has_value()) continue;
    if (graph.values[id].type.element == ElementType::kInt64) {
      ASSIGN_OR_RETURN(types[id], IntegersOfInput(graph, calibration, id));
      continue;
    }
    ASSIGN_OR_RETURN(const Range range, RangeOf(calibration, graph, id));
    // Who serves a network knows the grid of an input: it has 16 bits only where a search has asked for
    // them, or for any at all and the input is read wide, as the state of a recurrent layer is.
    const bool asked = wide[id] && !calibration.widths.empty();
    types[id] = GridOf(range, {.is_wide = asked, .was_asked = asked, .is_factor = factors[id]});
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<std::optional<QuantizedType>>> AssignTypes(
    const Graph& graph, const std::vector<Fusion>& fusions, const Calibration& calibration,
    const std::vector<InputFormat>& inputs) {
  std::vector<std::optional<QuantizedType>> types(graph.values.size());
  const std::vector<std::optional<QuantizedType>> pinned = PinnedGrids(graph);
  const std::vector<bool> wide = WideValues(graph, calibration), factors = WideFactors(graph, calibration);
  RETURN_IF_ERROR(AssignInputs(graph, calibration, inputs, pinned, wide, factors, types));
  Intervals intervals(graph.values.size());
  for (const ValueId id : graph.inputs) {
    if (graph.values[id].type.element == ElementType::kInt64) intervals[id] = types[id]->interval;
  }
  intervals = IntegerIntervals(graph, std::move(intervals));
  const std::vector<double> room = RoomBelow(graph);
  const std::vector<bool> results = ResultValues(graph), longs = LongValues(graph),
                          centered = CenteredValues(graph), scores = ScoreValues(graph),
                          logits = LogitValues(graph);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    if (fusions[n].absorbed || std::holds_alternative<Constant>(node.op)) continue;
    const ValueId output = fusions[n].output;
    std::optional<QuantizedType>& type = types[output];
    if (graph.values[output].type.element == ElementType::kInt64) {
      if (!intervals[output].has_value()) {
        return MakeError(label::lower_unsupported,
                         absl::StrCat(node.source, ": its integers have no bounds"));
      }
      type = OfIntegers(*intervals[output]);
      continue;
    }
    switch (TraitsOf(node.op).grid) {
      case Grid::kOwn: {
        ASSIGN_OR_RETURN(type, OwnGridOf(graph, calibration, node));
        break;
      }
      case Grid::kDerived: type = DerivedGridOf(node, types); break;
      case Grid::kOfOperand: {
        std::optional<QuantizedType>& operand = types[node.operands[0]];
        if (!operand.has_value()) operand = GridOfConstant(graph, node.operands[0], wide[node.operands[0]]);
        type = Clamped(*operand, BoundsOf(node.op));
        if (TraitsOf(node.op).adds_zero)
          type->interval = type->interval.Hull({type->zero_point, type->zero_point});
        break;
      }
      case Grid::kCalibrated:
        if (pinned[output].has_value()) {
          type = Clamped(*pinned[output], fusions[n].bounds);
          break;
        }
        ASSIGN_OR_RETURN(const Range range, RangeOf(calibration, graph, output));
        const Use use = {.is_wide = wide[output],
                         .was_asked = calibration.widths.values.contains(graph.values[output].name),
                         .is_score = scores[output],
                         .is_logit = logits[output],
                         .is_factor = factors[output],
                         .is_long = longs[output],
                         .is_result = results[output],
                         .is_centered = centered[output],
                         .room_below = room[output],
                         .bounds = ResultBoundsOf(node.op)};
        type = Clamped(GridOf(range, use), fusions[n].bounds);
        break;
    }
    if (!type.has_value()) {
      return MakeError(label::lower_unsupported, absl::StrCat(node.source, ": an operand is a constant"));
    }
  }
  return types;
}

}  // namespace tally::quant
