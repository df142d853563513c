#include "quant/graph/heavy_layer.h"

#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>

namespace tally::quant {

namespace {

using dnnl::memory;

constexpr int64_t kLeastProducts = int64_t{1} << 22;

dnnl::engine& Cpu() {
  static dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

memory::desc Plain(const Shape& shape) {
  memory::dims strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return {shape, memory::data_type::f32, strides};
}

memory::desc AnyLayout(const Shape& shape) {
  return {shape, memory::data_type::f32, memory::format_tag::any};
}

memory Over(const memory::desc& desc, const float* data) { return {desc, Cpu(), const_cast<float*>(data)}; }

// One primitive between tensors as they are here and the layouts that it likes.
class OneDnnLayer final : public HeavyLayer {
 public:
  OneDnnLayer(dnnl::primitive primitive, const Shape& y, const memory::desc& liked_y)
      : primitive_(std::move(primitive)), shape_(y), y_(Plain(y)), liked_y_(liked_y) {}

  // Operand `index`, which is as `plain`. A constant is packed here and now.
  void AddOperand(int argument, const Graph& graph, const Node& node, size_t index, const memory::desc& plain,
                  const memory::desc& liked) {
    const Tensor* constant = ConstantOf(graph, node.operands[index]);
    if (constant == nullptr) return computed_.push_back({argument, index, plain, liked});
    memory packed(liked, Cpu());
    memory from = Over(plain, Float(constant).data.data());
    dnnl::reorder(from, packed).execute(stream_, from, packed);
    stream_.wait();
    constants_[argument] = packed;
  }

  Tensor Run(Operands operands) override {
    FloatTensor y = ZeroTensor(shape_);
    std::unordered_map<int, memory> arguments = constants_;
    for (const Computed& c : computed_) {
      memory x = Over(c.plain, Float(operands[c.index]).data.data());
      if (c.liked != c.plain) {
        memory moved(c.liked, Cpu());
        dnnl::reorder(x, moved).execute(stream_, x, moved);
        x = moved;
      }
      arguments[c.argument] = x;
    }
    memory out = Over(y_, y.data.data()), result = liked_y_ == y_ ? out : memory(liked_y_, Cpu());
    arguments[DNNL_ARG_DST] = result;
    primitive_.execute(stream_, arguments);
    if (liked_y_ != y_) dnnl::reorder(result, out).execute(stream_, result, out);
    stream_.wait();
    return y;
  }

 private:
  struct Computed {
    int argument;
    size_t index;
    memory::desc plain, liked;
  };

  dnnl::stream stream_{Cpu()};
  dnnl::primitive primitive_;
  Shape shape_;
  memory::desc y_, liked_y_;
  std::vector<Computed> computed_;
  std::unordered_map<int, memory> constants_;
};

const Shape& ShapeOfOperand(const Graph& graph, const Node& node, size_t index) {
  return graph.values[node.operands[index]].type.shape;
}

std::unique_ptr<HeavyLayer> Make(const Graph& graph, const Node& node, const Conv& op) {
  const Shape &x = ShapeOfOperand(graph, node, 0), &y = graph.values[node.result].type.shape;
  Shape w = ShapeOfOperand(graph, node, 1);
  if (NumElements(y) * (NumElements(w) / w[0]) < kLeastProducts) return nullptr;
  if (op.groups > 1) {
    w[0] /= op.groups;
    w.insert(w.begin(), op.groups);
  }
  const dnnl::convolution_forward::primitive_desc desc(
      {dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct, AnyLayout(x), AnyLayout(w),
       node.operands.size() > 2 ? Plain({y[1]}) : memory::desc(), AnyLayout(y), ListOf(op.stride, x.size()),
       ListOf({op.dilation.y - 1, op.dilation.x - 1, op.dilation.z - 1}, x.size()),
       BeginsOf(op.pad, x.size()), EndsOf(op.pad, x.size())},
      Cpu());
  auto layer = std::make_unique<OneDnnLayer>(dnnl::convolution_forward(desc), y, desc.dst_desc());
  layer->AddOperand(DNNL_ARG_SRC, graph, node, 0, Plain(x), desc.src_desc());
  layer->AddOperand(DNNL_ARG_WEIGHTS, graph, node, 1, Plain(w), desc.weights_desc());
  if (node.operands.size() > 2) {
    layer->AddOperand(DNNL_ARG_BIAS, graph, node, 2, Plain({y[1]}), desc.bias_desc());
  }
  return layer;
}

// As a product of matrices: oneDNN's inner product splits its sums by threads.
std::unique_ptr<HeavyLayer> Make(const Graph& graph, const Node& node, const Dense&) {
  const Shape &x = ShapeOfOperand(graph, node, 0), &w = ShapeOfOperand(graph, node, 1);
  const Shape& y = graph.values[node.result].type.shape;
  if (x[0] * NumElements(w) < kLeastProducts) return nullptr;
  const memory::desc transposed({w[1], w[0]}, memory::data_type::f32, memory::dims{1, w[1]});
  const memory::desc bias = node.operands.size() > 2 ? Plain({1, w[0]}) : memory::desc();
  const dnnl::matmul::primitive_desc desc({Plain(x), AnyLayout({w[1], w[0]}), bias, Plain(y)}, Cpu());
  auto layer = std::make_unique<OneDnnLayer>(dnnl::matmul(desc), y, desc.dst_desc());
  layer->AddOperand(DNNL_ARG_SRC, graph, node, 0, Plain(x), desc.src_desc());
  layer->AddOperand(DNNL_ARG_WEIGHTS, graph, node, 1, transposed, desc.weights_desc());
  if (node.operands.size() > 2) layer->AddOperand(DNNL_ARG_BIAS, graph, node, 2, bias, desc.bias_desc());
  return layer;
}

std::unique_ptr<HeavyLayer> Make(const Graph& graph, const Node& node, const MatMul& op) {
  const Shape& y = graph.values[node.result].type.shape;
  if (NumElements(y) * ShapeOfOperand(graph, node, 0).back() < kLeastProducts) return nullptr;
  // Batches broadcast where a dimension is 1, of operands of one rank.
  const auto padded = [&](size_t index) {
    const Shape& shape = ShapeOfOperand(graph, node, index);
    Shape to(y.size() - shape.size(), 1);
    to.insert(to.end(), shape.begin(), shape.end());
    return to;
  };
  const Shape a = padded(0), b = padded(1);
  dnnl::post_ops scale;
  if (op.factor != 1) scale.append_eltwise(1, dnnl::algorithm::eltwise_linear, op.factor, 0);
  dnnl::primitive_attr attributes;
  attributes.set_post_ops(scale);
  const dnnl::matmul::primitive_desc desc({Plain(a), AnyLayout(b), Plain(y)}, attributes, Cpu());
  auto layer = std::make_unique<OneDnnLayer>(dnnl::matmul(desc), y, desc.dst_desc());
  layer->AddOperand(DNNL_ARG_SRC, graph, node, 0, Plain(a), desc.src_desc());
  layer->AddOperand(DNNL_ARG_WEIGHTS, graph, node, 1, Plain(b), desc.weights_desc());
  return layer;
}

std::unique_ptr<HeavyLayer> Make(const Graph&, const Node&, const auto&) { return nullptr; }

}  // namespace

std::unique_ptr<HeavyLayer> MakeHeavyLayer(const Graph& graph, const Node& node) {
  return std::visit([&](const auto& op) { return Make(graph, node, op); }, node.op);
}

}  // namespace tally::quant
