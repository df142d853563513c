#include "frontends/onnx/exact/graph.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/onnx/exact/count.h"
#include "frontends/onnx/exact/fixed_point.h"
#include "frontends/onnx/exact/fold.h"
#include "frontends/onnx/exact/operators.h"
#include "frontends/onnx/exact/sources.h"
#include "frontends/onnx/model/labels.h"
#include "ops/labels.h"

namespace tally::onnx {
namespace {

using ::onnx::GraphProto;
using ::onnx::NodeProto;
using ::onnx::TensorProto;

// The limits of the cost of one import (ExactHost::Spend): as many nodes as a module has instructions, bodies
// of loops counted once for each iteration.
constexpr int64_t kUnitsOfImport = int64_t{1} << 29;
constexpr int64_t kUnitsOfNode = int64_t{1} << 13;
constexpr int64_t kUnitsOfStep = kUnitsOfNode / 4;  // an instruction written: a node may become many
constexpr int64_t kUnitsOfName = kUnitsOfNode / 8;  // an input or output of a node or graph

// Products double fraction bits; a double has 1074.
constexpr int kMaxFractionBits = 4096;

constexpr size_t kMaxGraphDepth = 16;  // graphs in attributes of graphs; the importer recurses

// The advice for values that can become too large.
const char* AdviceFor(const absl::Status& status) {
  const bool helps = HasLabel(status, label::value_range) || HasLabel(status, label::accumulator_range) ||
                     HasLabel(status, label::model_may_wrap);
  if (!helps || status.message().find("--range") != std::string_view::npos) return "";
  return "; a narrower range of the inputs that it comes from helps (--range NAME=LO,HI)";
}

class ExactImporter final : public ExactHost {
 public:
  // Where there are `bounds`, inputs can be narrowed.
  ExactImporter(int64_t opset, Composition& c, int64_t& units, InputBounds* bounds)
      : opset_(opset), c_(c), units_(units), bounds_(bounds) {}

  Composition& c() override { return c_; }
  int64_t opset() const override { return opset_; }

  absl::StatusOr<ExactResults> ImportBody(const GraphProto& graph, ExactResults inputs) override {
    if (scopes_.size() == kMaxGraphDepth)
      return MakeError(label::model_too_large, "graphs in graphs in graphs");
    scopes_.emplace_back();
    auto results = ImportGraph(graph, std::move(inputs));
    scopes_.pop_back();
    return results;
  }

  absl::StatusOr<MaybeExactValue> Constant(const TensorProto& tensor) override {
    if (IsEmpty(tensor)) return MaybeExactValue();
    if (const auto it = constants_.find(&tensor); it != constants_.end()) return it->second;
    ASSIGN_OR_RETURN(const FixedPoint constant, DecodeSaturated(tensor));
    RETURN_IF_ERROR(Spend(constant.tensor.shape().num_elements()));
    const ExactValue value = {.value = c_.Constant(constant.tensor),
                              .fraction_bits = constant.fraction_bits,
                              .data_type = constant.data_type,
                              .is_saturated = constant.is_saturated};
    constants_[&tensor] = value;
    return value;
  }

  absl::Status RequireWithin(Value value, const Interval& meant) override {
    const Interval interval = c_.interval(value), wanted = {std::max<int64_t>(meant.lo, 0), meant.hi};
    if (meant.Contains(interval)) return absl::OkStatus();
    if (bounds_ != nullptr && NarrowSources(value, wanted)) return absl::OkStatus();
    return MakeError(
        label::model_needs_range,
        absl::StrCat("its indices in ", interval.ToString(), " have a meaning in ", meant.ToString(),
                     " alone: give the inputs that they come from a range (--range NAME=", wanted.lo, ",",
                     wanted.hi, ")"));
  }

  absl::Status Spend(int64_t units) override {
    const size_t steps = c_.steps().size();
    units += static_cast<int64_t>(steps - num_charged_steps_) * kUnitsOfStep;
    num_charged_steps_ = steps;
    if (units > units_) return MakeError(label::model_too_large, "the graph takes too long to import");
    units_ -= units;
    return absl::OkStatus();
  }

  // The results of a node, each cut to its count where that is known.
  absl::StatusOr<ExactResults> ImportNode(const NodeProto& node, const ExactResults& inputs) {
    RETURN_IF_ERROR(Spend(kUnitsOfNode + kUnitsOfName * (int64_t{node.input_size()} + node.output_size())));
    if (IsFoldable(node, inputs)) {
      ASSIGN_OR_RETURN(auto folded, Fold(node, inputs));
      if (folded) return *std::move(folded);
    }
    return Apply(node, inputs);
  }

 private:
  using Scope = std::map<std::string, MaybeExactValue>;

  absl::StatusOr<ExactResults> Apply(const NodeProto& node, const ExactResults& inputs) {
    ASSIGN_OR_RETURN(const ExactOperator import, FindExactOperator(node.domain(), node.op_type(), opset_));
    ASSIGN_OR_RETURN(Attributes attributes, Attributes::Of(node));
    ExactNode context(*this, std::move(attributes), inputs, static_cast<size_t>(node.output_size()));
    ASSIGN_OR_RETURN(const ExactResults results, import(context));
    RETURN_IF_ERROR(context.attributes().CheckAllRead());
    ExactResults cut;
    for (const MaybeExactValue& result : results) {
      if (!result) {
        cut.emplace_back();
        continue;
      }
      RETURN_IF_ERROR(CheckRange(*result, cut.size()));
      ASSIGN_OR_RETURN(cut.emplace_back(), CutToKnownCount(c_, *result));
    }
    return cut;
  }

  absl::StatusOr<ExactResults> ImportGraph(const GraphProto& graph, ExactResults inputs) {
    RETURN_IF_ERROR(Spend(kUnitsOfNode + kUnitsOfName * (int64_t{graph.input_size()} + graph.output_size() +
                                                         graph.initializer_size())));
    Scope& scope = scopes_.back();
    for (const TensorProto& tensor : graph.initializer()) {
      ASSIGN_OR_RETURN(scope[tensor.name()], Constant(tensor));
    }
    size_t next = 0;
    for (const auto& input : graph.input()) {
      if (scope.contains(input.name())) continue;
      if (next == inputs.size())
        return MakeError(label::model_malformed, "the graph has more inputs than were given");
      scope[input.name()] = inputs[next++];
    }
    for (const NodeProto& node : graph.node()) {
      if (const absl::Status status = RunNode(node); !status.ok()) {
        return WithMessage(status,
                           absl::StrCat(PrintableStart(node.op_type()), " '", PrintableStart(node.name()),
                                        "': ", status.message(), AdviceFor(status)));
      }
    }
    ExactResults results;
    for (const auto& output : graph.output()) {
      ASSIGN_OR_RETURN(results.emplace_back(), Lookup(output.name()));
      if (results.back() && results.back()->is_saturated) {
        return MakeError(label::model_inexact, absl::StrCat("an element of '", PrintableStart(output.name()),
                                                            "' is outside 48 bits"));
      }
    }
    return results;
  }

  absl::Status RunNode(const NodeProto& node) {
    ExactResults inputs;
    for (const std::string& name : node.input()) {
      MaybeExactValue input;
      if (!name.empty()) {
        ASSIGN_OR_RETURN(input, Lookup(name));
      }
      inputs.push_back(input);
    }
    ASSIGN_OR_RETURN(const ExactResults results, ImportNode(node, inputs));
    for (size_t i = 0; i < static_cast<size_t>(node.output_size()); ++i) {
      if (node.output(static_cast<int>(i)).empty()) continue;
      if (i >= results.size()) return MakeError(label::model_unsupported_output, absl::StrCat("output ", i));
      scopes_.back()[node.output(static_cast<int>(i))] = results[i];
    }
    return absl::OkStatus();
  }

  absl::StatusOr<MaybeExactValue> Lookup(const std::string& name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      if (const auto it = scope->find(name); it != scope->end()) return it->second;
    }
    return MakeError(label::model_malformed, absl::StrCat("no value '", PrintableStart(name), "'"));
  }

  // Integers are what they are: a scale would be lost, since no reader of their type looks for one.
  absl::Status CheckRange(const ExactValue& result, size_t output) const {
    if (result.fraction_bits != 0 && !IsFloat(result.data_type)) {
      return MakeError(label::model_inexact,
                       absl::StrCat("output ", output, " is of integers and would hold fractions"));
    }
    if (result.fraction_bits > kMaxFractionBits) {
      return MakeError(label::model_inexact, absl::StrCat("output ", output, " has too many fraction bits"));
    }
    const Interval range = IntervalOfType(result.data_type), values = c_.interval(result.value);
    if (range.Contains(values)) return absl::OkStatus();
    return MakeError(label::model_may_wrap, absl::StrCat("output ", output, " in ", values.ToString(),
                                                         " can leave ", range.ToString()));
  }

  // Narrows the inputs that `value` only moves elements of; false where anything computes it.
  bool NarrowSources(Value value, Interval wanted) {
    std::set<int> seen;
    std::vector<Value> open = {value};
    while (!open.empty()) {
      const Value v = open.back();
      open.pop_back();
      if (!seen.insert(v.id).second || wanted.Contains(c_.interval(v))) continue;
      if (const auto input = std::ranges::find(c_.inputs(), v); input != c_.inputs().end()) {
        std::optional<Interval>& bound = (*bounds_)[static_cast<size_t>(input - c_.inputs().begin())];
        if (!bound.has_value()) return false;
        *bound = {std::max(bound->lo, wanted.lo), std::min(bound->hi, wanted.hi)};
        if (bound->lo > bound->hi) return false;
        continue;
      }
      const Composition::Step* step = StepOf(c_, v);
      if (step == nullptr || !MovesElements(*step)) return false;
      const bool chooses = step->op == Opcode::kGather || step->op == Opcode::kSliceLike;
      open.insert(open.end(), step->operands.begin(),
                  chooses ? step->operands.begin() + 1 : step->operands.end());
    }
    return true;
  }

  // A node of small constants alone, without a graph that might see other values.
  bool IsFoldable(const NodeProto& node, const ExactResults& inputs) const {
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_g() || attribute.graphs_size() > 0) return false;
    }
    bool any = false;
    for (const MaybeExactValue& input : inputs) {
      if (!input) continue;
      if (input->count || !IsSmallConstant(c_, input->value)) return false;
      any = true;
    }
    return any;
  }

  // The results as constants; nothing when they or their computation are not small. Errors: those of the
  // node.
  absl::StatusOr<std::optional<ExactResults>> Fold(const NodeProto& node, const ExactResults& inputs) {
    Composition scratch(c_.profile());
    ExactImporter inner(opset_, scratch, units_, nullptr);
    ExactResults copies = inputs;
    for (MaybeExactValue& copy : copies) {
      if (!copy) continue;
      const TensorView& constant = *c_.constant(copy->value);
      copy->value = scratch.Constant(Tensor::Copy(constant, constant.storage));
    }
    ASSIGN_OR_RETURN(ExactResults results, inner.Apply(node, copies));
    std::vector<Value> values;
    for (const MaybeExactValue& result : results) {
      if (!result) continue;
      values.push_back(result->value);
      if (result->count) values.push_back(result->count->number);
    }
    const auto tensors = Evaluate(scratch, values);
    if (!tensors) return std::optional<ExactResults>();
    auto tensor = tensors->begin();
    for (MaybeExactValue& result : results) {
      if (!result) continue;
      result->value = c_.Constant(*tensor++);
      if (!result->count) continue;
      result->count->number = c_.Constant(*tensor++);
      ASSIGN_OR_RETURN(result, CutToKnownCount(c_, *result));
    }
    return std::optional(std::move(results));
  }

  int64_t opset_;
  Composition& c_;
  int64_t& units_;  // the rest of kUnitsOfImport
  InputBounds* const bounds_;
  size_t num_charged_steps_ = 0;
  std::vector<Scope> scopes_;  // for the graphs around the node, the innermost last
  std::map<const TensorProto*, ExactValue> constants_;
};

}  // namespace

Interval IntervalOfType(int data_type) {
  const Interval core = TensorLimit(Profile::kCore);
  switch (data_type) {
    case TensorProto::BOOL: return {0, 1};
    case TensorProto::INT8: return {-128, 127};
    case TensorProto::UINT8: return {0, 255};
    case TensorProto::INT16: return {-32768, 32767};
    case TensorProto::UINT16: return {0, 65535};
    case TensorProto::INT32: return {-(int64_t{1} << 31), (int64_t{1} << 31) - 1};
    case TensorProto::UINT32: return {0, (int64_t{1} << 32) - 1};
    case TensorProto::UINT64: return {0, core.hi};
    default: return core;
  }
}

absl::StatusOr<ExactValues> ImportExactly(const GraphProto& graph, int64_t opset, const ExactResults& inputs,
                                          Composition& c, InputBounds* bounds) {
  int64_t units = kUnitsOfImport;
  ASSIGN_OR_RETURN(const auto results, ExactImporter(opset, c, units, bounds).ImportBody(graph, inputs));
  ExactValues values;
  for (const MaybeExactValue& result : results) {
    if (!result) return MakeError(label::model_shape, "an empty result");
    values.push_back(*result);
  }
  return values;
}

}  // namespace tally::onnx
