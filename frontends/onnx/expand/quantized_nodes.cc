#include "frontends/onnx/expand/quantized_nodes.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/onnx/expand/node_expansion.h"
#include "frontends/onnx/model/labels.h"

namespace tally::onnx {
namespace {

using ::onnx::AttributeProto;
using ::onnx::NodeProto;

class QuantizedExpansion : public NodeExpansion {
 public:
  QuantizedExpansion(const NodeProto& node, int64_t opset) : NodeExpansion(node), opset_(opset) {}

  int64_t opset() const { return opset_; }

  // All attributes but those that say how the operator on quantized tensors goes about it.
  void CopyAttributes(NodeProto& to) const {
    NodeExpansion::CopyAttributes(
        to, [](std::string_view name) { return name != "channels_last" && name != "opset"; });
  }

  std::string Dequantized(const std::string& x, const std::string& scale, const std::string& zero_point,
                          std::optional<int64_t> axis = std::nullopt) {
    NodeProto& added = Add("DequantizeLinear", {x, scale, zero_point});
    if (axis.has_value()) SetInt(added, "axis", *axis);
    return NameOf(added);
  }
  std::string Product(const std::string& a, const std::string& b) { return NameOf(Add("Mul", {a, b})); }

  // x as the node's result: on its grid, or as it is where that has none.
  absl::Status Finish(const std::string& x, int scale) {
    const bool is_float = Input(scale).empty();
    if (!is_float && Input(scale + 1).empty()) {
      return MakeError(label::model_malformed, "the zero point of its result is left out");
    }
    FinishAs(is_float ? Add("Identity", {x}) : Add("QuantizeLinear", {x, Input(scale), Input(scale + 1)}));
    return absl::OkStatus();
  }

 private:
  const int64_t opset_;
};

struct QuantizedRow {
  std::string_view name, domain, float_operator;
  int quantized_inputs;
  absl::Status (*expand)(QuantizedExpansion&, const QuantizedRow&);
};

// Inputs: x, its scale and zero point, for each one that is quantized; then the result's scale and zero
// point.
absl::Status ExpandPlain(QuantizedExpansion& e, const QuantizedRow& row) {
  const AttributeProto* channels_last = e.Attribute("channels_last");
  if (channels_last != nullptr && channels_last->i() != 0) {
    return MakeError(label::model_unsupported_attribute,
                     "channels_last = 1 is not imported; quantize the model with its channels first");
  }
  std::vector<std::string> operands;
  for (int i = 0; i < row.quantized_inputs; ++i) {
    operands.push_back(e.Dequantized(e.Input(3 * i), e.Input(3 * i + 1), e.Input(3 * i + 2)));
  }
  NodeProto& node = e.Add(row.float_operator, std::move(operands));
  e.CopyAttributes(node);
  return e.Finish(e.NameOf(node), 3 * row.quantized_inputs);
}

// Softmax changed with opset 13; the attribute says which one is meant.
absl::Status ExpandSoftmax(QuantizedExpansion& e, const QuantizedRow& row) {
  constexpr int64_t kChange = 13;
  const AttributeProto* meant = e.Attribute("opset");
  if (meant != nullptr && (meant->i() < kChange) != (e.opset() < kChange)) {
    return MakeError(label::model_unsupported_attribute,
                     absl::StrCat("a softmax of opset ", meant->i(), " in a model of opset ", e.opset(),
                                  " is not imported; export the model with opset ", meant->i()));
  }
  return ExpandPlain(e, row);
}

// x, w and their scales and zero points, the result's, and a bias in units of the product of the scales of x
// and w.
absl::Status ExpandConv(QuantizedExpansion& e, const QuantizedRow& row) {
  const std::string x = e.Dequantized(e.Input(0), e.Input(1), e.Input(2));
  std::vector<std::string> operands = {x, e.Dequantized(e.Input(3), e.Input(4), e.Input(5), 0)};
  if (!e.Input(8).empty()) {
    const std::string scale = e.Product(e.Input(1), e.Input(4));
    operands.push_back(e.Dequantized(e.Input(8), scale, "", 0));
  }
  NodeProto& node = e.Add(row.float_operator, std::move(operands));
  e.CopyAttributes(node);
  return e.Finish(e.NameOf(node), 6);
}

// x, w and their zero points: the sums are integers, which the graph holds as floats.
absl::Status ExpandSums(QuantizedExpansion& e, const QuantizedRow& row) {
  const std::string one = e.Number(1);
  const std::string x = e.Dequantized(e.Input(0), one, e.Input(2));
  NodeProto& node = e.Add(row.float_operator, {x, e.Dequantized(e.Input(1), one, e.Input(3))});
  e.CopyAttributes(node);
  e.FinishAs(node);
  return absl::OkStatus();
}

// Scales of b may be along its columns.
absl::Status ExpandMatMul(QuantizedExpansion& e, const QuantizedRow& row) {
  const std::string a = e.Dequantized(e.Input(0), e.Input(1), e.Input(2));
  const std::string b = e.Dequantized(e.Input(3), e.Input(4), e.Input(5), -1);
  NodeProto& node = e.Add(row.float_operator, {a, b});
  return e.Finish(e.NameOf(node), 6);
}

// alpha a b + c, with c in units of alpha and both scales. The result is a float where it has no scale.
absl::Status ExpandGemm(QuantizedExpansion& e, const QuantizedRow& row) {
  const AttributeProto* alpha = e.Attribute("alpha");
  const AttributeProto* trans_b = e.Attribute("transB");
  std::string scale_b = e.Input(4);
  if (alpha != nullptr && alpha->f() != 1.0f) scale_b = e.Product(scale_b, e.Number(alpha->f()));
  const int64_t columns = trans_b != nullptr && trans_b->i() != 0 ? 0 : 1;
  const std::string a = e.Dequantized(e.Input(0), e.Input(1), e.Input(2));
  std::vector<std::string> operands = {a, e.Dequantized(e.Input(3), scale_b, e.Input(5), columns)};
  if (!e.Input(6).empty()) {
    const std::string scale = e.Product(e.Input(1), scale_b);
    operands.push_back(e.Dequantized(e.Input(6), scale, "", -1));
  }
  NodeProto& node = e.Add(row.float_operator, std::move(operands));
  for (const char* name : {"transA", "transB"}) {
    if (const AttributeProto* attribute = e.Attribute(name)) *node.add_attribute() = *attribute;
  }
  return e.Finish(e.NameOf(node), 7);
}

// The result's scale and zero point, then each part with its own.
absl::Status ExpandConcat(QuantizedExpansion& e, const QuantizedRow& row) {
  if (e.num_inputs() < 5 || e.num_inputs() % 3 != 2) {
    return MakeError(label::model_malformed, "its inputs are not a grid and parts with grids");
  }
  std::vector<std::string> parts;
  for (int i = 2; i < e.num_inputs(); i += 3) {
    parts.push_back(e.Dequantized(e.Input(i), e.Input(i + 1), e.Input(i + 2)));
  }
  NodeProto& node = e.Add(row.float_operator, std::move(parts));
  e.CopyAttributes(node);
  return e.Finish(e.NameOf(node), 0);
}

absl::Status ExpandSame(QuantizedExpansion& e, const QuantizedRow&) {
  e.Same();
  return absl::OkStatus();
}

// a float, b, its scale and zero point, and a bias of floats: a is rounded where calibration says.
absl::Status ExpandDynamicMatMul(QuantizedExpansion& e, const QuantizedRow& row) {
  const std::string b = e.Dequantized(e.Input(1), e.Input(2), e.Input(3), -1);
  std::string y = e.NameOf(e.Add(row.float_operator, {e.Input(0), b}));
  if (!e.Input(4).empty()) y = e.NameOf(e.Add("Add", {y, e.Input(4)}));
  return e.Finish(y, 5);
}

constexpr QuantizedRow kQuantizedRows[] = {
#define QUANTIZED_NODE(name, domain, float_operator, quantized_inputs, expansion) \
  {#name, domain, float_operator, quantized_inputs, expansion},
#include "frontends/onnx/expand/quantized_nodes.inc"
#undef QUANTIZED_NODE
};

const QuantizedRow* QuantizedRowOf(const NodeProto& node) {
  const std::string_view domain = node.domain() == "ai.onnx" ? "" : std::string_view(node.domain());
  const auto row = std::ranges::find_if(
      kQuantizedRows, [&](const QuantizedRow& r) { return r.name == node.op_type() && r.domain == domain; });
  return row == std::end(kQuantizedRows) ? nullptr : row;
}

constexpr std::array<std::string_view, 17> kMoving = {
    "Concat",        "DepthToSpace", "Dropout", "Expand",    "Flatten",  "Gather",
    "GlobalMaxPool", "Identity",     "MaxPool", "Reshape",   "Slice",    "SpaceToDepth",
    "Split",         "Squeeze",      "Tile",    "Transpose", "Unsqueeze"};

}  // namespace

bool IsQuantizedNode(const NodeProto& node) { return QuantizedRowOf(node) != nullptr; }

absl::StatusOr<std::optional<std::vector<NodeProto>>> ExpandQuantizedNode(const NodeProto& node,
                                                                          int64_t opset) {
  const QuantizedRow* row = QuantizedRowOf(node);
  if (row == nullptr) return std::nullopt;
  QuantizedExpansion expansion(node, opset);
  RETURN_IF_ERROR(row->expand(expansion, *row));
  return expansion.TakeNodes();
}

bool MovesCodes(std::string_view op_type) { return std::ranges::find(kMoving, op_type) != kMoving.end(); }

}  // namespace tally::onnx
