#include "frontends/graph/compositions/windows.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "frontends/graph/compositions/testing/composed.h"

namespace tally::frontend {
namespace {

using quant::FloatTensor;
using quant::Tensor;

// Windows of 5 elements for 3 places: [0, 2), [1, 4), [3, 5); of 2 rows for 1 place both.
TEST(AdaptivePool, WindowsOfDifferentLengths) {
  const FloatTensor x{{1, 1, 2, 5}, {1, 2, 3, 4, 5, 3, 4, 5, 6, 10}};
  const auto pooled = [&](const std::vector<int64_t>& sizes, bool is_max) {
    Composed c;
    return RunComposed(c.Build({*AdaptivePool(c.emitter(), c.Input("x", x.shape), sizes, is_max)}), {x})[0];
  };
  EXPECT_EQ(pooled({1, 3}, true), Tensor(FloatTensor{{1, 1, 1, 3}, {4, 6, 10}}));
  EXPECT_EQ(pooled({1, 1}, true), Tensor(FloatTensor{{1, 1, 1, 1}, {10}}));
  EXPECT_EQ(pooled({2, 5}, true), Tensor(x));
  const std::vector<float> means = std::get<FloatTensor>(pooled({1, 3}, false)).data;
  for (size_t i = 0; i < 3; ++i) EXPECT_FLOAT_EQ(means[i], (std::vector<float>{2.5f, 4, 6.25f})[i]);
  Composed c;
  const Operand image = c.Input("x", x.shape);
  EXPECT_EQ(ErrorLabel(AdaptivePool(c.emitter(), image, {3}, true).status()), "model_shape");
  EXPECT_EQ(ErrorLabel(AdaptivePool(c.emitter(), image, {3, 0}, true).status()), "model_shape");
}

}  // namespace
}  // namespace tally::frontend
