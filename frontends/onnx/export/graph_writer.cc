#include "frontends/onnx/export/graph_writer.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/strings.h"
#include "ops/indexing.h"

namespace tally::onnx {
namespace {

using ::onnx::AttributeProto;
using ::onnx::TensorProto;
using ::onnx::ValueInfoProto;

void Declare(const std::string& name, int type, const Shape& shape, const std::string& note,
             ValueInfoProto* info) {
  info->set_name(name);
  if (!note.empty()) info->set_doc_string(note);
  auto* tensor = info->mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(type);
  auto* dims = tensor->mutable_shape();
  for (const int64_t dim : shape.dims()) dims->add_dim()->set_dim_value(dim);
}

template <typename T>
void AppendRaw(T value, std::string* raw) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  raw->append(bytes, sizeof bytes);
}

// `value` is one of `type`; floats hold the integers that their kernels are given.
void AppendElement(int64_t value, int type, std::string* raw) {
  switch (type) {
    case TensorProto::UINT8: return AppendRaw(static_cast<uint8_t>(value), raw);
    case TensorProto::INT8: return AppendRaw(static_cast<int8_t>(value), raw);
    case TensorProto::INT16: return AppendRaw(static_cast<int16_t>(value), raw);
    case TensorProto::INT32: return AppendRaw(static_cast<int32_t>(value), raw);
    case TensorProto::FLOAT: return AppendRaw(static_cast<float>(value), raw);
    case TensorProto::DOUBLE: return AppendRaw(static_cast<double>(value), raw);
    default: return AppendRaw(value, raw);
  }
}

bool IsNothing(const Wire& wire) { return wire.name.empty() && wire.constant == nullptr; }

// Max, Min and Clip of ONNX Runtime 1.30.0 compare the low halves of int64 as signed numbers where the high
// halves are equal. Its comparisons do not, nor does anything of it where all values are int32.
bool IsSafeToOrder(const Interval& interval) { return RangeOf(Storage::kI32).Contains(interval); }

bool IsAlways(const Wire& wire, int64_t value) { return wire.interval == Interval{value, value}; }

}  // namespace

Shape ShapeOfDims(const std::vector<int64_t>& dims) {
  const auto shape = Shape::Create(dims);
  return shape.ok() ? *shape : Shape();
}

std::vector<int64_t> DimsOf(const Shape& shape) { return {shape.dims().begin(), shape.dims().end()}; }

Shape BroadcastShape(const Shape& a, const Shape& b) {
  const int rank = std::max(a.rank(), b.rank());
  std::vector<int64_t> dims(rank, 1);
  for (const Shape& shape : {a, b}) {
    for (int i = 0; i < shape.rank(); ++i) {
      int64_t& dim = dims[rank - shape.rank() + i];
      dim = std::max(dim, shape[i]);
    }
  }
  return ShapeOfDims(dims);
}

Shape ProductShape(const Shape& a, const Shape& b) {
  const auto matrices = [](const Shape& shape) {
    return ShapeOfDims({shape.dims().begin(), shape.dims().end() - 2});
  };
  std::vector<int64_t> dims = DimsOf(BroadcastShape(matrices(a), matrices(b)));
  dims.push_back(a[a.rank() - 2]);
  dims.push_back(b[b.rank() - 1]);
  return ShapeOfDims(dims);
}

int TypeOf(Storage storage) {
  switch (storage) {
    case Storage::kI8: return TensorProto::INT8;
    case Storage::kI16: return TensorProto::INT16;
    case Storage::kI32: return TensorProto::INT32;
    case Storage::kI64: break;
  }
  return TensorProto::INT64;
}

GraphWriter::GraphWriter(std::span<const std::string> names, int64_t most_made)
    : prefix_("t"), left_to_make_(most_made) {
  const auto is_taken = [&](const std::string& name) { return name.starts_with(prefix_); };
  while (std::ranges::any_of(names, is_taken)) prefix_ += "_";
}

void GraphWriter::Begin(const std::string& form) {
  form_ = form;
  refusal_.clear();
}

void GraphWriter::Refuse(const std::string& reason) {
  if (refusal_.empty()) refusal_ = reason;
}

bool GraphWriter::MayMake(int64_t elements) {
  if (elements > left_to_make_) {
    Refuse("the lists and constants of its form would be too large for the size of the module");
    return false;
  }
  return true;
}

bool GraphWriter::Spend(int64_t elements) {
  if (!MayMake(elements)) return false;
  left_to_make_ -= elements;
  return true;
}

std::string GraphWriter::NewName() { return absl::StrCat(prefix_, next_++); }

Wire GraphWriter::Input(const std::string& name, const TensorType& type, const std::string& note) {
  Declare(name, TypeOf(type.storage()), type.shape, note, graph_.add_input());
  outer_names_[name] = true;
  return {name, TypeOf(type.storage()), type.shape, type.interval};
}

void GraphWriter::Output(const std::string& name, const Wire& wire, const TensorType& type,
                         const std::string& note) {
  std::string free_name = name;
  while (outer_names_[free_name]) free_name += "_";
  outer_names_[free_name] = true;
  const int element = TypeOf(type.storage());
  Wire result = RangeOf(type.storage()).Contains(wire.interval) ? wire : Prove(wire, type.interval);
  auto* node = graph_.add_node();
  node->set_op_type(result.type == element ? "Identity" : "Cast");
  node->set_name("output " + free_name);
  node->add_input(NameOf(result));
  node->add_output(free_name);
  if (result.type != element) {
    auto* to = node->add_attribute();
    to->set_name("to");
    to->set_type(AttributeProto::INT);
    to->set_i(element);
  }
  Declare(free_name, element, type.shape, note, graph_.add_output());
}

Wire GraphWriter::Borrow(const TensorView& constant) {
  return {"", TypeOf(constant.storage), constant.shape, constant.Bounds(), &constant};
}

Wire GraphWriter::Initializer(const TensorView& values, int type) {
  auto* proto = graph_.add_initializer();
  proto->set_name(NewName());
  proto->set_data_type(type);
  for (const int64_t dim : values.shape.dims()) proto->add_dims(dim);
  std::string* raw = proto->mutable_raw_data();
  for (int64_t i = 0; i < values.shape.num_elements(); ++i) AppendElement(values.at(i), type, raw);
  Wire wire = {proto->name(), type, values.shape, values.Bounds()};
  if (!TensorLimit(Profile::kCore).Contains(wire.interval))
    Refuse("a constant of its form has more than 48 bits");
  return wire;
}

Wire GraphWriter::Derived(Tensor tensor) {
  auto& [owned, view] = derived_.emplace_back(std::move(tensor), TensorView());
  view = owned.view();
  return Borrow(view);
}

Wire GraphWriter::Constant(const Tensor& tensor, int type) {
  if (!Spend(tensor.shape().num_elements())) return Placeholder(type, tensor.shape());
  return Initializer(tensor.view(), type);
}

Wire GraphWriter::Scalar(int64_t value, int type) {
  const auto [it, is_new] = scalars_.try_emplace({value, type});
  if (is_new) it->second = Constant(*Tensor::FromValues(Shape(), {value}), type);
  return it->second;
}

Wire GraphWriter::List(const std::vector<int64_t>& values) {
  const auto [it, is_new] = lists_.try_emplace(values);
  if (is_new) it->second = Constant(*Tensor::FromValues(ShapeOfDims({std::ssize(values)}), values));
  return it->second;
}

Wire GraphWriter::AlongAxis(const std::vector<int64_t>& values, int axis, int rank) {
  if (std::ranges::all_of(values, [&](int64_t value) { return value == values[0]; }))
    return Scalar(values[0]);
  std::vector<int64_t> dims(rank - axis, 1);
  dims[0] = std::ssize(values);
  return Constant(*Tensor::FromValues(ShapeOfDims(dims), values));
}

const std::string& GraphWriter::NameOf(Wire& wire) {
  if (wire.name.empty() && wire.constant != nullptr) {
    std::string& name = borrowed_[{wire.constant, wire.type}];
    if (name.empty()) name = Initializer(*wire.constant, wire.type).name;
    wire.name = name;
  }
  return wire.name;
}

std::vector<Wire> GraphWriter::Nodes(const std::string& op, std::vector<Wire> inputs,
                                     const std::vector<WireType>& results,
                                     const std::vector<NodeAttribute>& attributes) {
  // Initializers first: protobuf may move the nodes.
  for (Wire& input : inputs) NameOf(input);
  auto* node = graph_.add_node();
  node->set_op_type(op);
  node->set_name(absl::StrCat(form_, " ", op, " ", next_));
  for (const Wire& input : inputs) node->add_input(IsNothing(input) ? "" : input.name);
  for (const NodeAttribute& attribute : attributes) {
    auto* proto = node->add_attribute();
    proto->set_name(attribute.name);
    if (const auto* number = std::get_if<int64_t>(&attribute.value)) {
      proto->set_type(AttributeProto::INT);
      proto->set_i(*number);
    } else {
      proto->set_type(AttributeProto::INTS);
      for (const int64_t value : std::get<std::vector<int64_t>>(attribute.value)) proto->add_ints(value);
    }
  }
  std::vector<Wire> wires;
  for (const WireType& result : results) {
    wires.push_back({NewName(), result.type, result.shape, Checked(result.interval)});
    node->add_output(wires.back().name);
    Declare(wires.back().name, result.type, result.shape, "", graph_.add_value_info());
  }
  return wires;
}

Wire GraphWriter::Node(const std::string& op, std::vector<Wire> inputs, const WireType& result,
                       const std::vector<NodeAttribute>& attributes) {
  return Nodes(op, std::move(inputs), {result}, attributes)[0];
}

Interval GraphWriter::Checked(const WideInterval& interval) {
  const Interval limit = TensorLimit(Profile::kCore);
  if (!interval.Within(limit.lo, limit.hi)) Refuse("a value of its form may need more than 48 bits");
  const WideInterval clamped = interval.Clamp(limit.lo, limit.hi);
  return {static_cast<int64_t>(clamped.lo), static_cast<int64_t>(clamped.hi)};
}

Wire GraphWriter::Cast(const Wire& x, int type) {
  if (x.type == type) return x;
  Wire wire = x;
  // A double is cast when the model runs: the importer reads no -2^47 in a list of odd doubles.
  if (x.constant != nullptr && type != TensorProto::DOUBLE) {
    wire.name.clear();
    wire.type = type;
    return wire;
  }
  const auto [it, is_new] = casts_.try_emplace({NameOf(wire), type});
  if (is_new) it->second = Node("Cast", {wire}, {type, x.shape, x.interval}, {{"to", int64_t{type}}});
  return it->second;
}

Wire GraphWriter::Arithmetic(const std::string& op, const Wire& a, const Wire& b,
                             const WideInterval& interval) {
  return Node(op, {Int64(a), Int64(b)},
              {TensorProto::INT64, BroadcastShape(a.shape, b.shape), Checked(interval)});
}

Wire GraphWriter::Add(const Wire& a, const Wire& b) {
  if (IsAlways(b, 0) && BroadcastShape(a.shape, b.shape) == a.shape) return a;
  return Arithmetic("Add", a, b, WideInterval(a.interval) + b.interval);
}

Wire GraphWriter::Sub(const Wire& a, const Wire& b) {
  if (IsAlways(b, 0) && BroadcastShape(a.shape, b.shape) == a.shape) return a;
  return Arithmetic("Sub", a, b, WideInterval(a.interval) - b.interval);
}

Wire GraphWriter::Offset(const Wire& x, int64_t by) {
  if (x.constant == nullptr || by == 0) return Add(x, Scalar(by));
  if (!Spend(x.shape.num_elements())) return x;
  std::vector<int64_t> values;
  for (int64_t i = 0; i < x.shape.num_elements(); ++i) {
    values.push_back(Checked(WideInterval(x.constant->at(i), x.constant->at(i)) + WideInterval(by, by)).lo);
  }
  return Derived(*Tensor::FromValues(x.shape, values));
}

Wire GraphWriter::Mul(const Wire& a, const Wire& b) {
  if (IsAlways(b, 1) && BroadcastShape(a.shape, b.shape) == a.shape) return a;
  return Arithmetic("Mul", a, b, WideInterval(a.interval) * b.interval);
}

Wire GraphWriter::Max(const Wire& a, const Wire& b) {
  if (!IsSafeToOrder(a.interval) || !IsSafeToOrder(b.interval)) return Where(Compare("Less", a, b), b, a);
  return Arithmetic("Max", a, b,
                    Interval{std::max(a.interval.lo, b.interval.lo), std::max(a.interval.hi, b.interval.hi)});
}

Wire GraphWriter::Min(const Wire& a, const Wire& b) {
  if (!IsSafeToOrder(a.interval) || !IsSafeToOrder(b.interval)) return Where(Compare("Less", a, b), a, b);
  return Arithmetic("Min", a, b,
                    Interval{std::min(a.interval.lo, b.interval.lo), std::min(a.interval.hi, b.interval.hi)});
}

Wire GraphWriter::Abs(const Wire& x) {
  const int64_t least =
      x.interval.Contains(0) ? 0 : std::min(std::abs(x.interval.lo), std::abs(x.interval.hi));
  return Node("Abs", {Int64(x)},
              {TensorProto::INT64, x.shape, Checked({least, static_cast<Int128>(x.interval.Magnitude())})});
}

Wire GraphWriter::Div(const Wire& a, const Wire& b) {
  if (IsAlways(b, 1) && BroadcastShape(a.shape, b.shape) == a.shape) return a;
  const auto quotient = [](int64_t x, int64_t y) { return x / std::max<int64_t>(y, 1); };
  const Interval &x = a.interval, &y = b.interval;
  return Arithmetic("Div", a, b,
                    Interval{std::min(quotient(x.lo, y.lo), quotient(x.lo, y.hi)),
                             std::max(quotient(x.hi, y.lo), quotient(x.hi, y.hi))});
}

Wire GraphWriter::Mod(const Wire& a, const Wire& b) {
  return Arithmetic("Mod", a, b, Interval{0, std::max<int64_t>(b.interval.hi - 1, 0)});
}

Wire GraphWriter::Clip(const Wire& x, const Interval& range) {
  if (range.Contains(x.interval)) return x;
  if (x.interval.hi <= range.lo) return Expand(Scalar(range.lo), x.shape);
  if (x.interval.lo >= range.hi) return Expand(Scalar(range.hi), x.shape);
  // No bound reaches beyond the elements.
  const auto clamp = [&](int64_t value) { return std::clamp(value, x.interval.lo, x.interval.hi); };
  const Interval bounds = {clamp(range.lo), clamp(range.hi)};
  if (IsSafeToOrder(x.interval)) return ClipNode(x, bounds);
  Wire y = x;
  if (x.interval.lo < range.lo) y = Max(y, Scalar(bounds.lo));
  if (x.interval.hi > range.hi) y = Min(y, Scalar(bounds.hi));
  return Prove(y, bounds);
}

Wire GraphWriter::Prove(const Wire& x, const Interval& range) {
  return range.Contains(x.interval) || !IsSafeToOrder(range) ? x : ClipNode(x, range);
}

Wire GraphWriter::ClipNode(const Wire& x, const Interval& range) {
  const auto clamp = [&](int64_t value) { return std::clamp(value, range.lo, range.hi); };
  return Node("Clip", {Int64(x), Scalar(range.lo), Scalar(range.hi)},
              {TensorProto::INT64, x.shape, {clamp(x.interval.lo), clamp(x.interval.hi)}});
}

Wire GraphWriter::Compare(const std::string& op, const Wire& a, const Wire& b) {
  return Node(op, {Int64(a), Int64(b)}, {TensorProto::BOOL, BroadcastShape(a.shape, b.shape), {0, 1}});
}

Wire GraphWriter::Truth(const Wire& x) {
  if (x.type == TensorProto::BOOL) return x;
  return Node("Cast", {Int64(x)}, {TensorProto::BOOL, x.shape, {0, 1}}, {{"to", int64_t{TensorProto::BOOL}}});
}

Wire GraphWriter::Where(const Wire& condition, const Wire& x, const Wire& y) {
  return Node("Where", {condition, Int64(x), Int64(y)},
              {TensorProto::INT64, BroadcastShape(condition.shape, BroadcastShape(x.shape, y.shape)),
               x.interval.Hull(y.interval)});
}

// A scalar is made by Squeeze: the list of its dims would be an empty tensor.
Wire GraphWriter::Reshape(const Wire& x, const Shape& shape) {
  if (x.shape == shape) return x;
  const WireType result = {x.type, shape, x.interval};
  if (shape.rank() > 0) return Node("Reshape", {x, List(DimsOf(shape))}, result);
  std::vector<int64_t> axes(x.shape.rank());
  std::iota(axes.begin(), axes.end(), 0);
  return Node("Squeeze", {x, List(axes)}, result);
}

Wire GraphWriter::Transpose(const Wire& x, const std::vector<int64_t>& axes) {
  if (std::ranges::is_sorted(axes)) return x;
  std::vector<int64_t> dims;
  for (const int64_t axis : axes) dims.push_back(x.shape[static_cast<int>(axis)]);
  if (x.constant != nullptr && !Spend(x.shape.num_elements())) return Placeholder(x.type, ShapeOfDims(dims));
  if (x.constant != nullptr) {
    Tensor moved(ShapeOfDims(dims), x.constant->storage);
    for (int64_t i = 0; i < moved.shape().num_elements(); ++i) {
      const Index d = Unflatten(i, moved.shape());
      Index from = {};
      for (size_t axis = 0; axis < axes.size(); ++axis) from[axes[axis]] = d[axis];
      StoreElement(moved.storage(), moved.mutable_bytes().data(), i, x.constant->at(Flatten(from, x.shape)));
    }
    return Derived(std::move(moved));
  }
  return Node("Transpose", {x}, {x.type, ShapeOfDims(dims), x.interval}, {{"perm", axes}});
}

Wire GraphWriter::Expand(const Wire& x, const Shape& shape) {
  if (x.shape == shape) return x;
  return Node("Expand", {x, List(DimsOf(shape))}, {x.type, shape, x.interval});
}

Wire GraphWriter::Gather(const Wire& x, const Wire& indices, int axis) {
  std::vector<int64_t> dims = DimsOf(x.shape);
  dims.erase(dims.begin() + axis);
  const auto places = indices.shape.dims();
  dims.insert(dims.begin() + axis, places.begin(), places.end());
  return Node("Gather", {x, Int64(indices)}, {x.type, ShapeOfDims(dims), x.interval},
              {{"axis", int64_t{axis}}});
}

Wire GraphWriter::Pad(const Wire& x, const std::vector<int64_t>& before, const std::vector<int64_t>& after,
                      int64_t value) {
  std::vector<int64_t> dims = DimsOf(x.shape), pads = before;
  for (size_t i = 0; i < dims.size(); ++i) dims[i] += before[i] + after[i];
  pads.insert(pads.end(), after.begin(), after.end());
  if (std::ranges::all_of(pads, [](int64_t pad) { return pad == 0; })) return x;
  return Node("Pad", {Int64(x), List(pads), Scalar(value)},
              {TensorProto::INT64, ShapeOfDims(dims), x.interval.Hull({value, value})});
}

namespace {

Shape Reduced(const Shape& shape, const std::vector<int64_t>& axes, bool keepdims) {
  std::vector<int64_t> dims;
  for (int i = 0; i < shape.rank(); ++i) {
    if (std::ranges::find(axes, i) == axes.end()) {
      dims.push_back(shape[i]);
    } else if (keepdims) {
      dims.push_back(1);
    }
  }
  return ShapeOfDims(dims);
}

}  // namespace

// A reduction over no axes would be one over all.
Wire GraphWriter::ReduceSum(const Wire& x, const std::vector<int64_t>& axes, bool keepdims) {
  if (axes.empty()) return x;
  const Shape shape = Reduced(x.shape, axes, keepdims);
  const int64_t count = x.shape.num_elements() / shape.num_elements();
  return Node("ReduceSum", {Int64(x), List(axes)},
              {TensorProto::INT64, shape, Checked(WideInterval(x.interval) * WideInterval(count, count))},
              {{"keepdims", int64_t{keepdims}}});
}

Wire GraphWriter::ReduceMax(const Wire& x, const std::vector<int64_t>& axes, bool keepdims) {
  if (axes.empty()) return x;
  return Node("ReduceMax", {Int64(x)}, {TensorProto::INT64, Reduced(x.shape, axes, keepdims), x.interval},
              {{"axes", axes}, {"keepdims", int64_t{keepdims}}});
}

Wire GraphWriter::MatMul(const Wire& a, const Wire& b) {
  const int64_t terms = a.shape[a.shape.rank() - 1];
  const WideInterval sums = WideInterval(a.interval) * b.interval * WideInterval(terms, terms);
  return Node("MatMul", {Int64(a), Int64(b)},
              {TensorProto::INT64, ProductShape(a.shape, b.shape), Checked(sums)});
}

}  // namespace tally::onnx
