#include "frontends/onnx/expand/fused_nodes.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "frontends/onnx/expand/node_expansion.h"
#include "frontends/onnx/model/labels.h"

namespace tally::onnx {
namespace {

using ::onnx::AttributeProto;
using ::onnx::NodeProto;

// An activation, and the names of its parameters in the order in which a FusedConv lists them.
struct FusedActivation {
  std::string_view op_type;
  std::array<std::string_view, 2> parameters = {};
};

constexpr FusedActivation kFusedActivations[] = {{"Clip", {"min", "max"}},
                                                 {"Elu", {"alpha"}},
                                                 {"HardSigmoid", {"alpha", "beta"}},
                                                 {"LeakyRelu", {"alpha"}},
                                                 {"Relu"},
                                                 {"Selu", {"alpha", "gamma"}},
                                                 {"Sigmoid"},
                                                 {"Softplus"},
                                                 {"Softsign"},
                                                 {"Tanh"},
                                                 {"ThresholdedRelu", {"alpha"}}};

constexpr std::string_view kPrefix = "activation";

class FusedExpansion : public NodeExpansion {
 public:
  FusedExpansion(const NodeProto& node, int64_t opset) : NodeExpansion(node), opset_(opset) {}

  // All attributes but those of the activation.
  void CopyAttributes(NodeProto& to) const {
    NodeExpansion::CopyAttributes(to, [](std::string_view name) { return !name.starts_with(kPrefix); });
  }

  // y after the activation is the node's result. FusedConv lists its parameters, FusedGemm has an attribute
  // for each.
  absl::Status FinishActivated(const std::string& y) {
    const AttributeProto* wanted = Attribute(kPrefix);
    if (wanted == nullptr || wanted->type() != AttributeProto::STRING) {
      return MakeError(label::model_malformed, "it does not name its activation");
    }
    const auto activation = std::ranges::find(kFusedActivations, wanted->s(), &FusedActivation::op_type);
    if (activation == std::end(kFusedActivations)) {
      return MakeError(label::model_unsupported_attribute,
                       "activation " + PrintableStart(wanted->s()) + " is not imported");
    }
    std::array<std::optional<float>, 2> values;
    for (size_t i = 0; i < values.size(); ++i) {
      ASSIGN_OR_RETURN(values[i], Parameter(activation->parameters[i], static_cast<int>(i)));
    }
    // A Clip reads its bounds as inputs from opset 11 on.
    if (activation->op_type == "Clip" && opset_ >= 11) {
      std::vector<std::string> inputs = {y};
      for (const std::optional<float>& bound : values) {
        inputs.push_back(bound.has_value() ? Number(*bound) : "");
      }
      FinishAs(Add("Clip", std::move(inputs)));
      return absl::OkStatus();
    }
    NodeProto& last = Add(activation->op_type, {y});
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i].has_value()) SetFloat(last, activation->parameters[i], *values[i]);
    }
    FinishAs(last);
    return absl::OkStatus();
  }

 private:
  absl::StatusOr<std::optional<float>> Parameter(std::string_view name, int index) const {
    if (name.empty()) return std::nullopt;
    if (const AttributeProto* list = Attribute("activation_params")) {
      if (index < list->floats_size()) return list->floats(index);
      return MakeError(label::model_malformed, "activation_params is too short");
    }
    const AttributeProto* one = Attribute(std::string(kPrefix) + "_" + std::string(name));
    if (one == nullptr) return std::nullopt;
    if (one->type() == AttributeProto::FLOAT) return one->f();
    return MakeError(label::model_malformed, "a parameter of its activation is not a float");
  }

  const int64_t opset_;
};

// X, W, the bias, and Z, which is added in front of the activation.
absl::Status ExpandFusedConv(FusedExpansion& e) {
  NodeProto& conv = e.Add("Conv", {e.Input(0), e.Input(1), e.Input(2)});
  e.CopyAttributes(conv);
  std::string y = e.NameOf(conv);
  if (!e.Input(3).empty()) y = e.NameOf(e.Add("Add", {y, e.Input(3)}));
  return e.FinishActivated(y);
}

absl::Status ExpandFusedGemm(FusedExpansion& e) {
  NodeProto& gemm = e.Add("Gemm", {e.Input(0), e.Input(1), e.Input(2)});
  e.CopyAttributes(gemm);
  return e.FinishActivated(e.NameOf(gemm));
}

struct FusedRow {
  std::string_view name;
  absl::Status (*expand)(FusedExpansion&);
};

constexpr FusedRow kFusedRows[] = {
#define ONNX_CONTRIB(name, importer)
#define ONNX_FUSED(name, expansion) {#name, expansion},
#define ONNX_QONNX(name, importer)
#define ONNX_ML(name, importer)
#include "frontends/onnx/expand/contrib_operators.inc"
#undef ONNX_ML
#undef ONNX_QONNX
#undef ONNX_FUSED
#undef ONNX_CONTRIB
};

const FusedRow* FusedRowOf(const NodeProto& node) {
  const auto row = std::ranges::find(kFusedRows, node.op_type(), &FusedRow::name);
  return node.domain() == "com.microsoft" && row != std::end(kFusedRows) ? row : nullptr;
}

}  // namespace

bool IsFusedNode(const NodeProto& node) { return FusedRowOf(node) != nullptr; }

absl::StatusOr<std::optional<std::vector<NodeProto>>> ExpandFusedNode(const NodeProto& node, int64_t opset) {
  const FusedRow* row = FusedRowOf(node);
  if (row == nullptr) return std::nullopt;
  FusedExpansion expansion(node, opset);
  RETURN_IF_ERROR(row->expand(expansion));
  return expansion.TakeNodes();
}

}  // namespace tally::onnx
