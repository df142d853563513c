// The schedules that engines compile modules to, where values are and which share their bytes: modules at the
// edge of one rule each.
#include <gtest/gtest.h>

#include <vector>

#include "engines/testing/engine_case.h"
#include "ops/elementwise/attrs.h"
#include "ops/normalization/attrs.h"
#include "ops/pooling/attrs.h"
#include "ops/reduction/attrs.h"

namespace tally {
namespace {

class Compiler : public EngineCase {
 protected:
  ValueId Concatenate(std::vector<ValueId> operands, int64_t axis) {
    return b_.Op(Opcode::kConcatenate, std::move(operands), ConcatenateAttrs{.axis = axis});
  }
  // Rows [begin, end) of x [rows, columns].
  ValueId Rows(ValueId x, int64_t begin, int64_t end, int64_t columns) {
    return b_.Op(Opcode::kStridedSlice, {x},
                 StridedSliceAttrs{.begin = {begin, 0}, .end = {end, columns}, .stride = {1, 1}});
  }
};

TEST_F(Compiler, JoinsSumsByLinesAndByChannels) {
  const ValueId x = Param({2, 2, 3, 4});
  for (const int64_t axis : {1, 2, 3, -3}) {
    Result(Concatenate(
        {Rescale(Convolution(x, Draw({5, 2, 1, 1}))), Rescale(Convolution(x, Draw({5, 2, 1, 1})))}, axis));
  }
  ExpectEnginesAgree();
}

TEST_F(Compiler, JoinsSumsOfOneStorage) {
  const ValueId x = Param({1, 2, 3, 4});
  const auto sum = [&](int64_t reach) {
    return Rescale(Convolution(x, Draw({3, 2, 1, 1})), {.lo = -reach - 1, .hi = reach}, 1, 30);
  };
  Result(Concatenate({sum(127), sum(32767)}, 1));
  Result(Concatenate({sum(32767), sum(32767)}, 1));
  Result(Concatenate({Convolution(x, Draw({3, 2, 1, 1})), Convolution(x, Draw({4, 2, 1, 1}))}, 1));
  ExpectEnginesAgree();
}

TEST_F(Compiler, ConcatenatesRowsOfTwoStorages) {
  const ValueId bytes = Param({1, 64}), words = Param({1, 64}, {-300, 300});
  const ValueId x = b_.Op(Opcode::kRelu, {bytes}), y = b_.Op(Opcode::kRelu, {words});
  Result(Concatenate({x, y}, 0));
  Result(Concatenate({y, x}, 0));
  ExpectEnginesAgree();
}

TEST_F(Compiler, JoinsWhatNothingElseReads) {
  const ValueId x = Param({1, 2, 3, 4});
  const ValueId twice = Rescale(Convolution(x, Draw({3, 2, 1, 1})));
  Result(Concatenate({Rescale(Convolution(x, Draw({3, 2, 1, 1}))), twice}, 1));
  Result(b_.Op(Opcode::kNegative, {twice}));
  ExpectEnginesAgree();
}

TEST_F(Compiler, JoinsNoConvolutionOfEachChannelByItself) {
  const ValueId x = Param({1, 3, 4, 5});
  Result(Concatenate({Convolution(x, Draw({3, 1, 1, 1}), 3), Convolution(x, Draw({2, 3, 1, 1}))}, 1));
  ExpectEnginesAgree();
}

// Their results are stored as bytes: the clamp must fit those too.
TEST_F(Compiler, ClampsBeyondWhatIsProven) {
  const ValueId x = Param({20, 3}, {-1, 1}), r = Param({20, 3}, {-1, 1});
  const RescaleAttrs wide = {.lo = -32768, .hi = 32767};
  Result(Rescale(Matmul(x), wide, 1, 29));
  Result(b_.Op(Opcode::kLincomb, {Rescale(Matmul(x), wide, 1, 29), r},
               LincombAttrs{.multipliers = {1, 1}, .zero_points = {0, 0}, .lo = -40000, .hi = 40000}));
  ExpectEnginesAgree();
}

// Words are read where they are, by rows that are longer than a panel of columns more than once.
TEST_F(Compiler, WritesNoSumOverTheOperandThatIsItsResidual) {
  const ValueId x = Param({40, 70}, {-300, 300});
  const ValueId words = b_.Op(Opcode::kRelu, {x});
  const ValueId sums = b_.Op(Opcode::kMatmul, {words, Draw({70, 70})}, MatmulAttrs{});
  Result(Add(Rescale(sums, {.lo = -300, .hi = 300}, 1, 42), words));
  ExpectEnginesAgree();
}

TEST_F(Compiler, WritesOverNoInput) {
  const ValueId x = Param({3, 64}), r = Param({3, 64});
  Result(b_.Op(Opcode::kRelu, {x}));
  Result(b_.Op(Opcode::kRelu, {b_.Op(Opcode::kBroadcastMax, {r, x})}));
  ExpectEnginesAgree();
}

// A row of 64 bytes may be read where it is; what is computed must then not take the place of all of them.
TEST_F(Compiler, WritesOverNoOperandOfWhichAnotherIsAPart) {
  const ValueId x = Param({3, 64}, {-60, 60});
  const ValueId all = b_.Op(Opcode::kRelu, {x});
  Result(b_.Op(Opcode::kBroadcastSub, {all, Rows(all, 0, 1, 64)}));
  ExpectEnginesAgree();
}

TEST_F(Compiler, MovesWhatFitsAByte) {
  for (const Interval& range : {Interval{0, 255}, Interval{0, 256}, Interval{-1, 255}, Interval{-129, 126},
                                Interval{-32768, 32767}, Interval{0, 65535}, Interval{0, 65536}}) {
    b_ = ModuleBuilder(Profile::kCore);
    const ValueId x = Param({4, 3}, range);
    Result(Matmul(x));
    ExpectEnginesAgree();
  }
}

TEST_F(Compiler, MultipliesMatricesOfAnyBatch) {
  const ValueId a = Param({2, 1, 2, 3}), b = Param({1, 3, 3, 2}), c = Param({2, 1, 3, 2}), d = Param({3, 2});
  const ValueId e = Param({3, 16, 16}), f = Param({1, 16, 16});
  for (const ValueId right : {b, c, d}) Result(b_.Op(Opcode::kMatmul, {a, right}, MatmulAttrs{}));
  Result(b_.Op(Opcode::kMatmul, {a, a}, MatmulAttrs{.transpose_b = true}));
  // Large enough to be packed, each.
  for (const ValueId right : {e, f}) Result(b_.Op(Opcode::kMatmul, {e, right}, MatmulAttrs{}));
  Result(b_.Op(Opcode::kMatmul, {f, e}, MatmulAttrs{}));
  ExpectEnginesAgree();
}

// The sums fit 32 bits, where no x is what would take back all that unsigned bytes add, or a range that is
// moved into bytes.
TEST_F(Compiler, FoldsWhatSumsStartWithInto64Bits) {
  constexpr int64_t kWeight = -128, kTaps = 9, kSpan = 100, kLeast = -(int64_t{1} << 31);
  const ValueId x = Param({1, 3, 4, 5}, {0, 127}), moved = Param({1, 3, 4, 5}, {200, 200 + kSpan}),
                m = Param({40, 30}, {0, 127});
  const ValueId most = Constant({3}, std::vector<int64_t>(3, -kLeast - 1)),
                least = Constant({3}, std::vector<int64_t>(3, kLeast - kWeight * kTaps * kSpan));
  const ConvolutionAttrs attrs = {
      .stride = {1, 1}, .dilation = {1, 1}, .pad_begin = {1, 1}, .pad_end = {1, 1}, .groups = 3};
  ConvolutionAttrs around_zero = attrs;
  around_zero.zero_x = 200;
  const ValueId of_channel = Constant({3, 1, 3, 3}, std::vector<int64_t>(3 * kTaps, kWeight)),
                of_rows = Constant({30, 3}, std::vector<int64_t>(90, kWeight));
  // A value with two readers would not be fused.
  const auto rescale_sums = [&](const RescaleAttrs& to, int64_t shift) {
    Result(Rescale(b_.Op(Opcode::kConvolution, {x, of_channel, most}, attrs), to, 1, shift));
    Result(Rescale(b_.Op(Opcode::kConvolution, {moved, of_channel, least}, around_zero), to, 1, shift));
    Result(Rescale(Add(b_.Op(Opcode::kMatmul, {m, of_rows}, MatmulAttrs{}), most), to, 1, shift));
  };
  rescale_sums({.lo = -32768, .hi = 32767}, 45);
  rescale_sums(kToBytes, 53);
  ExpectEnginesAgree();
}

TEST_F(Compiler, SumsFromATransposedMatrix) {
  const ValueId a = Param({3, 5}), b = Param({3, 2});
  Result(b_.Op(Opcode::kMatmul, {a, b}, MatmulAttrs{.transpose_a = true}));
  ExpectEnginesAgree();
}

TEST_F(Compiler, ReadsPartsOfConstants) {
  const ValueId x = Param({1, 8, 2, 4});
  const ValueId image =
      b_.Op(Opcode::kStridedSlice, {Draw({2, 8, 2, 4})},
            StridedSliceAttrs{.begin = {1, 0, 0, 0}, .end = {2, 8, 2, 4}, .stride = {1, 1, 1, 1}});
  const ValueId sum = Rescale(Convolution(x, Draw({8, 8, 1, 1})));
  Result(Add(sum, image));
  Result(Convolution(image, Draw({3, 8, 1, 1})));
  ExpectEnginesAgree();
}

// Rows of one element, whose constants are as many as those of the image.
TEST_F(Compiler, NormalizesImagesByConstantsOfTheirShape) {
  const ValueId x = Param({2, 3, 4, 1});
  const ValueId m = Draw({2, 3, 4, 1}), b = Draw({2, 3, 4, 1});
  const ValueId image = Rescale(Convolution(x, Draw({3, 3, 1, 1})));
  Result(b_.Op(Opcode::kLayerNorm, {image, m, b}, LayerNormAttrs{.axes = {-1}, .lo = -128, .hi = 127}));
  ExpectEnginesAgree();
}

TEST_F(Compiler, SumsWordsBeyond32Bits) {
  const ValueId x = Param({1, 70000}, {32000, 32767});
  Result(b_.Op(Opcode::kReduce, {x}, ReduceAttrs{.axes = {1}}));
  ExpectCpuAgrees();
}

// The one that differs from all others is as far from their mean as an element can be: 2^11 times the root of
// the variance.
TEST_F(Compiler, NormalizesRowsOfMoreThan32Bits) {
  const ValueId one = Param({1, 1}, {1, 1});
  const ValueId row = Concatenate({Constant({1, 1 << 22}, std::vector<int64_t>(1 << 22)), one}, 1);
  Result(b_.Op(Opcode::kLayerNorm, {row, Constant({1}, {1 << 10}), Constant({1}, {0})},
               LayerNormAttrs{.shift = 24, .lo = -32768, .hi = 32767}));
  ExpectCpuAgrees();
}

// Images that the second-level cache does not hold are pooled as they are computed.
class PooledImage : public Compiler {
 protected:
  static constexpr int64_t kSize = 186;

  ValueId Pool(ValueId x) {
    return b_.Op(
        Opcode::kMaxPool, {x},
        PoolAttrs{
            .kernel = {3, 3}, .stride = {2, 2}, .dilation = {1, 1}, .pad_begin = {1, 1}, .pad_end = {1, 1}});
  }
};

TEST_F(PooledImage, HasOneGroup) {
  const ValueId x = Param({1, 4, kSize, kSize});
  Result(Pool(Rescale(Convolution(x, Draw({64, 2, 1, 1}), 2))));
  ExpectCpuAgrees();
}

TEST_F(PooledImage, IsPaddedAlongEachAxisByItself) {
  for (const auto& padding : {std::vector<int64_t>{1, 0}, {0, 1}, {1}}) {
    b_ = ModuleBuilder(Profile::kCore);
    const ValueId x = Param({1, 2, kSize, kSize});
    const MaxPool2dAttrs pool = {
        .pool_size = {2, 2}, .strides = {2, 2}, .padding = padding, .ceil_mode = true};
    Result(b_.Op(Opcode::kMaxPool2d, {Rescale(Convolution(x, Draw({64, 2, 1, 1})))}, pool));
    ExpectCpuAgrees();
  }
}

TEST_F(PooledImage, IsReadByThePoolAlone) {
  const ValueId x = Param({1, 2, kSize, kSize});
  const ValueId image = Rescale(Convolution(x, Draw({64, 2, 1, 1})));
  const ValueId other = b_.Op(Opcode::kNegative, {image});
  Result(Pool(image));
  Result(Pool(other));
  ExpectCpuAgrees();
}

}  // namespace
}  // namespace tally
