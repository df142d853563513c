#include "frontends/onnx/expand/dynamic_products.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace tally::onnx {
namespace {

using ::onnx::AttributeProto;
using ::onnx::GraphProto;
using ::onnx::NodeProto;

constexpr int kOutput = -1;  // reads a name in place of a node

class Finder {
 public:
  explicit Finder(const GraphProto& graph) : graph_(graph) {
    for (int i = 0; i < graph.node_size(); ++i) {
      for (const std::string& name : graph.node(i).input()) readers_[name].push_back(i);
      for (const std::string& name : graph.node(i).output()) producer_.emplace(name, i);
    }
    for (const auto& output : graph.output()) readers_[output.name()].push_back(kOutput);
  }

  NodesInstead Run() && {
    for (int i = 0; i < graph_.node_size(); ++i) {
      const std::string& op = graph_.node(i).op_type();
      if (op == "MatMulInteger" || op == "ConvInteger") FindProduct(i);
    }
    // Scales, and then what finds them, where nothing but these products reads them.
    for (const int mul : scales_) ReplaceByNothing(mul);
    for (const int quantize : quantizers_) ReplaceByNothing(quantize);
    return std::move(found_);
  }

 private:
  bool Is(std::optional<int> node, std::string_view op_type) const {
    return node.has_value() && graph_.node(*node).op_type() == op_type && graph_.node(*node).domain().empty();
  }
  std::optional<int> Producer(const std::string& name) const {
    const auto found = producer_.find(name);
    return found == producer_.end() ? std::nullopt : std::optional(found->second);
  }
  // The one node that reads the first output of `node`.
  std::optional<int> Reader(int node) const {
    if (graph_.node(node).output_size() != 1) return std::nullopt;
    const auto found = readers_.find(graph_.node(node).output(0));
    if (found == readers_.end() || found->second.size() != 1 || found->second[0] == kOutput)
      return std::nullopt;
    return found->second[0];
  }
  std::string Input(int node, int index) const {
    const NodeProto& proto = graph_.node(node);
    return index < proto.input_size() ? proto.input(index) : "";
  }

  void FindProduct(int sum) {
    const std::optional<int> quantize = Producer(Input(sum, 0));
    if (!Is(sum, graph_.node(sum).op_type()) || !Is(quantize, "DynamicQuantizeLinear")) return;
    const NodeProto& quantizer = graph_.node(*quantize);
    if (quantizer.output_size() != 3 || quantizer.input_size() != 1 || quantizer.output(0) != Input(sum, 0) ||
        quantizer.output(2) != Input(sum, 2)) {
      return;
    }
    const std::optional<int> cast = Reader(sum);
    if (!Is(cast, "Cast")) return;
    const std::optional<int> scaled = Reader(*cast);
    if (!Is(scaled, "Mul") || graph_.node(*scaled).input_size() != 2 ||
        graph_.node(*scaled).output_size() != 1)
      return;
    const std::string& sums = graph_.node(*cast).output(0);
    const std::string scale = Input(*scaled, Input(*scaled, 0) == sums ? 1 : 0);
    std::string weight_scale;  // 1, where it is empty
    if (scale != quantizer.output(1)) {
      const std::optional<int> product = Producer(scale);
      if (!Is(product, "Mul") || graph_.node(*product).input_size() != 2) return;
      const bool is_first = Input(*product, 0) == quantizer.output(1);
      if (!is_first && Input(*product, 1) != quantizer.output(1)) return;
      weight_scale = Input(*product, is_first ? 1 : 0);
      scales_.insert(*product);
    }
    quantizers_.insert(*quantize);
    found_[sum] = found_[*cast] = {};
    found_[*scaled] = Product(sum, quantizer.input(0), weight_scale, *scaled);
  }

  std::vector<NodeProto> Product(int sum, const std::string& x, const std::string& weight_scale,
                                 int last) const {
    const bool is_matmul = graph_.node(sum).op_type() == "MatMulInteger";
    const std::string& y = graph_.node(last).output(0);
    NodeProto one, weight, product;
    one.set_op_type("Constant");
    one.add_output(y + "\tone");
    AttributeProto* value = one.add_attribute();
    value->set_name("value_float");
    value->set_type(AttributeProto::FLOAT);
    value->set_f(1);
    weight.set_op_type("DequantizeLinear");
    weight.add_input(Input(sum, 1));
    weight.add_input(weight_scale.empty() ? one.output(0) : weight_scale);
    weight.add_input(Input(sum, 3));
    weight.add_output(y + "\tweight");
    AttributeProto* axis = weight.add_attribute();
    axis->set_name("axis");
    axis->set_type(AttributeProto::INT);
    axis->set_i(is_matmul ? -1 : 0);
    product.set_name(graph_.node(sum).name());
    product.set_op_type(is_matmul ? "MatMul" : "Conv");
    product.add_input(x);
    product.add_input(weight.output(0));
    product.add_output(y);
    *product.mutable_attribute() = graph_.node(sum).attribute();
    return {one, weight, product};
  }

  void ReplaceByNothing(int node) {
    for (const std::string& name : graph_.node(node).output()) {
      const auto found = readers_.find(name);
      if (found == readers_.end()) continue;
      const bool is_replaced =
          std::ranges::all_of(found->second, [&](int reader) { return found_.contains(reader); });
      if (!is_replaced) return;
    }
    found_[node] = {};
  }

  const GraphProto& graph_;
  std::unordered_map<std::string, std::vector<int>> readers_;
  std::unordered_map<std::string, int> producer_;
  std::set<int> scales_, quantizers_;
  NodesInstead found_;
};

}  // namespace

NodesInstead FindDynamicProducts(const GraphProto& graph) { return Finder(graph).Run(); }

}  // namespace tally::onnx
