#include "tests/expansion/long_elements.h"

#include <string>
#include <utility>

#include "base/testing/random_source.h"
#include "ops/all_attrs.h"
#include "vm/module_builder.h"
#include "vm/validator.h"

namespace tally {
namespace {

Tensor Random(std::initializer_list<int64_t> dims, const Interval& interval, uint64_t seed) {
  const Shape shape = *Shape::Create(dims);
  RandomSource random(seed);
  return *Tensor::FromValues(shape, random.Values(shape.num_elements(), interval));
}

// A module with its inputs, of values that are drawn.
struct Draft {
  ModuleBuilder b{Profile::kCore};
  std::vector<Tensor> inputs;

  ValueId Input(std::initializer_list<int64_t> dims, const Interval& interval) {
    const TensorType type = {*Shape::Create(dims), interval};
    inputs.push_back(Tensor::Copy(Random(dims, interval, inputs.size() + 1).view(), type.storage()));
    return b.Param("x" + std::to_string(inputs.size()), type);
  }
  ValueId Constant(std::initializer_list<int64_t> dims, const Interval& interval) {
    return b.Constant(Random(dims, interval, 77));
  }
  // The elements of the results from `first` on are long.
  LongElement Of(Opcode op, ValueId first) {
    b.Result("y", first);
    return {op, first, std::make_shared<const ValidModule>(*Validate(std::move(b).Build())),
            std::move(inputs)};
  }
};

LongElement OfSums(Draft draft) {
  const ValueId x = draft.Input({40000, 3}, {-1000000, 1000000});
  return draft.Of(Opcode::kReduce,
                  draft.b.Op(Opcode::kReduce, {x}, ReduceAttrs{.kind = ReduceKind::kSum, .axes = {0}}));
}

LongElement OfExtremes(Draft draft) {
  const ValueId x = draft.Input({60000, 3}, {-50, 50});
  return draft.Of(Opcode::kArgExtreme,
                  draft.b.Op(Opcode::kArgExtreme, {x}, ArgExtremeAttrs{.ties = Ties::kHighest, .axis = 0}));
}

LongElement OfCumulativeSums(Draft draft) {
  const ValueId x = draft.Input({2, 90000}, {-128, 127});
  // Its first element reads little.
  const ValueId rest =
      draft.b.Op(Opcode::kCumulativeSum, {x}, CumulativeSumAttrs{.axis = 1, .reverse = true});
  return draft.Of(Opcode::kMax, draft.b.Op(Opcode::kMax, {rest}, CvmReduceAttrs{.axis = {1}}));
}

LongElement OfMatmul(Draft draft) {
  const ValueId x = draft.Input({3, 60000}, {-128, 127}), w = draft.Constant({60000, 2}, {-128, 127});
  return draft.Of(Opcode::kMatmul, draft.b.Op(Opcode::kMatmul, {x, w}, MatmulAttrs{.zero_a = 5}));
}

LongElement OfConvolution(Draft draft) {
  const ValueId x = draft.Input({1, 4096, 5, 5}, {-128, 127}),
                w = draft.Constant({2, 4096, 3, 3}, {-128, 127});
  const ValueId bias = draft.Constant({2}, {-1000, 1000});
  return draft.Of(Opcode::kConv2d, draft.b.Op(Opcode::kConv2d, {x, w, bias}, Conv2dAttrs{.padding = {1, 1}}));
}

LongElement OfWindows(Draft draft) {
  const ValueId x = draft.Input({1, 3, 256, 256}, {-128, 127});
  return draft.Of(Opcode::kAveragePool, draft.b.Op(Opcode::kAveragePool, {x},
                                                   AveragePoolAttrs{.kernel = {256, 256},
                                                                    .stride = {1, 1},
                                                                    .dilation = {1, 1},
                                                                    .pad_begin = {0, 0},
                                                                    .pad_end = {0, 0},
                                                                    .multiplier = 3,
                                                                    .shift = 1}));
}

LongElement OfSoftmax(Draft draft) {
  const ValueId x = draft.Input({2, 50000}, {-2000, 2000}), table = draft.Constant({4001}, {1, 1 << 20});
  return draft.Of(Opcode::kSoftmax,
                  draft.b.Op(Opcode::kSoftmax, {x, table}, SoftmaxAttrs{.lo = 0, .hi = 32767}));
}

LongElement OfLayerNorm(Draft draft) {
  const ValueId x = draft.Input({2, 30000}, {-3000, 3000}), m = draft.Constant({30000}, {-100, 100});
  const ValueId bias = draft.Constant({30000}, {-1000, 1000});
  return draft.Of(Opcode::kLayerNorm, draft.b.Op(Opcode::kLayerNorm, {x, m, bias},
                                                 LayerNormAttrs{.shift = 20, .lo = -128, .hi = 127}));
}

LongElement OfAttention(Draft draft) {
  const ValueId q = draft.Input({2, 8, 64}, {-128, 127}), k = draft.Input({2, 4096, 64}, {-128, 127});
  const ValueId v = draft.Input({2, 4096, 32}, {-128, 127}), table = draft.Constant({60000}, {1, 1 << 15});
  return draft.Of(Opcode::kScaledDotProductAttention,
                  draft.b.Op(Opcode::kScaledDotProductAttention, {q, k, v, table},
                             ScaledDotProductAttentionAttrs{.logit_shift = 5, .lo = -128, .hi = 127}));
}

LongElement OfSort(Draft draft) {
  const ValueId x = draft.Input({25200, 2}, {-100000, 100000});
  return draft.Of(Opcode::kSort, draft.b.Op(Opcode::kSort, {x}, SortAttrs{.axis = 0, .descending = true}));
}

LongElement OfArgSort(Draft draft) {
  const ValueId x = draft.Input({2, 60000}, {-20, 20});
  return draft.Of(Opcode::kArgSort, draft.b.Op(Opcode::kArgSort, {x}, SortAttrs{.axis = 1}));
}

LongElement OfTopK(Draft draft) {
  const ValueId x = draft.Input({60000}, {-20, 20});
  return draft.Of(Opcode::kTopK,
                  draft.b.Op(Opcode::kTopK, {x}, TopKAttrs{.k = 300, .order = TopKOrder::kIndex}));
}

LongElement OfUnique(Draft draft) {
  const ValueId x = draft.Input({30000}, {-7000, 7000});
  return draft.Of(Opcode::kUnique,
                  draft.b.Op(Opcode::kUnique, {x}, UniqueAttrs{.sorted = false, .bound = 100}));
}

LongElement OfLstm(Draft draft) {
  const int64_t H = 160, I = 80;
  const ValueId x = draft.Input({6, 2, I}, {-128, 127});
  const ValueId w = draft.Constant({1, 4 * H, I}, {-128, 127}),
                r = draft.Constant({1, 4 * H, H}, {-128, 127});
  const ValueId mx = draft.Constant({1, 4 * H}, {1, 300}), mh = draft.Constant({1, 4 * H}, {1, 3});
  const ValueId bias = draft.Constant({1, 4 * H}, {-1000, 1000}), gate = draft.Constant({4096}, {0, 32768});
  const ValueId tanh = draft.Constant({4096}, {-32768, 32768});
  return draft.Of(Opcode::kLstm, draft.b.Op(Opcode::kLstm, {x, w, r, mx, mh, bias, gate, tanh, tanh}, [] {
    LstmAttrs attrs;
    attrs.shift = 14;
    return attrs;
  }()));
}

LongElement OfGru(Draft draft) {
  const int64_t H = 160, I = 80;
  const ValueId x = draft.Input({6, 2, I}, {-128, 127});
  const ValueId w = draft.Constant({1, 3 * H, I}, {-128, 127}),
                r = draft.Constant({1, 3 * H, H}, {-128, 127});
  const ValueId mx = draft.Constant({1, 3 * H}, {1, 300}), mh = draft.Constant({1, 3 * H}, {1, 3});
  const ValueId bias = draft.Constant({1, 3 * H}, {-1000, 1000}), gate = draft.Constant({4096}, {0, 32768});
  const ValueId tanh = draft.Constant({4096}, {-32768, 32767});
  return draft.Of(Opcode::kGru, draft.b.Op(Opcode::kGru, {x, w, r, mx, mh, bias, gate, tanh}, [] {
    GruAttrs attrs;
    attrs.shift = 14;
    attrs.direction = Direction::kReverse;
    return attrs;
  }()));
}

LongElement OfNms(Draft draft) {
  const ValueId boxes = draft.Input({1, 8400, 4}, {0, 640}), scores = draft.Input({1, 2, 8400}, {0, 10000});
  return draft.Of(
      Opcode::kNms,
      draft.b.Op(Opcode::kNms, {boxes, scores},
                 NmsAttrs{.min_score = 9000, .top_k = 100, .max_per_class = 10, .max_per_batch = 15}));
}

LongElement OfNonMaxSuppression(Draft draft) {
  const ValueId rows = draft.Input({1, 6000, 6}, {-2, 300}), count = draft.Input({1}, {5000, 6000});
  return draft.Of(Opcode::kNonMaxSuppression,
                  draft.b.Op(Opcode::kNonMaxSuppression, {rows, count},
                             NonMaxSuppressionAttrs{.max_output_size = 20, .top_k = 500}));
}

LongElement OfValidCounts(Draft draft) {
  const ValueId rows = draft.Input({1, 6000, 6}, {-20, 300});
  return draft.Of(Opcode::kGetValidCounts,
                  draft.b.Op(Opcode::kGetValidCounts, {rows}, GetValidCountsAttrs{.score_threshold = 100}));
}

}  // namespace

std::span<const NamedLongElement> LongElements() {
  static constexpr NamedLongElement kAll[] = {
      {"Sums", [] { return OfSums(Draft()); }},
      {"Extremes", [] { return OfExtremes(Draft()); }},
      {"CumulativeSums", [] { return OfCumulativeSums(Draft()); }},
      {"Matmul", [] { return OfMatmul(Draft()); }},
      {"Convolution", [] { return OfConvolution(Draft()); }},
      {"Windows", [] { return OfWindows(Draft()); }},
      {"Softmax", [] { return OfSoftmax(Draft()); }},
      {"LayerNorm", [] { return OfLayerNorm(Draft()); }},
      {"Attention", [] { return OfAttention(Draft()); }},
      {"Sort", [] { return OfSort(Draft()); }},
      {"ArgSort", [] { return OfArgSort(Draft()); }},
      {"TopK", [] { return OfTopK(Draft()); }},
      {"Unique", [] { return OfUnique(Draft()); }},
      {"Lstm", [] { return OfLstm(Draft()); }},
      {"Gru", [] { return OfGru(Draft()); }},
      {"Nms", [] { return OfNms(Draft()); }},
      {"NonMaxSuppression", [] { return OfNonMaxSuppression(Draft()); }},
      {"ValidCounts", [] { return OfValidCounts(Draft()); }},
  };
  return kAll;
}

}  // namespace tally
