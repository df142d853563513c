#include "quant/passes/fold_inputs.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "quant/labels.h"
#include "quant/passes/graph_rewriter.h"
#include "quant/passes/input_affine.h"

namespace tally::quant {
namespace {

// Whether the weights of `node`, which reads the input as its first operand, can take `folding`.
bool CanTake(const Graph& graph, const Node& node, const Folding& folding) {
  const auto* conv = std::get_if<Conv>(&node.op);
  if (conv == nullptr && !std::holds_alternative<Dense>(node.op)) return false;
  if (CodesOf(graph, node.operands[1]) != nullptr) return false;  // a file's codes stay as they are
  if (conv == nullptr) return true;
  if (conv->pad == Pads{} || !folding.affine.HasOffset()) return true;
  return conv->groups == 1 && folding.constant_channel != 0;
}

class Folder {
 public:
  Folder(const Graph& graph, std::map<ValueId, Folding> foldings)
      : graph_(graph), foldings_(std::move(foldings)), rewriter_(graph) {}

  absl::StatusOr<Graph> Run() {
    RETURN_IF_ERROR(rewriter_.AddInputs());
    for (const auto& [input, folding] : foldings_) {
      if (folding.told.into == FoldedInto::kOwnLayer) RETURN_IF_ERROR(Convert(input, folding));
    }
    for (const Node& node : graph_.nodes) {
      const auto folding = node.operands.empty() ? foldings_.end() : foldings_.find(node.operands[0]);
      const bool folds = folding != foldings_.end() && folding->second.told.into == FoldedInto::kLayers;
      RETURN_IF_ERROR(folds ? Fold(node, folding->second) : rewriter_.Copy(node));
    }
    return std::move(rewriter_).Build();
  }

 private:
  // weight [OC, IC / groups, taps...] times the factors, and the offsets in the bias, or where the
  // convolution pads in one more channel, of folding.constant_channel throughout.
  absl::Status Fold(const Node& node, const Folding& folding) {
    const FloatTensor& weight = std::get<FloatTensor>(*ConstantOf(graph_, node.operands[1]));
    const auto* conv = std::get_if<Conv>(&node.op);
    const bool appends = conv != nullptr && conv->pad != Pads{} && folding.affine.HasOffset();
    const int64_t out = weight.shape[0], in = weight.shape[1], groups = conv == nullptr ? 1 : conv->groups;
    const int64_t taps = NumElements(weight.shape) / (out * in);
    FloatTensor scaled{weight.shape, {}}, bias{{out}, {}};
    if (appends) ++scaled.shape[1];
    const FloatTensor* old_bias =
        node.operands.size() < 3 ? nullptr : &std::get<FloatTensor>(*ConstantOf(graph_, node.operands[2]));
    for (int64_t oc = 0; oc < out; ++oc) {
      std::vector<ExactRational> offsets(static_cast<size_t>(taps), 0);  // for the reals at each tap
      for (int64_t ic = 0; ic < in; ++ic) {
        const int64_t channel = oc / (out / groups) * in + ic;
        for (int64_t tap = 0; tap < taps; ++tap) {
          const ExactRational w =
              ExactRational(weight.data[(oc * in + ic) * taps + tap]) * folding.affine.Factor(channel);
          scaled.data.push_back(Nearest(w));
          offsets[tap] -= w * folding.affine.Offset(channel);
        }
      }
      ExactRational sum = old_bias == nullptr ? ExactRational(0) : ExactRational(old_bias->data[oc]);
      for (const ExactRational& offset : offsets) {
        if (appends) {
          scaled.data.push_back(Nearest(offset / ExactRational(folding.constant_channel)));
        } else {
          sum += offset;
        }
      }
      bias.data.push_back(Nearest(sum));
    }
    ASSIGN_OR_RETURN(ValueId x, rewriter_.ValueInNewGraph(node.operands[0]));
    const std::string& name = rewriter_.NameOf(node.result);
    if (appends) {
      ASSIGN_OR_RETURN(
          x, rewriter_.builder().AddNode(AppendChannel{folding.constant_channel}, {x},
                                         rewriter_.FreeName(name + ".constant_channel"), node.source));
    }
    ASSIGN_OR_RETURN(const auto constants, Constants(name, folding, std::move(scaled), std::move(bias)));
    ASSIGN_OR_RETURN(
        x, rewriter_.builder().AddNode(node.op, {x, constants.first, constants.second}, name, node.source));
    rewriter_.Replace(node.result, x);
    return absl::OkStatus();
  }

  // A depthwise convolution of one tap, between reshapes where the input is not of rank 4.
  absl::Status Convert(ValueId input, const Folding& folding) {
    const Value& value = graph_.values[input];
    const Shape& shape = value.type.shape;
    const auto entries = static_cast<int64_t>(folding.affine.factor.size());
    const int64_t batch = entries == 1 ? 1 : shape[0];
    const Shape image = {batch, entries, NumElements(shape) / (batch * entries), 1};
    const std::string source = absl::StrCat("input '", value.name, "'");
    ASSIGN_OR_RETURN(ValueId x, rewriter_.ValueInNewGraph(input));
    ASSIGN_OR_RETURN(x, rewriter_.builder().AddNode(Reshape{image}, {x},
                                                    rewriter_.FreeName(value.name + ".channels"), source));
    FloatTensor weight{{entries, 1, 1, 1}, {}}, bias{{entries}, {}};
    for (int64_t c = 0; c < entries; ++c) {
      weight.data.push_back(Nearest(folding.affine.Factor(c)));
      bias.data.push_back(Nearest(-folding.affine.Factor(c) * folding.affine.Offset(c)));
    }
    ASSIGN_OR_RETURN(const auto constants,
                     Constants(value.name, folding, std::move(weight), std::move(bias)));
    Conv depthwise;
    depthwise.groups = entries;
    ASSIGN_OR_RETURN(x, rewriter_.builder().AddNode(depthwise, {x, constants.first, constants.second},
                                                    rewriter_.FreeName(value.name + ".converted"), source));
    ASSIGN_OR_RETURN(x, rewriter_.builder().AddNode(Reshape{shape}, {x},
                                                    rewriter_.FreeName(value.name + ".reals"), source));
    rewriter_.Replace(input, x);
    return absl::OkStatus();
  }

  absl::StatusOr<std::pair<ValueId, ValueId>> Constants(const std::string& name, const Folding& folding,
                                                        FloatTensor weight, FloatTensor bias) {
    for (const FloatTensor* tensor : {&weight, &bias}) {
      if (AllFinite(*tensor)) continue;
      return MakeError(label::lower_input,
                       absl::StrCat("input '", folding.told.format.name,
                                    "': with its scale, mean and std a weight is too large"));
    }
    ASSIGN_OR_RETURN(const ValueId w, rewriter_.builder().AddConstant(
                                          rewriter_.FreeName(name + ".folded_weight"), std::move(weight)));
    ASSIGN_OR_RETURN(const ValueId b, rewriter_.builder().AddConstant(
                                          rewriter_.FreeName(name + ".folded_bias"), std::move(bias)));
    return std::pair(w, b);
  }

  const Graph& graph_;
  const std::map<ValueId, Folding> foldings_;
  GraphRewriter rewriter_;
};

// Whether the input needs a layer of its own, and what for.
void ChooseLayer(const Graph& graph, ValueId input, Folding& folding) {
  for (const Output& output : graph.outputs) {
    if (output.value == input) folding.told.why = absl::StrCat("output '", output.name, "'");
  }
  for (const Node& node : graph.nodes) {
    const auto reads = std::ranges::count(node.operands, input);
    if (reads == 0 || (reads == 1 && node.operands[0] == input && CanTake(graph, node, folding))) continue;
    if (folding.told.why.empty()) folding.told.why = node.source;
  }
  if (!folding.told.why.empty()) folding.told.into = FoldedInto::kOwnLayer;
}

// A float is a fraction with a power of two below.
absl::StatusOr<Rational> FractionOf(float value) {
  constexpr int kMantissaBits = 24, kMostBits = 62;
  int exponent = 0;
  auto numerator = static_cast<int64_t>(std::ldexp(std::frexp(value, &exponent), kMantissaBits));
  exponent -= kMantissaBits;
  for (; numerator != 0 && numerator % 2 == 0 && exponent < 0; ++exponent) numerator /= 2;
  if (numerator == 0) return Rational{0, 1};
  if (!std::isfinite(value) || exponent < -kMostBits || exponent + kMantissaBits > kMostBits)
    return MakeError(label::lower_input,
                     absl::StrCat("pixels mean multiples of ", value, ", or that and more"));
  if (exponent < 0) return Rational{numerator, int64_t{1} << -exponent};
  return Rational{numerator * (int64_t{1} << exponent), 1};
}

}  // namespace

absl::StatusOr<InputMeaning> MeaningOfPixels(const std::string& name, float scale,
                                             const std::vector<float>& bias) {
  InputMeaning meaning = {.name = name, .interval = {0, 255}};
  ASSIGN_OR_RETURN(meaning.scale, FractionOf(scale));
  for (const float b : bias) {
    ASSIGN_OR_RETURN(meaning.mean.emplace_back(), FractionOf(-b));
  }
  const bool has_bias = std::ranges::any_of(bias, [](float b) { return b != 0; });
  if (!has_bias) meaning.mean.clear();
  return meaning;
}

absl::StatusOr<FoldedGraph> FoldInputs(const Graph& graph, const std::vector<InputMeaning>& meanings) {
  FoldedGraph folded;
  std::map<ValueId, Folding> foldings;
  for (const InputMeaning& meaning : meanings) {
    const auto input =
        std::ranges::find_if(graph.inputs, [&](ValueId id) { return graph.values[id].name == meaning.name; });
    if (input == graph.inputs.end()) return RefuseMeaning(meaning, "the network has none of this name");
    ASSIGN_OR_RETURN(Folding folding, FoldingOf(meaning, graph.values[*input].type.shape));
    if (folding.told.into != FoldedInto::kGrid) ChooseLayer(graph, *input, folding);
    folded.inputs.push_back(folding.told);
    if (!foldings.emplace(*input, std::move(folding)).second)
      return RefuseMeaning(meaning, "it is said twice what its integers stand for");
  }
  const bool folds = std::ranges::any_of(
      folded.inputs, [](const FoldedInput& input) { return input.into != FoldedInto::kGrid; });
  if (folds) {
    ASSIGN_OR_RETURN(folded.graph, Folder(graph, std::move(foldings)).Run());
  } else {
    folded.graph = graph;
  }
  return folded;
}

}  // namespace tally::quant
