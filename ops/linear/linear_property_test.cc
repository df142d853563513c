// Laws of the linear operators over random shapes, attributes and values.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "ops/indexing.h"
#include "ops/linear/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

int64_t Draw(int64_t lo, int64_t hi) { return *rc::gen::inRange<int64_t>(lo, hi + 1); }

Shape ShapeOf(const std::vector<int64_t>& dims) { return *Shape::Create(dims); }

TestOperand DrawTensor(const std::vector<int64_t>& dims, Interval within) {
  const Shape shape = ShapeOf(dims);
  std::vector<int64_t> values(static_cast<size_t>(shape.num_elements()));
  for (int64_t& v : values) v = Draw(within.lo, within.hi);
  return {*Tensor::FromValues(shape, values), within};
}

TestOperand Of(const std::vector<int64_t>& dims, const std::vector<int64_t>& values, Interval within) {
  return {*Tensor::FromValues(ShapeOf(dims), values), within};
}

int64_t Dot(const std::vector<int64_t>& a, const TensorView& b) {
  int64_t sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b.at(static_cast<int64_t>(i));
  return sum;
}

// A convolution that fits, with its operands.
struct Case {
  ConvolutionAttrs attrs;
  TestOperand x, w;
};

Case DrawConvolution() {
  const int64_t axes = Draw(1, 3);
  Case drawn;
  ConvolutionAttrs& attrs = drawn.attrs;
  attrs.groups = Draw(1, 3);
  attrs.zero_x = Draw(-4, 4), attrs.zero_w = Draw(-4, 4);
  std::vector<int64_t> x = {Draw(1, 2), attrs.groups * Draw(1, 2)};
  std::vector<int64_t> w = {attrs.groups * Draw(1, 2), x[1] / attrs.groups};
  for (int64_t axis = 0; axis < axes; ++axis) {
    const int64_t taps = Draw(1, 3), dilation = Draw(1, 2), begin = Draw(0, 2), end = Draw(0, 2);
    const int64_t extent = dilation * (taps - 1) + 1;
    w.push_back(taps);
    x.push_back(std::max<int64_t>(extent - begin - end, 1) + Draw(0, 3));
    attrs.stride.push_back(Draw(1, 3));
    attrs.dilation.push_back(dilation);
    attrs.pad_begin.push_back(begin);
    attrs.pad_end.push_back(end);
  }
  drawn.x = DrawTensor(x, {-9, 9});
  drawn.w = DrawTensor(w, {-9, 9});
  drawn.w.constant = *rc::gen::arbitrary<bool>();
  const auto positive = [](int64_t n) { return n > 0; };
  RC_CLASSIFY(axes == 3, "three axes");
  RC_CLASSIFY(attrs.groups > 1, "groups");
  RC_CLASSIFY(attrs.groups == x[1] && attrs.groups > 1, "depthwise");
  RC_CLASSIFY(attrs.pad_begin != attrs.pad_end, "asymmetric padding");
  RC_CLASSIFY(std::ranges::any_of(attrs.dilation, [](int64_t d) { return d > 1; }), "dilated");
  RC_CLASSIFY(
      !std::ranges::any_of(attrs.pad_begin, positive) && !std::ranges::any_of(attrs.pad_end, positive),
      "without padding");
  RC_CLASSIFY(drawn.w.constant, "constant weights");
  return drawn;
}

OpOutcome Convolved(const Case& test) {
  auto y = RunOp({.op = Opcode::kConvolution, .operands = {test.x, test.w}, .attributes = Pack(test.attrs)});
  if (!y.ok()) RC_FAIL(std::string(y.status().message()));
  return *std::move(y);
}

// im2col: x is framed by its zero point, then every result is the product of a patch and a row of weights.
// RunOp also checks that the three integers agree and stay inside the inferred interval.
RC_GTEST_PROP(ConvolutionLaws, EqualsProductsOfPatches, ()) {
  const Case test = DrawConvolution();
  const OpOutcome y = Convolved(test);
  const ConvolutionAttrs& attrs = test.attrs;
  const TensorView x = test.x.tensor.view(), w = test.w.tensor.view();
  std::vector<int64_t> framed_dims(x.shape.dims().begin(), x.shape.dims().end());
  for (size_t i = 0; i < attrs.stride.size(); ++i)
    framed_dims[2 + i] += attrs.pad_begin[i] + attrs.pad_end[i];
  const Shape framed_shape = ShapeOf(framed_dims);
  std::vector<int64_t> framed(static_cast<size_t>(framed_shape.num_elements()), attrs.zero_x);
  for (int64_t i = 0; i < x.shape.num_elements(); ++i) {
    Index at = Unflatten(i, x.shape);
    for (size_t axis = 0; axis < attrs.stride.size(); ++axis) at[2 + axis] += attrs.pad_begin[axis];
    framed[static_cast<size_t>(Flatten(at, framed_shape))] = x.at(i);
  }
  const int64_t row = w.shape.num_elements() / w.shape[0], per_group = w.shape[0] / attrs.groups;
  const Shape& shape = y.types[0].shape;
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    const Index p = Unflatten(i, shape);
    int64_t sum = 0;
    for (int64_t k = 0; k < row; ++k) {
      Index tap = Unflatten(p[1] * row + k, w.shape);
      Index at = {p[0], p[1] / per_group * w.shape[1] + tap[1]};
      for (size_t axis = 0; axis < attrs.stride.size(); ++axis) {
        at[2 + axis] = p[2 + axis] * attrs.stride[axis] + tap[2 + axis] * attrs.dilation[axis];
      }
      sum += (framed[static_cast<size_t>(Flatten(at, framed_shape))] - attrs.zero_x) *
             (w.at(p[1] * row + k) - attrs.zero_w);
    }
    RC_ASSERT(y.values[0][static_cast<size_t>(i)] == sum);
  }
}

// <conv(x), y> = <x, conv_transpose(y)> when both have the same weights and no zero points.
RC_GTEST_PROP(ConvolutionLaws, TheTransposeIsTheAdjoint, ()) {
  Case test = DrawConvolution();
  test.attrs.zero_x = test.attrs.zero_w = 0;
  const OpOutcome convolved = Convolved(test);
  const auto result = convolved.types[0].shape.dims();
  const TestOperand y = DrawTensor({result.begin(), result.end()}, {-9, 9});
  ConvTransposeAttrs attrs = {.stride = test.attrs.stride,
                              .dilation = test.attrs.dilation,
                              .pad_begin = test.attrs.pad_begin,
                              .pad_end = test.attrs.pad_end,
                              .groups = test.attrs.groups};
  const Shape &x = test.x.tensor.shape(), &w = test.w.tensor.shape();
  for (size_t i = 0; i < attrs.stride.size(); ++i) {
    const int64_t extent = attrs.dilation[i] * (w[static_cast<int>(2 + i)] - 1) + 1;
    const int64_t reached =
        (result[2 + i] - 1) * attrs.stride[i] + extent - attrs.pad_begin[i] - attrs.pad_end[i];
    attrs.output_padding.push_back(x[static_cast<int>(2 + i)] - reached);
    RC_CLASSIFY(attrs.output_padding.back() > 0, "output padding");
  }
  const auto back = RunOp({.op = Opcode::kConvTranspose, .operands = {y, test.w}, .attributes = Pack(attrs)});
  if (!back.ok()) RC_FAIL(std::string(back.status().message()));
  RC_ASSERT(back->types[0].shape == x);
  RC_ASSERT(Dot(convolved.values[0], y.tensor.view()) == Dot(back->values[0], test.x.tensor.view()));
}

// Channel by channel, the input that puts each factor at the end that its weight likes reaches the bounds.
RC_GTEST_PROP(ConvolutionLaws, SomeInputReachesEachEndBehindConstantWeights, ()) {
  const int64_t channels = Draw(1, 3), inputs = Draw(1, 3), taps = Draw(1, 3);
  const int64_t lo = Draw(-9, 9), hi = Draw(lo, 12);
  ConvolutionAttrs attrs = {.stride = {1}, .dilation = {1}, .pad_begin = {0}, .pad_end = {0}};
  attrs.zero_x = Draw(-5, 5), attrs.zero_w = Draw(-5, 5);
  TestOperand w = DrawTensor({channels, inputs, taps}, {-9, 9}), bias = DrawTensor({channels}, {-99, 99});
  w.constant = bias.constant = true;
  Interval reached = {INT64_MAX, INT64_MIN}, inferred;
  for (int64_t channel = 0; channel < channels; ++channel) {
    for (const bool most : {false, true}) {
      std::vector<int64_t> x;
      for (int64_t k = 0; k < inputs * taps; ++k) {
        const bool rises = w.tensor.view().at(channel * inputs * taps + k) > attrs.zero_w;
        x.push_back(rises == most ? hi : lo);
      }
      const auto y = RunOp({.op = Opcode::kConvolution,
                            .operands = {Of({1, inputs, taps}, x, {lo, hi}), w, bias},
                            .attributes = Pack(attrs)});
      if (!y.ok()) RC_FAIL(std::string(y.status().message()));
      for (const int64_t v : y->values[0]) reached = reached.Hull({v, v});
      inferred = y->types[0].interval;
    }
  }
  RC_CLASSIFY(lo == hi, "one value");
  RC_ASSERT(reached == inferred);
}

// A constant on either side of a product, in batches that broadcast.
RC_GTEST_PROP(MatmulLaws, SomeInputReachesEachEndBehindAConstant, ()) {
  const int64_t batch = Draw(1, 2), rows = Draw(1, 3), terms = Draw(1, 3);
  const bool left = *rc::gen::arbitrary<bool>(), flip = *rc::gen::arbitrary<bool>();
  const int64_t lo = Draw(-9, 9), hi = Draw(lo, 12);
  MatmulAttrs attrs = {.zero_a = Draw(-5, 5), .zero_b = Draw(-5, 5)};
  const int64_t zero = left ? attrs.zero_a : attrs.zero_b;
  // Every sum reads one row of `weights` [batch, rows, terms].
  const bool stored_as_rows = left != flip;
  (left ? attrs.transpose_a : attrs.transpose_b) = left ? !stored_as_rows : stored_as_rows;
  TestOperand w =
      DrawTensor(stored_as_rows ? std::vector{batch, rows, terms} : std::vector{batch, terms, rows}, {-9, 9});
  w.constant = true;
  const TensorView view = w.tensor.view();
  Interval reached = {INT64_MAX, INT64_MIN}, inferred;
  for (int64_t sum = 0; sum < batch * rows; ++sum) {
    for (const bool most : {false, true}) {
      std::vector<int64_t> factor;
      for (int64_t k = 0; k < terms; ++k) {
        const int64_t matrix = sum / rows * rows * terms, row = sum % rows;
        const int64_t weight = view.at(matrix + (stored_as_rows ? row * terms + k : k * rows + row));
        factor.push_back((weight > zero) == most ? hi : lo);
      }
      const TestOperand x = left ? Of({terms, 1}, factor, {lo, hi}) : Of({1, terms}, factor, {lo, hi});
      const auto y = RunOp({.op = Opcode::kMatmul,
                            .operands = left ? std::vector{w, x} : std::vector{x, w},
                            .attributes = Pack(attrs)});
      if (!y.ok()) RC_FAIL(std::string(y.status().message()));
      for (const int64_t v : y->values[0]) reached = reached.Hull({v, v});
      inferred = y->types[0].interval;
    }
  }
  RC_CLASSIFY(left, "constant on the left");
  RC_CLASSIFY(flip, "transposed");
  RC_CLASSIFY(batch > 1, "batches");
  RC_ASSERT(reached == inferred);
}

}  // namespace
}  // namespace tally
