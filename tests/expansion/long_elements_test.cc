// Operators that read megabytes for one element: each of their judgements reads at most 48 KiB of leaves.
#include <gtest/gtest.h>

#include <iostream>

#include "base/testing/random_source.h"
#include "ops/all_attrs.h"
#include "ops/expansion_table.h"
#include "proof/trace/judged_run.h"
#include "vm/module_builder.h"
#include "vm/validator.h"

namespace tally {
namespace {

Tensor Random(std::initializer_list<int64_t> dims, const Interval& interval, uint64_t seed) {
  const Shape shape = *Shape::Create(dims);
  RandomSource random(seed);
  return *Tensor::FromValues(shape, random.Values(shape.num_elements(), interval));
}

class LongElement : public ::testing::Test {
 protected:
  ValueId Input(std::initializer_list<int64_t> dims, const Interval& interval) {
    const TensorType type = {*Shape::Create(dims), interval};
    inputs_.push_back(Tensor::Copy(Random(dims, interval, inputs_.size() + 1).view(), type.storage()));
    return b_.Param("x" + std::to_string(inputs_.size()), type);
  }
  ValueId Constant(std::initializer_list<int64_t> dims, const Interval& interval) {
    return b_.Constant(Random(dims, interval, 77));
  }

  // Runs the module with results that begin at `first`, and judges some elements of each.
  void Judge(Opcode op, ValueId first) {
    b_.Result("y", first);
    auto valid = Validate(std::move(b_).Build());
    ASSERT_TRUE(valid.ok()) << valid.status();
    const auto run =
        JudgedRun::Of("reference", std::make_shared<const ValidModule>(*std::move(valid)), inputs_);
    ASSERT_TRUE(run.ok()) << run.status();
    ASSERT_NE(FindExpansion(op), nullptr);
    LeafCost most;
    for (const auto& [place, value] : (*run)->values()) {
      if (place.id < first) continue;
      const int64_t size = value.shape().num_elements();
      for (const int64_t element : {int64_t{0}, size / 3, size - 1}) {
        const auto judged = (*run)->Judge(place, element, {.of_each_column = 4});
        ASSERT_TRUE(judged.ok()) << judged.status();
        EXPECT_GT(judged->columns, 1) << "it was judged directly";
        EXPECT_LE(judged->most.bytes, kMostLeafBytes);
        if (judged->most.bytes > most.bytes) most = judged->most;
      }
    }
    std::cout << InfoOf(op).name << ": " << most.leaves << " leaves, " << most.bytes << " bytes\n";
  }

  ModuleBuilder b_{Profile::kCore};

 private:
  std::vector<Tensor> inputs_;
};

TEST_F(LongElement, OfSums) {
  const ValueId x = Input({40000, 3}, {-1000000, 1000000});
  Judge(Opcode::kReduce, b_.Op(Opcode::kReduce, {x}, ReduceAttrs{.kind = ReduceKind::kSum, .axes = {0}}));
}

TEST_F(LongElement, OfExtremes) {
  const ValueId x = Input({60000, 3}, {-50, 50});
  Judge(Opcode::kArgExtreme,
        b_.Op(Opcode::kArgExtreme, {x}, ArgExtremeAttrs{.ties = Ties::kHighest, .axis = 0}));
}

TEST_F(LongElement, OfCumulativeSums) {
  const ValueId x = Input({2, 90000}, {-128, 127});
  // Its first element reads little.
  const ValueId rest = b_.Op(Opcode::kCumulativeSum, {x}, CumulativeSumAttrs{.axis = 1, .reverse = true});
  Judge(Opcode::kMax, b_.Op(Opcode::kMax, {rest}, CvmReduceAttrs{.axis = {1}}));
}

TEST_F(LongElement, OfMatmul) {
  const ValueId x = Input({3, 60000}, {-128, 127}), w = Constant({60000, 2}, {-128, 127});
  Judge(Opcode::kMatmul, b_.Op(Opcode::kMatmul, {x, w}, MatmulAttrs{.zero_a = 5}));
}

TEST_F(LongElement, OfConvolution) {
  const ValueId x = Input({1, 4096, 5, 5}, {-128, 127}), w = Constant({2, 4096, 3, 3}, {-128, 127});
  const ValueId bias = Constant({2}, {-1000, 1000});
  Judge(Opcode::kConv2d, b_.Op(Opcode::kConv2d, {x, w, bias}, Conv2dAttrs{.padding = {1, 1}}));
}

TEST_F(LongElement, OfWindows) {
  const ValueId x = Input({1, 3, 256, 256}, {-128, 127});
  Judge(Opcode::kAveragePool, b_.Op(Opcode::kAveragePool, {x},
                                    AveragePoolAttrs{.kernel = {256, 256},
                                                     .stride = {1, 1},
                                                     .dilation = {1, 1},
                                                     .pad_begin = {0, 0},
                                                     .pad_end = {0, 0},
                                                     .multiplier = 3,
                                                     .shift = 1}));
}

TEST_F(LongElement, OfSoftmax) {
  const ValueId x = Input({2, 50000}, {-2000, 2000}), table = Constant({4001}, {1, 1 << 20});
  Judge(Opcode::kSoftmax, b_.Op(Opcode::kSoftmax, {x, table}, SoftmaxAttrs{.lo = 0, .hi = 32767}));
}

TEST_F(LongElement, OfLayerNorm) {
  const ValueId x = Input({2, 30000}, {-3000, 3000}), m = Constant({30000}, {-100, 100});
  const ValueId bias = Constant({30000}, {-1000, 1000});
  Judge(Opcode::kLayerNorm,
        b_.Op(Opcode::kLayerNorm, {x, m, bias}, LayerNormAttrs{.shift = 20, .lo = -128, .hi = 127}));
}

TEST_F(LongElement, OfAttention) {
  const ValueId q = Input({2, 8, 64}, {-128, 127}), k = Input({2, 4096, 64}, {-128, 127});
  const ValueId v = Input({2, 4096, 32}, {-128, 127}), table = Constant({60000}, {1, 1 << 15});
  Judge(Opcode::kScaledDotProductAttention,
        b_.Op(Opcode::kScaledDotProductAttention, {q, k, v, table},
              ScaledDotProductAttentionAttrs{.logit_shift = 5, .lo = -128, .hi = 127}));
}

TEST_F(LongElement, OfSort) {
  const ValueId x = Input({25200, 2}, {-100000, 100000});
  Judge(Opcode::kSort, b_.Op(Opcode::kSort, {x}, SortAttrs{.axis = 0, .descending = true}));
}

TEST_F(LongElement, OfArgSort) {
  const ValueId x = Input({2, 60000}, {-20, 20});
  Judge(Opcode::kArgSort, b_.Op(Opcode::kArgSort, {x}, SortAttrs{.axis = 1}));
}

TEST_F(LongElement, OfTopK) {
  const ValueId x = Input({60000}, {-20, 20});
  Judge(Opcode::kTopK, b_.Op(Opcode::kTopK, {x}, TopKAttrs{.k = 300, .order = TopKOrder::kIndex}));
}

TEST_F(LongElement, OfUnique) {
  const ValueId x = Input({30000}, {-7000, 7000});
  Judge(Opcode::kUnique, b_.Op(Opcode::kUnique, {x}, UniqueAttrs{.sorted = false, .bound = 100}));
}

TEST_F(LongElement, OfLstm) {
  const int64_t H = 160, I = 80;
  const ValueId x = Input({6, 2, I}, {-128, 127});
  const ValueId w = Constant({1, 4 * H, I}, {-128, 127}), r = Constant({1, 4 * H, H}, {-128, 127});
  const ValueId mx = Constant({1, 4 * H}, {1, 300}), mh = Constant({1, 4 * H}, {1, 3});
  const ValueId bias = Constant({1, 4 * H}, {-1000, 1000}), gate = Constant({4096}, {0, 32768});
  const ValueId tanh = Constant({4096}, {-32768, 32768});
  Judge(Opcode::kLstm, b_.Op(Opcode::kLstm, {x, w, r, mx, mh, bias, gate, tanh, tanh}, [] {
    LstmAttrs attrs;
    attrs.shift = 14;
    return attrs;
  }()));
}

TEST_F(LongElement, OfGru) {
  const int64_t H = 160, I = 80;
  const ValueId x = Input({6, 2, I}, {-128, 127});
  const ValueId w = Constant({1, 3 * H, I}, {-128, 127}), r = Constant({1, 3 * H, H}, {-128, 127});
  const ValueId mx = Constant({1, 3 * H}, {1, 300}), mh = Constant({1, 3 * H}, {1, 3});
  const ValueId bias = Constant({1, 3 * H}, {-1000, 1000}), gate = Constant({4096}, {0, 32768});
  const ValueId tanh = Constant({4096}, {-32768, 32767});
  Judge(Opcode::kGru, b_.Op(Opcode::kGru, {x, w, r, mx, mh, bias, gate, tanh}, [] {
    GruAttrs attrs;
    attrs.shift = 14;
    attrs.direction = Direction::kReverse;
    return attrs;
  }()));
}

TEST_F(LongElement, OfNms) {
  const ValueId boxes = Input({1, 8400, 4}, {0, 640}), scores = Input({1, 2, 8400}, {0, 10000});
  Judge(Opcode::kNms,
        b_.Op(Opcode::kNms, {boxes, scores},
              NmsAttrs{.min_score = 9000, .top_k = 100, .max_per_class = 10, .max_per_batch = 15}));
}

TEST_F(LongElement, OfNonMaxSuppression) {
  const ValueId rows = Input({1, 6000, 6}, {-2, 300}), count = Input({1}, {5000, 6000});
  Judge(Opcode::kNonMaxSuppression, b_.Op(Opcode::kNonMaxSuppression, {rows, count},
                                          NonMaxSuppressionAttrs{.max_output_size = 20, .top_k = 500}));
}

TEST_F(LongElement, OfValidCounts) {
  const ValueId rows = Input({1, 6000, 6}, {-20, 300});
  Judge(Opcode::kGetValidCounts,
        b_.Op(Opcode::kGetValidCounts, {rows}, GetValidCountsAttrs{.score_threshold = 100}));
}

}  // namespace
}  // namespace tally
