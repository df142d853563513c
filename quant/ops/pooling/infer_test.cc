// The types of the results of family pooling, and the refusals.
#include <gtest/gtest.h>

#include "quant/graph/infer_type.h"
#include "quant/graph/testing/infer_op.h"

namespace tally::quant {
namespace {

template <typename Pool>
Pool MakePool(Extents kernel, Extents stride, Pads pad) {
  Pool pool;
  pool.kernel = kernel;
  pool.stride = stride;
  pool.pad = pad;
  return pool;
}

template <typename Pool>
void ExpectPoolRules() {
  const Shape x = {1, 2, 7, 7};
  EXPECT_EQ(InferFloatOp(MakePool<Pool>({3, 2}, {2, 2}, {1, 0, 1, 1}), {x}), "float32[1, 2, 4, 4]");
  EXPECT_EQ(InferFloatOp(MakePool<Pool>({3, 3}, {1, 1}, {}), {{2, 7, 7}}), "graph_shape");
  EXPECT_EQ(InferFloatOp(MakePool<Pool>({8, 3}, {1, 1}, {}), {x}), "graph_shape");
  EXPECT_EQ(InferFloatOp(MakePool<Pool>({0, 3}, {1, 1}, {}), {x}), "graph_attribute");
  EXPECT_EQ(InferFloatOp(MakePool<Pool>({3, 3}, {1, 0}, {}), {x}), "graph_attribute");
  for (const Pads& pad : {Pads{2, 0, 0, 0}, Pads{0, 3, 0, 0}, Pads{0, 0, 2, 0}, Pads{0, 0, 0, 3}}) {
    EXPECT_EQ(InferFloatOp(MakePool<Pool>({2, 3}, {1, 1}, pad), {x}), "graph_attribute");
  }
}

TEST(InferType, Pools) {
  ExpectPoolRules<MaxPool>();
  ExpectPoolRules<AveragePool>();
  EXPECT_EQ(InferFloatOp(GlobalAveragePool{}, {{2, 3, 4, 5}}), "float32[2, 3, 1, 1]");
  EXPECT_EQ(InferFloatOp(GlobalAveragePool{}, {{2, 3, 4}}), "graph_shape");
}

}  // namespace
}  // namespace tally::quant
