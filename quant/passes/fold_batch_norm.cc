#include "quant/passes/fold_batch_norm.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "quant/labels.h"
#include "quant/passes/graph_pattern.h"
#include "quant/passes/graph_rewriter.h"
#include "quant/passes/scale_channels.h"

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

FloatTensor ScaledBias(FloatTensor bias, const Affine& affine) {
  for (size_t c = 0; c < bias.data.size(); ++c) {
    bias.data[c] = static_cast<float>(bias.data[c] * affine.factor[c] + affine.offset[c]);
  }
  return bias;
}

// A linear node that only a BatchNorm reads, maybe through a Reshape that leaves batch and channels as they
// are, as that of a 1-D convolution does.
struct Absorbed {
  const Node* linear = nullptr;
  const Node* reshape = nullptr;
};

class Folder {
 public:
  explicit Folder(const Graph& graph) : graph_(graph), rewriter_(graph) {}

  absl::StatusOr<Graph> Run() {
    RETURN_IF_ERROR(rewriter_.AddInputs());
    const std::vector<Absorbed> absorbed = AbsorbedNodes();
    std::vector<bool> is_absorbed(graph_.nodes.size(), false);
    for (const Absorbed& nodes : absorbed) {
      for (const Node* node : {nodes.linear, nodes.reshape}) {
        if (node != nullptr) is_absorbed[graph_.values[node->result].producer] = true;
      }
    }
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      const Node& node = graph_.nodes[i];
      if (is_absorbed[i]) continue;
      if (!std::holds_alternative<BatchNorm>(node.op)) {
        RETURN_IF_ERROR(rewriter_.Copy(node));
        continue;
      }
      ASSIGN_OR_RETURN(const Affine affine, AffineOf(graph_, node));
      RETURN_IF_ERROR(absorbed[i].linear != nullptr ? Fold(absorbed[i], node, affine)
                                                    : EmitDepthwise(node, affine));
    }
    return std::move(rewriter_).Build();
  }

 private:
  // By node, of those that are a BatchNorm.
  std::vector<Absorbed> AbsorbedNodes() const {
    const GraphPattern pattern(graph_);
    std::vector<Absorbed> absorbed(graph_.nodes.size());
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (!std::holds_alternative<BatchNorm>(graph_.nodes[i].op)) continue;
      ValueId x = graph_.nodes[i].operands[0];
      Absorbed nodes;
      const Node* reshape = pattern.Inner<Reshape>(x);
      if (reshape != nullptr && KeepsChannels(*reshape)) {
        nodes.reshape = reshape;
        x = reshape->operands[0];
      }
      const Node* linear = pattern.Inner(x);
      if (linear == nullptr || !IsLinear(linear->op)) continue;
      if (CodesOf(graph_, linear->operands[1]) != nullptr) continue;  // codes of a file stay as they are
      nodes.linear = linear;
      absorbed[i] = nodes;
    }
    return absorbed;
  }

  bool KeepsChannels(const Node& reshape) const {
    const Shape& from = graph_.values[reshape.operands[0]].type.shape;
    const Shape& to = graph_.values[reshape.result].type.shape;
    return from.size() > 1 && to.size() > 1 && from[0] == to[0] && from[1] == to[1];
  }

  absl::Status Fold(const Absorbed& nodes, const Node& norm, const Affine& affine) {
    const Node& linear = *nodes.linear;
    ASSIGN_OR_RETURN(const ValueId x, rewriter_.ValueInNewGraph(linear.operands[0]));
    const auto channels = static_cast<int64_t>(affine.factor.size());
    FloatTensor bias{{channels}, std::vector<float>(affine.factor.size(), 0.0f)};
    if (linear.operands.size() == 3) bias = ConstantFloats(graph_, linear.operands[2]);
    const std::string& name = rewriter_.NameOf(norm.result);
    RETURN_IF_ERROR(EmitLinear(
        linear.op, x, ScaledChannels(linear.op, ConstantFloats(graph_, linear.operands[1]), affine.factor),
        ScaledBias(std::move(bias), affine), norm,
        nodes.reshape == nullptr ? name : rewriter_.NameOf(linear.result), linear.source));
    return nodes.reshape == nullptr ? absl::OkStatus() : EmitReshape(norm);
  }

  // The result of `norm` in its shape, where its counterpart has another one.
  absl::Status EmitReshape(const Node& norm) {
    ASSIGN_OR_RETURN(const ValueId x, rewriter_.ValueInNewGraph(norm.result));
    ASSIGN_OR_RETURN(const ValueId y,
                     rewriter_.builder().AddNode(Reshape{graph_.values[norm.result].type.shape}, {x},
                                                 rewriter_.NameOf(norm.result), norm.source));
    rewriter_.Replace(norm.result, y);
    return absl::OkStatus();
  }

  absl::Status EmitDepthwise(const Node& norm, const Affine& affine) {
    ASSIGN_OR_RETURN(ValueId x, rewriter_.ValueInNewGraph(norm.operands[0]));
    const Shape shape = graph_.values[norm.result].type.shape;
    const int64_t channels = shape[1];
    const bool is_image = shape.size() == 4;
    const std::string& name = rewriter_.NameOf(norm.result);
    if (!is_image) {
      const Shape image = {shape[0], channels, NumElements(shape) / (shape[0] * channels), 1};
      ASSIGN_OR_RETURN(x, rewriter_.builder().AddNode(Reshape{image}, {x},
                                                      rewriter_.FreeName(name + ".image"), norm.source));
    }
    FloatTensor weight{{channels, 1, 1, 1}, std::vector<float>(affine.factor.size(), 1.0f)};
    FloatTensor bias{{channels}, std::vector<float>(affine.factor.size(), 0.0f)};
    Conv depthwise;
    depthwise.groups = channels;
    RETURN_IF_ERROR(EmitLinear(depthwise, x, ScaledChannels(depthwise, std::move(weight), affine.factor),
                               ScaledBias(std::move(bias), affine), norm,
                               is_image ? name : rewriter_.FreeName(name + ".depthwise"), norm.source));
    return is_image ? absl::OkStatus() : EmitReshape(norm);
  }

  // Adds `op` with new constants and lets it stand for the result of `norm`.
  absl::Status EmitLinear(const Op& op, ValueId x, FloatTensor weight, FloatTensor bias, const Node& norm,
                          const std::string& name, const std::string& source) {
    for (const FloatTensor* tensor : {&weight, &bias}) {
      if (AllFinite(*tensor)) continue;
      return MakeError(label::fold_batch_norm_overflow,
                       norm.source + ": a folded weight does not fit float32");
    }
    const std::string& base = rewriter_.NameOf(norm.result);
    ASSIGN_OR_RETURN(const ValueId w, rewriter_.builder().AddConstant(rewriter_.FreeName(base + ".weight"),
                                                                      std::move(weight)));
    ASSIGN_OR_RETURN(const ValueId b,
                     rewriter_.builder().AddConstant(rewriter_.FreeName(base + ".bias"), std::move(bias)));
    ASSIGN_OR_RETURN(const ValueId y, rewriter_.builder().AddNode(op, {x, w, b}, name, source));
    rewriter_.Replace(norm.result, y);
    return absl::OkStatus();
  }

  const Graph& graph_;
  GraphRewriter rewriter_;
};

}  // namespace

absl::StatusOr<Graph> FoldBatchNorm(const Graph& graph) { return Folder(graph).Run(); }

}  // namespace tally::quant
