#include "quant/passes/testing/drawn_graph.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <utility>

#include "quant/graph/graph_builder.h"

namespace tally::quant {
namespace {

using F = RecipeFunction;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// A distribution of the standard library would draw other numbers on another platform.
class Source {
 public:
  explicit Source(uint32_t seed) : engine_(seed) {}

  int64_t Below(size_t count) { return static_cast<int64_t>(engine_() % static_cast<uint32_t>(count)); }
  bool OneIn(size_t count) { return Below(count) == 0; }
  float Within(float bound) { return bound * (static_cast<float>(Below(2001)) - 1000) / 1000; }
  template <typename T>
  T OneOf(std::initializer_list<T> list) {
    return list.begin()[Below(list.size())];
  }

 private:
  std::mt19937 engine_;
};

class Drawer {
 public:
  explicit Drawer(uint32_t seed) : source_(seed) {}

  Graph Run() {
    const int64_t inputs = 1 + source_.Below(3);
    for (int64_t i = 0; i < inputs; ++i) {
      floats_.push_back(
          *b_.AddInput(Next("x"), source_.OneOf<Shape>({{2, 3}, {3, 4}, {1, 2, 3, 3}, {2, 3, 4}})));
    }
    if (source_.OneIn(2)) {
      const Value flags = {.name = Next("ids"),
                           .type = {ElementType::kInt64, source_.OneOf<Shape>({{2}, {3}, {2, 3}})},
                           .interval = Interval{0, source_.OneOf<int64_t>({1, 3})}};
      integers_.push_back(*b_.AddInput(flags));
    }
    const size_t nodes = 6 + static_cast<size_t>(source_.Below(25));
    for (int tries = 0; b_.graph().nodes.size() < nodes && tries < 200; ++tries) Step();
    AddOutputs();
    return *std::move(b_).Build();
  }

 private:
  std::string Next(const std::string& name) { return name + std::to_string(count_++); }
  Shape ShapeOf(ValueId value) const { return b_.graph().values[value].type.shape; }

  // A node that may not fit, and then is not added.
  ValueId Add(const Op& op, std::vector<ValueId> operands) {
    for (const ValueId operand : operands) {
      if (operand < 0) return -1;
    }
    const auto result = b_.AddNode(op, std::move(operands), Next("v"), Next("node "));
    if (!result.ok() || NumElements(ShapeOf(*result)) > 512) return -1;
    const bool is_float = b_.graph().values[*result].type.element == ElementType::kFloat32;
    (is_float ? floats_ : integers_).push_back(*result);
    return *result;
  }
  ValueId Number(float number) { return *b_.AddConstant(Next("c"), FloatTensor{{1}, {number}}); }
  ValueId Weights(const Shape& shape, float bound = 1) {
    FloatTensor tensor{shape, {}};
    for (int64_t i = 0; i < NumElements(shape); ++i) tensor.data.push_back(source_.Within(bound));
    return *b_.AddConstant(Next("w"), std::move(tensor));
  }
  ValueId Positive(const Shape& shape) {
    FloatTensor tensor{shape, {}};
    for (int64_t i = 0; i < NumElements(shape); ++i) tensor.data.push_back(1.5f + source_.Within(1));
    return *b_.AddConstant(Next("w"), std::move(tensor));
  }

  // Recent values more often, so that chains are long.
  ValueId AnyOf(const std::vector<ValueId>& values) {
    const size_t recent = source_.OneIn(3) ? values.size() : std::min<size_t>(values.size(), 3);
    return values[values.size() - 1 - static_cast<size_t>(source_.Below(recent))];
  }
  ValueId Any() { return AnyOf(floats_); }
  // A value that may be computed with another one, or a constant.
  ValueId Partner(ValueId x) {
    const Shape shape = ShapeOf(x);
    switch (source_.Below(5)) {
      case 0: return Number(source_.OneOf<float>({0.25f, 0.5f, 2, -1, 0, 1, 0.125f}));
      case 1: return shape.empty() ? Number(3) : Weights({shape.back()});
      case 2: return ChannelWeights(shape);
      default: break;
    }
    for (int i = 0; i < 8; ++i) {
      const ValueId y = Any();
      if (ShapeOf(y) == shape) return y;
    }
    return Any();
  }
  ValueId ChannelWeights(const Shape& shape) {
    if (shape.size() < 2) return Number(0.75f);
    Shape list(shape.size() - 1, 1);
    list[0] = shape[1];
    return Weights(list);
  }
  // a and b in either order.
  ValueId Either(const Op& op, ValueId a, ValueId b) {
    return source_.OneIn(2) ? Add(op, {a, b}) : Add(op, {b, a});
  }
  ValueId Function(F function, ValueId x, float alpha = 0, float beta = 0) {
    return Add(Unary{function, alpha, beta}, {x});
  }
  ValueId Negative(ValueId x) {
    return source_.OneIn(2) ? Add(Slopes{-1, -1}, {x}) : Either(Mul{}, x, Number(-1));
  }

  void Step() {
    const ValueId x = Any();
    switch (source_.Below(17)) {
      case 0: Either(source_.OneOf<Op>({Sum{}, Mul{}, Max{}, Min{}}), x, Partner(x)); break;
      case 1: Either(Mul{}, x, Partner(x)); break;
      case 2: Either(Sum{}, x, Partner(x)); break;
      case 3: Either(Sub{}, x, Partner(x)); break;
      case 4: Pointwise(x); break;
      case 5: Move(x); break;
      case 6: Move(x); break;
      case 7: Linear(x); break;
      case 8: Linear(x); break;
      case 9: Product(x); break;
      case 10: BatchNormalize(x); break;
      case 11: Reduce(x); break;
      case 12: Activation(x); break;
      case 13: Norm(x); break;
      case 14: SpreadOutNorm(x); break;
      case 15: Masks(x); break;
      default: Indices(x); break;
    }
  }

  void Pointwise(ValueId x) {
    switch (source_.Below(6)) {
      case 0: Add(Relu{}, {x}); break;
      case 1: Add(Clip{-source_.OneOf<float>({0, 0.5f, 1}), source_.OneOf<float>({0.5f, 1, 6})}, {x}); break;
      case 2: Negative(x); break;
      case 3:
        Add(Div{}, {x, ShapeOf(x).empty() || source_.OneIn(2) ? Number(source_.OneOf<float>({4, -2}))
                                                              : Positive({ShapeOf(x).back()})});
        break;
      case 4: Grid(x); break;
      default: Function(source_.OneOf<F>({F::kTanh, F::kSigmoid, F::kErf, F::kSoftplus}), x); break;
    }
  }

  // round(x / scale + zero) within bounds, and back.
  void Grid(ValueId x) {
    const float scale = source_.OneOf<float>({0.25f, 0.125f});
    const ValueId q = Function(F::kRoundHalfEven, source_.OneIn(2) ? Add(Div{}, {x, Number(scale)})
                                                                   : Either(Mul{}, x, Number(1 / scale)));
    const float zero = source_.OneOf<float>({0, 3});
    const ValueId shifted = zero == 0 ? q : Either(Sum{}, q, Number(zero));
    const ValueId code = Add(Clip{source_.OneOf<float>({-8, 0}), 7}, {shifted});
    Either(Mul{}, zero == 0 ? code : Add(Sub{}, {code, Number(zero)}), Number(scale));
  }

  void Move(ValueId x) {
    const Shape shape = ShapeOf(x);
    const auto rank = static_cast<int64_t>(shape.size());
    switch (source_.Below(7)) {
      case 0: {
        std::vector<int64_t> order(shape.size());
        for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
        for (size_t i = order.size(); i > 1; --i)
          std::swap(order[i - 1], order[static_cast<size_t>(source_.Below(i))]);
        Add(Transpose{order}, {x});
        break;
      }
      case 1: Add(Reshape{{NumElements(shape)}}, {x}); break;
      case 2: {
        Shape split = shape;
        split.insert(split.begin() + source_.Below(split.size() + 1), 1);
        Add(Reshape{split}, {x});
        break;
      }
      case 3: {
        if (rank < 2) break;
        Shape joined(shape.begin() + 1, shape.end());
        joined[0] *= shape[0];
        Add(Reshape{joined}, {x});
        break;
      }
      case 4:
        if (rank > 0) Add(Concat{source_.Below(shape.size())}, {x, Partner(x)});
        break;
      case 5: {
        if (rank == 0) break;
        Slice slice{std::vector<int64_t>(shape.size(), 0), shape, std::vector<int64_t>(shape.size(), 1)};
        const auto axis = static_cast<size_t>(source_.Below(shape.size()));
        slice.begin[axis] = source_.Below(static_cast<size_t>(shape[axis]));
        Add(slice, {x});
        break;
      }
      default: {
        Pad pad{Pad::Mode::kZero, std::vector<int64_t>(shape.size(), 0),
                std::vector<int64_t>(shape.size(), 0)};
        if (rank > 0) pad.after.back() = 1;
        Add(pad, {x});
      }
    }
  }

  void Linear(ValueId x) {
    const Shape shape = ShapeOf(x);
    std::vector<ValueId> operands = {x};
    if (shape.size() == 2) {
      operands.push_back(Weights({source_.OneOf<int64_t>({3, 4}), shape[1]}));
      if (source_.OneIn(2)) operands.push_back(Weights({ShapeOf(operands[1])[0]}));
      const ValueId y = Add(Dense{}, operands);
      if (y < 0) return;
      const Shape rows = ShapeOf(y);
      const ValueId shown = source_.OneIn(3) ? Add(Reshape{{1, rows[0], rows[1]}}, {y}) : y;
      if (source_.OneIn(3)) Either(Sum{}, shown, source_.OneIn(4) ? Partner(shown) : Weights({rows[1]}));
      return;
    }
    if (shape.size() != 4) return;
    const bool transposed = source_.OneIn(3);
    const Shape weight = transposed ? Shape{shape[1], 3, 2, 2} : Shape{3, shape[1], 2, 2};
    operands.push_back(Weights(weight));
    if (source_.OneIn(2)) operands.push_back(Weights({3}));
    const Extents one = {1, 1};
    const ValueId y = transposed ? Add(ConvTranspose{.stride = {2, 2}, .dilation = one, .pad = {}}, operands)
                                 : Add(Conv{.stride = one, .dilation = one, .pad = {1, 0, 0, 1}}, operands);
    if (y < 0) return;
    const Shape result = ShapeOf(y);
    const bool is_list = source_.OneIn(3);
    const ValueId shown = is_list ? Add(Reshape{{result[0], result[1], result[2] * result[3]}}, {y}) : y;
    const Shape channels = is_list ? Shape{3, 1} : Shape{3, 1, 1};
    if (source_.OneIn(3)) Either(Sum{}, shown, source_.OneIn(4) ? Partner(shown) : Weights(channels));
  }

  // The product of two computed values, whatever their shapes are.
  void Product(ValueId x) {
    ValueId a = x, b = Any();
    for (int i = 0; i < 6 && ShapeOf(a).size() >= 2; ++i) {
      if (ShapeOf(b).size() >= 2 && ShapeOf(b)[ShapeOf(b).size() - 2] == ShapeOf(a).back()) break;
      b = Any();
    }
    if (source_.OneIn(2)) b = source_.OneIn(2) ? Either(Mul{}, b, Number(0.5f)) : b;
    if (ShapeOf(a).size() >= 2 && b >= 0 && ShapeOf(b) == ShapeOf(a)) {
      std::vector<int64_t> order(ShapeOf(b).size());
      for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
      std::swap(order[order.size() - 1], order[order.size() - 2]);
      b = Add(Transpose{order}, {b});
    }
    const ValueId product = Add(MatMul{}, {a, b});
    if (source_.OneIn(3)) Either(Mul{}, product, Number(source_.OneOf<float>({0.5f, 0.25f, -1})));
    if (source_.OneIn(3)) Either(source_.OneOf<Op>({Mul{}, Sum{}}), product, Number(0.5f));
  }

  void BatchNormalize(ValueId x) {
    if (ShapeOf(x).size() < 2) return;
    const int64_t channels = ShapeOf(x)[1];
    Add(BatchNorm{},
        {x, Weights({channels}), Weights({channels}), Weights({channels}), Positive({channels})});
  }

  void Reduce(ValueId x) {
    if (ShapeOf(x).empty()) return;
    const std::vector<int64_t> axes = {source_.Below(ShapeOf(x).size())};
    const bool keeps = !source_.OneIn(3);
    switch (source_.Below(3)) {
      case 0: Add(ReduceSum{axes, keeps, source_.OneIn(2)}, {x}); break;
      case 1: Add(ReduceExtreme{axes, keeps, source_.OneIn(2)}, {x}); break;
      default: Add(Softmax{axes[0]}, {x});
    }
  }

  ValueId Logistic(ValueId x) {
    const ValueId divisor = Either(Sum{}, Function(F::kExp, Negative(x)), Number(1));
    return source_.OneIn(2) ? Function(F::kReciprocal, divisor) : Add(Div{}, {Number(1), divisor});
  }

  // As exporters write them, sometimes of another value than the one that it should be.
  void Activation(ValueId x) {
    const ValueId y = source_.OneIn(5) ? Any() : x;
    switch (source_.Below(6)) {
      case 0: Either(Mul{}, x, source_.OneIn(2) ? Function(F::kSigmoid, y) : Logistic(y)); break;
      case 1: {
        const ValueId gate = Either(
            Sum{}, Function(F::kErf, Either(Mul{}, y, Number(static_cast<float>(1 / std::numbers::sqrt2)))),
            Number(1));
        Either(Mul{}, Either(Mul{}, x, Number(0.5f)), gate);
        break;
      }
      case 2: Either(Mul{}, x, Function(F::kTanh, Function(F::kSoftplus, y))); break;
      case 3: {
        const ValueId ramp = Add(Clip{0, 6}, {Either(Sum{}, y, Number(3))});
        Either(Mul{}, x, Either(Mul{}, ramp, Number(1.0f / 6)));
        break;
      }
      case 4: Negative(Add(Clip{-1, source_.OneOf<float>({0.5f, kInfinity})}, {Negative(y)})); break;
      default: {
        const ValueId cube = Either(Mul{}, Function(F::kPower, y, 3), Number(0.044715f));
        const ValueId inner = Either(Mul{}, Either(Sum{}, x, cube), Number(0.7978845608f));
        Either(Mul{}, Either(Mul{}, x, Number(0.5f)), Either(Sum{}, Function(F::kTanh, inner), Number(1)));
      }
    }
  }

  void Norm(ValueId x) {
    if (ShapeOf(x).empty()) return;
    const std::vector<int64_t> axes = {source_.Below(ShapeOf(x).size())};
    const ReduceSum mean = {axes, /*keep_dimensions=*/true, /*is_mean=*/true};
    const bool centres = source_.OneIn(2);
    const ValueId centred = centres ? Add(Sub{}, {x, Add(mean, {x})}) : x;
    if (centred < 0) return;
    const ValueId of = source_.OneIn(6) ? Any() : centred;
    const ValueId square = source_.OneIn(2) ? Add(Mul{}, {of, of}) : Function(F::kPower, of, 2);
    const bool is_length = source_.OneIn(4);
    ReduceSum spread = mean;
    if (is_length) spread.is_mean = false;
    ValueId sum = Add(spread, {square});
    if (!is_length || source_.OneIn(2)) sum = Either(Sum{}, sum, Number(0.25f));
    if (source_.OneIn(2)) {
      const ValueId root = Function(F::kSqrt, sum);
      Either(Mul{}, Add(Div{}, {centred, root}), Partner(centred));
      return;
    }
    const ValueId inverse =
        source_.OneIn(2) ? Function(F::kRsqrt, sum) : Function(F::kReciprocal, Function(F::kSqrt, sum));
    ValueId y = Either(Mul{}, centred,
                       source_.OneIn(3) ? Either(Mul{}, inverse, Weights({ShapeOf(x).back()})) : inverse);
    if (source_.OneIn(2) && y >= 0) y = Either(Mul{}, y, Partner(y));
    if (source_.OneIn(2) && y >= 0) Either(Sum{}, y, Partner(y));
  }

  // x k + (bias - mean(x) k), as Keras writes a norm.
  void SpreadOutNorm(ValueId x) {
    if (ShapeOf(x).empty()) return;
    const std::vector<int64_t> axes = {source_.Below(ShapeOf(x).size())};
    const ReduceSum mean = {axes, /*keep_dimensions=*/!source_.OneIn(4), /*is_mean=*/true};
    const ValueId mu = Add(mean, {x}), d = Add(Sub{}, {x, mu});
    const ValueId variance = Either(Sum{}, Add(mean, {Add(Mul{}, {d, d})}), Number(0.25f));
    ValueId k = Function(F::kRsqrt, variance);
    if (source_.OneIn(2)) k = Either(Mul{}, k, Weights({ShapeOf(x).back()}));
    const ValueId shift = Add(Sub{}, {Weights({ShapeOf(x).back()}), Either(Mul{}, mu, k)});
    Either(Sum{}, shift, Either(Mul{}, source_.OneIn(5) ? Any() : x, k));
  }

  // Scores, to which a large negative number is added where a flag says so, and their softmax.
  void Masks(ValueId x) {
    if (integers_.empty() || ShapeOf(x).empty()) return;
    const ValueId flags = AnyOf(integers_);
    ValueId hidden = Add(ToFloat{}, {flags});
    if (source_.OneIn(2)) hidden = Add(Sub{}, {Number(1), hidden});
    const float depth = source_.OneOf<float>({-1e4f, -10});
    const ValueId mask = Either(Mul{}, hidden, Number(depth));
    Add(Softmax{static_cast<int64_t>(ShapeOf(x).size()) - 1}, {Either(Sum{}, x, mask)});
  }

  void Indices(ValueId x) {
    if (integers_.empty() || ShapeOf(x).empty()) return;
    const ValueId ids = AnyOf(integers_);
    switch (source_.Below(5)) {
      case 0:
        Add(Compare{Comparison::kEqual}, {ids, *b_.AddConstant(Next("c"), Int64Tensor{{}, {1}})});
        break;
      case 1: Add(Where{}, {ids, x, Number(source_.OneOf<float>({-1e9f, 0}))}); break;
      case 2: Add(Reshape{{NumElements(ShapeOf(ids))}}, {ids}); break;
      default: Add(Gather{source_.Below(ShapeOf(x).size())}, {x, ids});
    }
  }

  // Some, of which the last value is one, and others anywhere.
  void AddOutputs() {
    b_.AddOutput(b_.graph().nodes.empty() ? floats_[0] : floats_.back());
    const int64_t more = source_.Below(4);
    for (int64_t i = 0; i < more; ++i)
      b_.AddOutput(floats_[static_cast<size_t>(source_.Below(floats_.size()))]);
    if (!integers_.empty() && source_.OneIn(4)) b_.AddOutput(integers_.back());
  }

  using Sum = quant::Add;  // beside the function

  Source source_;
  GraphBuilder b_{"drawn"};
  std::vector<ValueId> floats_, integers_;
  int count_ = 0;
};

}  // namespace

Graph DrawnGraph(uint32_t seed) { return Drawer(seed).Run(); }

std::vector<FloatTensor> DrawnInputs(const Graph& graph, uint32_t seed) {
  Source source(seed);
  std::vector<FloatTensor> inputs;
  for (const ValueId input : graph.inputs) {
    const Value& value = graph.values[input];
    FloatTensor tensor{value.type.shape, {}};
    for (int64_t i = 0; i < NumElements(tensor.shape); ++i) {
      const bool is_float = value.type.element == ElementType::kFloat32;
      tensor.data.push_back(
          is_float ? source.Within(2)
                   : static_cast<float>(source.Below(static_cast<size_t>(value.interval->hi) + 1)));
    }
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

}  // namespace tally::quant
