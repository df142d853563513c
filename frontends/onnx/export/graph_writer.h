// Writes an ONNX graph of integer tensors, node by node, and proves while it writes that nothing can wrap.
//
//   GraphWriter g({"image", "logits"});
//   const Wire x = g.Input("image", {shape, {-128, 127}});
//   g.Begin("1 relu");
//   const Wire y = g.Max(x, g.Scalar(0));
//   g.Output("logits", y, {shape, {0, 127}});
//
// Arithmetic is done in int64. Each wire has an interval, computed as the exact importer will compute it or
// wider, and no value may leave that of a tensor of profile core: so a file that was written can be imported
// again, and int64 cannot wrap. A form that would need more is refused: Refuse keeps the first reason, what
// follows is written without a meaning, and whoever began the form asks for refusal().
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/tensor.h"
#include "base/wide.h"
#include "ops/tensor_type.h"
#include "third_party/onnx/onnx.pb.h"

namespace tally::onnx {

// A value of the graph.
struct Wire {
  std::string name;  // empty for a constant of the module that nothing has read so far
  int type = ::onnx::TensorProto::INT64;
  Shape shape;
  Interval interval;
  const TensorView* constant = nullptr;
};

struct NodeAttribute {
  std::string name;
  std::variant<int64_t, std::vector<int64_t>> value;
};

// The result of a node.
struct WireType {
  int type;
  Shape shape;
  Interval interval;
};

class GraphWriter {
 public:
  // `names` are those of all inputs and outputs; what is written in between has others. `most_made` limits
  // the elements of all lists and constants that forms make.
  GraphWriter(std::span<const std::string> names, int64_t most_made);

  // Nodes and values from here on are named after `form`, "12 rescale"; nothing is refused yet.
  void Begin(const std::string& form);
  void Refuse(const std::string& reason);
  const std::string& refusal() const { return refusal_; }
  // Whether `elements` more may be listed in constants; else the form is refused. Whoever makes a long list
  // asks first.
  bool MayMake(int64_t elements);
  // `interval`, or a refusal where it is more than that of a tensor.
  Interval Checked(const WideInterval& interval);

  Wire Input(const std::string& name, const TensorType& type, const std::string& note = {});
  // In the storage of `type`. An output of the name of an input, or of an earlier output, has '_' appended.
  void Output(const std::string& name, const Wire& wire, const TensorType& type,
              const std::string& note = {});

  // A constant of the module: written once for each type in which it is read, or never.
  static Wire Borrow(const TensorView& constant);
  // The same for a constant that an exporter makes.
  Wire Derived(Tensor tensor);
  Wire Constant(const Tensor& tensor, int type = ::onnx::TensorProto::INT64);
  Wire Scalar(int64_t value, int type = ::onnx::TensorProto::INT64);
  Wire List(const std::vector<int64_t>& values);
  // A constant of `shape` that `make` lists, made once for each `key`.
  template <typename Make>
  Wire Shared(const std::vector<int64_t>& key, const Shape& shape, Make make) {
    const auto found = shared_.find(key);
    if (found != shared_.end()) return found->second;
    if (!Spend(shape.num_elements())) return Placeholder(::onnx::TensorProto::INT64, shape);
    return shared_[key] = Initializer(Tensor::FromValues(shape, make())->view(), ::onnx::TensorProto::INT64);
  }
  // One value for each place on `axis`, in a shape that broadcasts with tensors of `rank`; a scalar where all
  // are equal.
  Wire AlongAxis(const std::vector<int64_t>& values, int axis, int rank);

  // A node of any operator. Inputs are read in their types; one without a name and constant is left out.
  Wire Node(const std::string& op, std::vector<Wire> inputs, const WireType& result,
            const std::vector<NodeAttribute>& attributes = {});
  std::vector<Wire> Nodes(const std::string& op, std::vector<Wire> inputs,
                          const std::vector<WireType>& results,
                          const std::vector<NodeAttribute>& attributes = {});

  Wire Cast(const Wire& x, int type);
  Wire Int64(const Wire& x) { return Cast(x, ::onnx::TensorProto::INT64); }

  // Element by element in int64, broadcast. Adding 0 and multiplying by 1 write nothing.
  Wire Add(const Wire& a, const Wire& b);
  Wire Sub(const Wire& a, const Wire& b);
  Wire Offset(const Wire& x, int64_t by);  // x + by; a constant stays one
  Wire Mul(const Wire& a, const Wire& b);
  Wire Max(const Wire& a, const Wire& b);
  Wire Min(const Wire& a, const Wire& b);
  Wire Abs(const Wire& x);
  // a / b toward zero and the remainder of a / b rounded down, for b > 0.
  Wire Div(const Wire& a, const Wire& b);
  Wire Mod(const Wire& a, const Wire& b);
  // Each element clamped to `range`; writes nothing where they all are in it. As Max and Min, by comparisons
  // and Where beyond int32.
  Wire Clip(const Wire& x, const Interval& range);
  // x, whose elements are in `range`, by a Clip that says so where the graph does not; beyond int32 as it is.
  Wire Prove(const Wire& x, const Interval& range);

  // Truths, of type bool: as ONNX compares ("Less", "Equal", ...), and of int64 as elements that are not 0.
  Wire Compare(const std::string& op, const Wire& a, const Wire& b);
  Wire Truth(const Wire& x);
  Wire Where(const Wire& condition, const Wire& x, const Wire& y);

  // Elements moved, in the type they have. A transposed constant stays one.
  Wire Reshape(const Wire& x, const Shape& shape);
  Wire Transpose(const Wire& x, const std::vector<int64_t>& axes);
  Wire Expand(const Wire& x, const Shape& shape);
  // Slices along `axis` at `indices`, which are in [0, dim).
  Wire Gather(const Wire& x, const Wire& indices, int axis);
  Wire Pad(const Wire& x, const std::vector<int64_t>& before, const std::vector<int64_t>& after,
           int64_t value);

  Wire ReduceSum(const Wire& x, const std::vector<int64_t>& axes, bool keepdims);
  Wire ReduceMax(const Wire& x, const std::vector<int64_t>& axes, bool keepdims);
  // Matrix product in int64 over the last two axes.
  Wire MatMul(const Wire& a, const Wire& b);

  int num_nodes() const { return graph_.node_size(); }
  ::onnx::GraphProto Finish() && { return std::move(graph_); }

 private:
  // As MayMake, and takes them.
  bool Spend(int64_t elements);
  std::string NewName();
  const std::string& NameOf(Wire& wire);

  Wire Initializer(const TensorView& values, int type);
  // The stand-in value after a refused form.
  static Wire Placeholder(int type, const Shape& shape) { return {"refused", type, shape, {0, 0}}; }
  Wire ClipNode(const Wire& x, const Interval& range);
  Wire Arithmetic(const std::string& op, const Wire& a, const Wire& b, const WideInterval& interval);

  ::onnx::GraphProto graph_;
  std::string prefix_, form_, refusal_;
  int64_t left_to_make_;
  int64_t next_ = 0;
  std::deque<std::pair<Tensor, TensorView>> derived_;  // constants that are made of the module's
  std::map<std::string, bool> outer_names_;            // for inputs and outputs, those that are taken
  std::map<std::pair<int64_t, int>, Wire> scalars_;    // by value and type
  std::map<std::vector<int64_t>, Wire> lists_;         // by their elements
  std::map<std::vector<int64_t>, Wire> shared_;        // by key
  std::map<std::pair<const TensorView*, int>, std::string> borrowed_;  // by type
  std::map<std::pair<std::string, int>, Wire> casts_;
};

// The shape of two that broadcast.
Shape BroadcastShape(const Shape& a, const Shape& b);
// That of the product of matrices, [.., M, K] by [.., K, N].
Shape ProductShape(const Shape& a, const Shape& b);
// Dims that are known to be a shape; a scalar where they are none, which only a refused form has.
Shape ShapeOfDims(const std::vector<int64_t>& dims);
std::vector<int64_t> DimsOf(const Shape& shape);
// The ONNX type of a storage.
int TypeOf(Storage storage);

}  // namespace tally::onnx
