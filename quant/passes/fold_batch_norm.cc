#include "quant/passes/fold_batch_norm.h"

#include <cmath>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "quant/graph/graph_builder.h"
#include "quant/labels.h"

namespace tally::quant {
namespace {

// y = factor * x + offset, per channel.
struct Affine {
  std::vector<double> factor;
  std::vector<double> offset;
};

const FloatTensor& ConstantFloats(const Graph& graph, ValueId value) {
  return std::get<FloatTensor>(*ConstantOf(graph, value));
}

absl::StatusOr<Affine> AffineOf(const Graph& graph, const Node& node) {
  const float epsilon = std::get<BatchNorm>(node.op).epsilon;
  const FloatTensor& scale = ConstantFloats(graph, node.operands[1]);
  const FloatTensor& bias = ConstantFloats(graph, node.operands[2]);
  const FloatTensor& mean = ConstantFloats(graph, node.operands[3]);
  const FloatTensor& variance = ConstantFloats(graph, node.operands[4]);
  Affine affine;
  for (size_t c = 0; c < scale.data.size(); ++c) {
    const double spread = double{variance.data[c]} + epsilon;
    if (!(spread > 0)) {
      return MakeError(label::fold_batch_norm_variance, node.source + ": variance + epsilon of channel " +
                                                            std::to_string(c) + " is not positive");
    }
    affine.factor.push_back(scale.data[c] / std::sqrt(spread));
    affine.offset.push_back(bias.data[c] - mean.data[c] * affine.factor[c]);
  }
  return affine;
}

// weight [OC, ...] with output channel c multiplied by factor[c].
FloatTensor ScaledWeight(FloatTensor weight, const Affine& affine) {
  const size_t size = weight.data.size() / affine.factor.size();
  for (size_t i = 0; i < weight.data.size(); ++i) {
    weight.data[i] = static_cast<float>(weight.data[i] * affine.factor[i / size]);
  }
  return weight;
}

FloatTensor ScaledBias(FloatTensor bias, const Affine& affine) {
  for (size_t c = 0; c < bias.data.size(); ++c) {
    bias.data[c] = static_cast<float>(bias.data[c] * affine.factor[c] + affine.offset[c]);
  }
  return bias;
}

class Folder {
 public:
  explicit Folder(const Graph& graph) : graph_(graph), builder_(graph.name), renamed_(graph.values.size()) {
    for (const Value& value : graph.values) names_.insert(value.name);
  }

  absl::StatusOr<Graph> Run() {
    for (const ValueId input : graph_.inputs) {
      ASSIGN_OR_RETURN(renamed_[input], builder_.AddInput(graph_.values[input]));
    }
    const std::vector<const Node*> absorbed = AbsorbedNodes();
    std::vector<bool> is_absorbed(graph_.nodes.size(), false);
    for (const Node* node : absorbed) {
      if (node != nullptr) is_absorbed[graph_.values[node->result].producer] = true;
    }
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      const Node& node = graph_.nodes[i];
      if (is_absorbed[i] || std::holds_alternative<Constant>(node.op)) continue;
      if (!std::holds_alternative<BatchNorm>(node.op)) {
        RETURN_IF_ERROR(Copy(node));
        continue;
      }
      ASSIGN_OR_RETURN(const Affine affine, AffineOf(graph_, node));
      RETURN_IF_ERROR(absorbed[i] != nullptr ? Fold(*absorbed[i], node, affine)
                                             : EmitDepthwise(node, affine));
    }
    for (const Output& output : graph_.outputs) {
      ASSIGN_OR_RETURN(const ValueId renamed, Renamed(output.value));
      builder_.AddOutput(renamed, output.name);
    }
    return std::move(builder_).Build();
  }

 private:
  const std::string& NameOf(ValueId value) const { return graph_.values[value].name; }

  // By node: the linear node that it absorbs, for a BatchNorm that is the only reader of one.
  std::vector<const Node*> AbsorbedNodes() const {
    const std::vector<int> num_uses = NumUses(graph_);
    std::vector<const Node*> absorbed(graph_.nodes.size(), nullptr);
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (!std::holds_alternative<BatchNorm>(graph_.nodes[i].op)) continue;
      const ValueId x = graph_.nodes[i].operands[0];
      const int32_t producer = graph_.values[x].producer;
      if (producer == kGraphInput || num_uses[x] != 1) continue;
      const Op& op = graph_.nodes[producer].op;
      if (std::holds_alternative<Conv2d>(op) || std::holds_alternative<Dense>(op)) {
        absorbed[i] = &graph_.nodes[producer];
      }
    }
    return absorbed;
  }

  // The value's counterpart in the new graph; a constant enters that graph with its first reader.
  absl::StatusOr<ValueId> Renamed(ValueId value) {
    if (!renamed_[value].has_value()) {
      const Node& producer = graph_.nodes[graph_.values[value].producer];
      ASSIGN_OR_RETURN(renamed_[value], builder_.AddNode(producer.op, {}, NameOf(value), producer.source));
    }
    return *renamed_[value];
  }

  absl::Status Copy(const Node& node) {
    std::vector<ValueId> operands;
    for (const ValueId operand : node.operands) {
      ASSIGN_OR_RETURN(const ValueId renamed, Renamed(operand));
      operands.push_back(renamed);
    }
    ASSIGN_OR_RETURN(renamed_[node.result],
                     builder_.AddNode(node.op, std::move(operands), NameOf(node.result), node.source));
    return absl::OkStatus();
  }

  absl::Status Fold(const Node& linear, const Node& norm, const Affine& affine) {
    ASSIGN_OR_RETURN(const ValueId x, Renamed(linear.operands[0]));
    const FloatTensor& weight = ConstantFloats(graph_, linear.operands[1]);
    FloatTensor bias{{weight.shape[0]}, std::vector<float>(affine.factor.size(), 0.0f)};
    if (linear.operands.size() == 3) bias = ConstantFloats(graph_, linear.operands[2]);
    return EmitLinear(linear.op, x, ScaledWeight(weight, affine), ScaledBias(std::move(bias), affine), norm,
                      NameOf(norm.result), linear.source);
  }

  absl::Status EmitDepthwise(const Node& norm, const Affine& affine) {
    ASSIGN_OR_RETURN(ValueId x, Renamed(norm.operands[0]));
    const Shape shape = graph_.values[norm.result].type.shape;
    const int64_t channels = shape[1];
    const bool is_image = shape.size() == 4;
    const std::string& name = NameOf(norm.result);
    if (!is_image) {
      const Shape image = {shape[0], channels, NumElements(shape) / (shape[0] * channels), 1};
      ASSIGN_OR_RETURN(x, builder_.AddNode(Reshape{image}, {x}, FreeName(name + ".image"), norm.source));
    }
    FloatTensor weight{{channels, 1, 1, 1}, std::vector<float>(affine.factor.size(), 1.0f)};
    FloatTensor bias{{channels}, std::vector<float>(affine.factor.size(), 0.0f)};
    Conv2d depthwise;
    depthwise.groups = channels;
    RETURN_IF_ERROR(EmitLinear(depthwise, x, ScaledWeight(std::move(weight), affine),
                               ScaledBias(std::move(bias), affine), norm,
                               is_image ? name : FreeName(name + ".depthwise"), norm.source));
    if (is_image) return absl::OkStatus();
    ASSIGN_OR_RETURN(renamed_[norm.result],
                     builder_.AddNode(Reshape{shape}, {*renamed_[norm.result]}, name, norm.source));
    return absl::OkStatus();
  }

  // Adds `op` with new constants and lets it stand for the result of `norm`.
  absl::Status EmitLinear(const Op& op, ValueId x, FloatTensor weight, FloatTensor bias, const Node& norm,
                          const std::string& name, const std::string& source) {
    for (const FloatTensor* tensor : {&weight, &bias}) {
      for (const float element : tensor->data) {
        if (std::isfinite(element)) continue;
        return MakeError(label::fold_batch_norm_overflow,
                         norm.source + ": a folded weight does not fit float32");
      }
    }
    const std::string& base = NameOf(norm.result);
    ASSIGN_OR_RETURN(const ValueId w, builder_.AddConstant(FreeName(base + ".weight"), std::move(weight)));
    ASSIGN_OR_RETURN(const ValueId b, builder_.AddConstant(FreeName(base + ".bias"), std::move(bias)));
    ASSIGN_OR_RETURN(renamed_[norm.result], builder_.AddNode(op, {x, w, b}, name, source));
    return absl::OkStatus();
  }

  // A name for a new value that takes none from a value that is still to come.
  std::string FreeName(std::string name) {
    while (!names_.insert(name).second) name += "_";
    return name;
  }

  const Graph& graph_;
  GraphBuilder builder_;
  std::vector<std::optional<ValueId>> renamed_;  // from values of graph_ to values of the new graph
  std::unordered_set<std::string> names_;
};

}  // namespace

absl::StatusOr<Graph> FoldBatchNorm(const Graph& graph) { return Folder(graph).Run(); }

}  // namespace tally::quant
