// Laws of random draws, for whatever seed, layer, iteration, shape and range.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "ops/sampling/attrs.h"
#include "ops/sampling/philox.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;

int64_t Draw(int64_t lo, int64_t hi) { return *rc::gen::inRange<int64_t>(lo, hi + 1); }
int64_t DrawWord() { return Draw(0, kMaxWord); }

RandomUniformAttrs DrawUniform() {
  RandomUniformAttrs attrs = {.shape = {Draw(1, 40)}, .seed = DrawWord(), .layer = DrawWord()};
  attrs.lo = Draw(-(int64_t{1} << Draw(1, 46)), 0);
  attrs.hi = attrs.lo + Draw(0, int64_t{1} << Draw(0, 46));
  return attrs;
}

Ints ResultOf(const OpCase& test) {
  const auto y = RunOp(test);
  if (!y.ok()) RC_FAIL(std::string(y.status().message()));
  return y->values[0];
}
Ints Uniform(const RandomUniformAttrs& attrs, int64_t iteration = 0) {
  return ResultOf(
      {.op = Opcode::kRandomUniform, .operands = {Values({}, {iteration})}, .attributes = Pack(attrs)});
}

RC_GTEST_PROP(RandomUniformLaws, ADrawIsAFunctionOfItsPlace, ()) {
  const RandomUniformAttrs attrs = DrawUniform();
  const int64_t iteration = DrawWord();
  const Ints y = Uniform(attrs, iteration);
  RC_ASSERT(y == Uniform(attrs, iteration));
  RandomUniformAttrs other = attrs;
  other.shape = {Draw(1, attrs.shape[0])};
  const Ints prefix = Uniform(other, iteration);
  RC_ASSERT(std::ranges::equal(prefix, std::span(y).first(prefix.size())));
  other.shape = {1, attrs.shape[0], 1};
  RC_ASSERT(Uniform(other, iteration) == y);
}

RC_GTEST_PROP(RandomUniformLaws, ARangeThatMovesMovesTheDraws, ()) {
  const RandomUniformAttrs attrs = DrawUniform();
  RandomUniformAttrs moved = attrs;
  const int64_t by = Draw(-1000, 1000);
  moved.lo += by, moved.hi += by;
  Ints y = Uniform(attrs);
  RC_PRE(moved.lo >= -(int64_t{1} << 47) && moved.hi < (int64_t{1} << 47));
  for (int64_t& v : y) v += by;
  RC_ASSERT(Uniform(moved) == y);
}

// The draw of n values is the floor of n times a number in [0, 1) that n does not enter.
RC_GTEST_PROP(RandomUniformLaws, AFinerRangeRefinesTheDraw, ()) {
  RandomUniformAttrs attrs = DrawUniform();
  attrs.lo = 0, attrs.hi = Draw(0, 999);
  RandomUniformAttrs fine = attrs;
  const int64_t parts = Draw(1, 999);
  fine.hi = (attrs.hi + 1) * parts - 1;
  Ints y = Uniform(fine);
  for (int64_t& v : y) v /= parts;
  RC_ASSERT(y == Uniform(attrs));
}

RC_GTEST_PROP(RandomUniformLaws, AnElementIsTheDrawOfItsCounter, ()) {
  const RandomUniformAttrs attrs = DrawUniform();
  const int64_t iteration = DrawWord();
  const Ints y = Uniform(attrs, iteration);
  const RandomStream stream = {.seed = attrs.seed, .layer = attrs.layer, .iteration = iteration};
  for (size_t i = 0; i < y.size(); ++i) {
    RC_ASSERT(y[i] ==
              attrs.lo + DrawBelow(DrawBits(stream, static_cast<int64_t>(i)), attrs.hi - attrs.lo + 1));
  }
}

struct Weights {
  Ints values;
  RandomCategoricalAttrs attrs;
};

Weights DrawWeights() {
  Weights w = {.values = {}, .attrs = {.samples = Draw(1, 30), .seed = DrawWord(), .layer = DrawWord()}};
  for (int64_t i = Draw(1, 6); i > 0; --i) w.values.push_back(Draw(0, 1) * Draw(1, 1 << Draw(0, 20)));
  if (std::ranges::max(w.values) == 0) w.values[static_cast<size_t>(Draw(0, std::ssize(w.values) - 1))] = 1;
  RC_CLASSIFY(std::ranges::count(w.values, 0) > 0, "zeros among the weights");
  return w;
}

Ints Categorical(const Weights& w) {
  const Shape shape = *Shape::Create({std::ssize(w.values)});
  return ResultOf({.op = Opcode::kRandomCategorical,
                   .operands = {{*Tensor::FromValues(shape, w.values), Interval{0, int64_t{1} << 30}}},
                   .attributes = Pack(w.attrs)});
}

RC_GTEST_PROP(RandomCategoricalLaws, NothingOfWeightZeroIsDrawn, ()) {
  const Weights w = DrawWeights();
  for (const int64_t v : Categorical(w)) RC_ASSERT(w.values[static_cast<size_t>(v)] > 0);
}

// Zeros in front move the names, zeros after and a common factor change nothing.
RC_GTEST_PROP(RandomCategoricalLaws, OnlyProportionsCount, ()) {
  const Weights w = DrawWeights();
  const Ints y = Categorical(w);
  Weights scaled = w, longer = w;
  const int64_t factor = Draw(1, 50), zeros = Draw(1, 3);
  for (int64_t& v : scaled.values) v *= factor;
  RC_ASSERT(Categorical(scaled) == y);
  longer.values.insert(longer.values.end(), static_cast<size_t>(zeros), 0);
  RC_ASSERT(Categorical(longer) == y);
  longer = w;
  longer.values.insert(longer.values.begin(), static_cast<size_t>(zeros), 0);
  Ints moved = y;
  for (int64_t& v : moved) v += zeros;
  RC_ASSERT(Categorical(longer) == moved);
}

// Splitting a weight in two keeps what the others are drawn at.
RC_GTEST_PROP(RandomCategoricalLaws, PartsOfAWeightShareItsDraws, ()) {
  const Weights w = DrawWeights();
  const auto at = static_cast<size_t>(Draw(0, std::ssize(w.values) - 1));
  const int64_t part = Draw(0, w.values[at]);
  Weights split = w;
  split.values[at] -= part;
  split.values.insert(split.values.begin() + static_cast<int64_t>(at), part);
  Ints merged = Categorical(split);
  for (int64_t& v : merged) v -= v > static_cast<int64_t>(at) ? 1 : 0;
  RC_ASSERT(merged == Categorical(w));
}

}  // namespace
}  // namespace tally
