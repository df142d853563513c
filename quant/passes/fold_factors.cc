#include "quant/passes/fold_factors.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "quant/passes/graph_pattern.h"
#include "quant/passes/replace_nodes.h"
#include "quant/passes/scale_channels.h"

namespace tally::quant {
namespace {

class Folder {
 public:
  explicit Folder(const Graph& graph) : graph_(graph), pattern_(graph) {}

  Replacements Run() {
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      const Node& mul = graph_.nodes[n];
      if (!std::holds_alternative<Mul>(mul.op)) continue;
      for (const size_t i : {0, 1}) {
        const ValueId value = mul.operands[i], factors = mul.operands[1 - i];
        if (pattern_.Floats(factors) == nullptr || TypeOf(value) != TypeOf(mul.result)) continue;
        if (FoldIntoProduct(n, value, factors) || FoldIntoWeights(n, value, factors) ||
            FoldIntoReader(n, value, factors)) {
          break;
        }
      }
    }
    return std::move(found_);
  }

 private:
  const ValueType& TypeOf(ValueId value) const { return graph_.values[value].type; }

  // The replacement of node n so far.
  Replacement Current(size_t n) const {
    const auto found = found_.find(n);
    return found != found_.end() ? found->second : Replacement{graph_.nodes[n].op, graph_.nodes[n].operands};
  }

  // The factor of a MatMul that is multiplied by the one number that `factors` are.
  std::optional<float> FactorOf(const MatMul& product, ValueId factors) const {
    const auto number = pattern_.Number(factors);
    if (!number.has_value()) return std::nullopt;
    const float factor = product.factor * *number;
    return std::isnormal(factor) && factor > 0 ? std::optional(factor) : std::nullopt;
  }

  // Node n is `factors` times a product.
  bool FoldIntoProduct(size_t n, ValueId value, ValueId factors) {
    const auto layer = pattern_.InnerNodeOf(value);
    if (!layer.has_value()) return false;
    Replacement product = Current(*layer);
    auto* matmul = std::get_if<MatMul>(&product.op);
    const auto factor = matmul == nullptr ? std::nullopt : FactorOf(*matmul, factors);
    if (!factor.has_value()) return false;
    matmul->factor = *factor;
    found_[n] = std::move(product);
    return true;
  }

  // Node n is `factors` times a linear layer, or times its reshaped result.
  bool FoldIntoWeights(size_t n, ValueId value, ValueId factors) {
    std::optional<size_t> layer = pattern_.InnerNodeOf(value);
    if (!layer.has_value()) return false;
    const Node& last = graph_.nodes[*layer];
    const bool is_reshaped = std::holds_alternative<Reshape>(last.op);
    if (is_reshaped) layer = pattern_.InnerNodeOf(last.operands[0]);
    if (!layer.has_value() || found_.contains(*layer)) return false;
    const Node& linear = graph_.nodes[*layer];
    if (!IsLinear(linear.op) || CodesOf(graph_, linear.operands[1]) != nullptr) return false;
    const auto scales = ScalesOf(linear, TypeOf(value).shape, factors);
    if (!scales.has_value()) return false;

    Replacement scaled = {linear.op, {linear.operands[0]}};
    scaled.constants.push_back(ScaledChannels(linear.op, *pattern_.Floats(linear.operands[1]), *scales));
    if (linear.operands.size() > 2) {
      FloatTensor bias = *pattern_.Floats(linear.operands[2]);
      for (size_t c = 0; c < bias.data.size(); ++c) {
        bias.data[c] = static_cast<float>(bias.data[c] * (*scales)[c]);
      }
      scaled.constants.push_back(std::move(bias));
    }
    if (!std::ranges::all_of(scaled.constants, AllFinite)) return false;
    if (is_reshaped) {
      found_[*layer] = std::move(scaled);
      found_[n] = {last.op, last.operands};
    } else {
      found_[n] = std::move(scaled);
    }
    return true;
  }

  // A factor for each channel of `linear`, whose result is as `shape` in front of `factors`.
  std::optional<std::vector<double>> ScalesOf(const Node& linear, const Shape& shape, ValueId factors) const {
    const Shape& own = TypeOf(linear.result).shape;
    const auto channels = static_cast<size_t>(own[1]);
    const FloatTensor& constant = *pattern_.Floats(factors);
    if (constant.data.size() == 1) return std::vector<double>(channels, constant.data[0]);
    // Channels are the second axis of images, and the last one of rows.
    const bool of_rows = std::holds_alternative<Dense>(linear.op);
    const size_t axis = of_rows ? shape.size() - 1 : 1;
    const bool keeps = shape.size() > axis && shape[axis] == own[1] && (of_rows || shape[0] == own[0]);
    if (!keeps || constant.data.size() != channels || constant.shape.size() > shape.size())
      return std::nullopt;
    const size_t first = shape.size() - constant.shape.size();  // for the axes that the constant has
    if (axis < first || constant.shape[axis - first] != own[1]) return std::nullopt;
    return std::vector<double>(constant.data.begin(), constant.data.end());
  }

  // Node n is the number `factors` times `value`, which a MatMul reads, maybe after moves of elements.
  bool FoldIntoReader(size_t n, ValueId value, ValueId factors) {
    const std::optional<size_t> first = pattern_.OnlyReaderOf(graph_.nodes[n].result);
    for (std::optional<size_t> r = first; r.has_value();) {
      const Node& reader = graph_.nodes[*r];
      if (TraitsOf(reader.op).moves && reader.operands.size() == 1) {
        r = pattern_.OnlyReaderOf(reader.result);
        continue;
      }
      Replacement product = Current(*r);
      auto* matmul = std::get_if<MatMul>(&product.op);
      const auto factor = matmul == nullptr ? std::nullopt : FactorOf(*matmul, factors);
      if (!factor.has_value()) return false;
      matmul->factor = *factor;
      found_[*r] = std::move(product);
      Replacement without = Current(*first);
      std::ranges::replace(without.operands, graph_.nodes[n].result, value);
      found_[*first] = std::move(without);
      return true;
    }
    return false;
  }

  const Graph& graph_;
  const GraphPattern pattern_;
  Replacements found_;
};

}  // namespace

absl::StatusOr<Graph> FoldFactors(const Graph& graph) { return ReplaceNodes(graph, Folder(graph).Run()); }

}  // namespace tally::quant
