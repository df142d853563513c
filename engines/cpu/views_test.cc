// Slices, concatenations and reshapes that the cpu engine computes by not moving anything, against the
// reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <map>
#include <memory>
#include <string>

#include "base/aligned_vector.h"
#include "base/testing/random_source.h"
#include "engines/engine.h"
#include "ops/elementwise/attrs.h"
#include "ops/layout/attrs.h"
#include "ops/linear/attrs.h"
#include "ops/rescale/attrs.h"
#include "vm/module_builder.h"
#include "vm/validator.h"

namespace tally {
namespace {

constexpr std::array kLevels = {"portable", "avx2", "avxvnni", "avx512", "avx512vnni", "amx_int8"};
constexpr Interval kBytes = {-128, 127};

using Views = std::vector<std::string>;

Shape Dims(std::vector<int64_t> dims) { return *Shape::Create(dims); }

Tensor Bytes(RandomSource& source, const Shape& shape) {
  return *Tensor::FromValues(shape, source.Values(shape.num_elements(), kBytes));
}

StridedSliceAttrs SliceAttrsOf(const Shape& x, int axis, int64_t begin, int64_t length) {
  StridedSliceAttrs attrs;
  for (int i = 0; i < x.rank(); ++i) {
    attrs.begin.push_back(i == axis ? begin : 0);
    attrs.end.push_back(i == axis ? begin + length : x[i]);
    attrs.stride.push_back(1);
  }
  return attrs;
}

std::shared_ptr<const ValidModule> Valid(ModuleBuilder b) {
  return std::make_shared<const ValidModule>(*Validate(std::move(b).Build()));
}

// Twenty instructions over bytes, of sizes that often end on cache lines: what cuts and joins, what computes
// in place, and GEMMs that read beyond their operands.
class NetworkWriter {
 public:
  explicit NetworkWriter(uint64_t seed) : source_(seed), b_(Profile::kCore) {}

  Module Write() {
    const int64_t batch = source_.OneIn(3) ? 2 : 1;
    for (int i = 0; i < 2; ++i) {
      const Shape shape = Dims({batch, 16 << source_.Between(0, 2), 4, 4 << source_.Between(0, 1)});
      Define(b_.Param(std::string(1, static_cast<char>('x' + i)), {shape, kBytes}), shape);
    }
    for (int i = 0; i < 20; ++i) WriteInstruction();
    for (int r = 0; r < 3; ++r) b_.Result("r" + std::to_string(r), values_[Any()].id);
    b_.Result("last", values_.back().id);
    return std::move(b_).Build();
  }

 private:
  struct Known {
    ValueId id;
    Shape shape;
  };

  void Define(ValueId id, const Shape& shape) { values_.push_back({id, shape}); }
  size_t Any() {  // mostly what is new
    const auto last = static_cast<int64_t>(values_.size()) - 1;
    return static_cast<size_t>(source_.OneIn(2) ? source_.Between(std::max<int64_t>(0, last - 3), last)
                                                : source_.Between(0, last));
  }

  void WriteInstruction() {
    const Known x = values_[Any()];
    switch (source_.Between(0, 7)) {
      case 0: return WriteSlice(x);
      case 1:
      case 2: return WriteConcatenation(x);
      case 3: return WriteProduct(x);
      case 4: return WriteReshape(x);
      case 5: return WriteConcatOfChannels(x);
      case 6: return Define(b_.Op(Opcode::kRelu, {x.id}), x.shape);
      default: return Define(b_.Op(Opcode::kClip, {x.id}, ClipAttrs{.a_min = -90, .a_max = 100}), x.shape);
    }
  }

  void WriteSlice(const Known& x) {
    const auto axis = static_cast<int>(source_.Between(0, x.shape.rank() - 1));
    const int64_t n = x.shape[axis],
                  length = n >= 4 && source_.OneIn(2) ? n / 4 : std::max<int64_t>(1, n / 2);
    const int64_t begin =
        source_.OneIn(4) ? source_.Between(0, n - length) : source_.Between(0, n / length - 1) * length;
    std::vector<int64_t> dims(x.shape.dims().begin(), x.shape.dims().end());
    dims[axis] = length;
    Define(b_.Op(Opcode::kStridedSlice, {x.id}, SliceAttrsOf(x.shape, axis, begin, length)), Dims(dims));
  }

  // A concatenation of all that fits, and sometimes of the same thing twice.
  void WriteConcatenation(const Known& x) {
    const auto axis = static_cast<int>(source_.Between(0, x.shape.rank() - 1));
    std::vector<ValueId> operands = {x.id};
    std::vector<int64_t> dims(x.shape.dims().begin(), x.shape.dims().end());
    for (auto other = values_.rbegin(); other != values_.rend() && operands.size() < 4; ++other) {
      if (other->shape.rank() != x.shape.rank() || (other->id == x.id && !source_.OneIn(4))) continue;
      bool fits = true;
      for (int i = 0; i < x.shape.rank(); ++i) fits &= i == axis || other->shape[i] == x.shape[i];
      if (!fits) continue;
      operands.push_back(other->id);
      dims[axis] += other->shape[axis];
    }
    if (operands.size() == 1 && source_.OneIn(3)) {
      operands.push_back(b_.Constant(Bytes(source_, x.shape)));
      dims[axis] += x.shape[axis];
    }
    if (Dims(dims).num_elements() > 1 << 16) return;
    Define(b_.Op(Opcode::kConcatenate, operands, ConcatenateAttrs{.axis = axis}), Dims(dims));
  }

  // A convolution of an image, a product of a matrix; brought back to bytes.
  void WriteProduct(const Known& x) {
    const int64_t columns = 16 << source_.Between(0, 1);
    std::vector<int64_t> dims(x.shape.dims().begin(), x.shape.dims().end());
    ValueId gemm = 0;
    if (x.shape.rank() == 4) {
      const ValueId w = b_.Constant(Bytes(source_, Dims({columns, dims[1], 1, 1})));
      gemm = b_.Op(
          Opcode::kConvolution, {x.id, w},
          ConvolutionAttrs{.stride = {1, 1}, .dilation = {1, 1}, .pad_begin = {0, 0}, .pad_end = {0, 0}});
      dims[1] = columns;
    } else {
      gemm = b_.Op(Opcode::kMatmul, {x.id, b_.Constant(Bytes(source_, Dims({dims.back(), columns})))},
                   MatmulAttrs{});
      dims.back() = columns;
    }
    Define(ToBytes(gemm), Dims(dims));
  }

  // Sums of one image side by side, some of which something else reads.
  void WriteConcatOfChannels(const Known& x) {
    if (x.shape.rank() != 4 || x.shape[1] > 64) return;
    std::vector<ValueId> operands;
    int64_t channels = 0;
    for (int64_t part = source_.Between(2, 4); part > 0; --part) {
      const int64_t side = source_.OneIn(2) ? 3 : 1, columns = source_.OneIn(2) ? 16 : source_.Between(1, 40);
      const ValueId w = b_.Constant(Bytes(source_, Dims({columns, x.shape[1], side, side})));
      const std::vector<int64_t> pad(2, side / 2);
      const ConvolutionAttrs attrs = {.stride = {1, 1}, .dilation = {1, 1}, .pad_begin = pad, .pad_end = pad};
      operands.push_back(ToBytes(b_.Op(Opcode::kConvolution, {x.id, w}, attrs)));
      if (source_.OneIn(8)) Define(operands.back(), Dims({x.shape[0], columns, x.shape[2], x.shape[3]}));
      channels += columns;
    }
    Define(b_.Op(Opcode::kConcatenate, operands, ConcatenateAttrs{.axis = source_.OneIn(2) ? 1 : -3}),
           Dims({x.shape[0], channels, x.shape[2], x.shape[3]}));
  }

  ValueId ToBytes(ValueId gemm) {
    const auto one = [&](int64_t v) { return b_.Constant(*Tensor::FromValues(Dims({1}), {v})); };
    return b_.Op(Opcode::kRescale, {gemm, one(1 << 30), one(0), one(40)},
                 RescaleAttrs{.lo = kBytes.lo, .hi = kBytes.hi});
  }

  void WriteReshape(const Known& x) {
    const int64_t last = x.shape[x.shape.rank() - 1], rows = x.shape.num_elements() / last;
    const Shape shape =
        x.shape.rank() == 2 && last % 4 == 0 ? Dims({1, rows, 4, last / 4}) : Dims({rows, last});
    const std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
    Define(b_.Op(Opcode::kReshape, {x.id}, ReshapeAttrs{.shape = dims}), shape);
  }

  RandomSource source_;
  ModuleBuilder b_;
  std::vector<Known> values_;
};

TEST(Views, RandomNetworksAreTheReferenceOnEveryLevelAndNumberOfThreads) {
  std::map<std::string, int> views;
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    auto valid = Validate(NetworkWriter(seed).Write());
    ASSERT_TRUE(valid.ok()) << "seed " << seed << ": " << valid.status();
    const auto module = std::make_shared<const ValidModule>(*std::move(valid));
    RandomSource source(seed + 1000000);
    std::vector<AlignedVector<uint8_t>> inputs, memory;
    std::vector<TensorView> in_place;
    for (const TensorType& type : module->entry().params) {
      const Tensor x = Bytes(source, type.shape);
      inputs.emplace_back(x.bytes().begin(), x.bytes().end());
      in_place.push_back({Storage::kI8, type.shape, inputs.back()});
    }
    const auto expected = (*MakePlan("reference", module))->Execute(in_place, {});
    ASSERT_TRUE(expected.ok()) << expected.status();
    std::vector<std::span<uint8_t>> results;
    for (const Tensor& result : expected->results) {
      results.emplace_back(memory.emplace_back(result.bytes().size()));
    }
    for (size_t a = 0; a < kLevels.size(); ++a) {
      const int threads[] = {1, 2, 3, 8};
      const auto plan = *MakePlan("cpu", module, {.threads = threads[(seed + a) % 4], .level = kLevels[a]});
      for (const std::string& view : plan->views()) ++views[view];
      const absl::Status status = plan->ExecuteInto(in_place, results, {});
      ASSERT_TRUE(status.ok()) << status;
      for (size_t r = 0; r < results.size(); ++r) {
        ASSERT_TRUE(std::ranges::equal(results[r], expected->results[r].bytes()))
            << "seed " << seed << ", result " << r << ", " << kLevels[a] << ", " << threads[(seed + a) % 4]
            << " threads: " << testing::PrintToString(plan->kernels());
      }
    }
  }
  for (const auto& [name, count] : views) std::cout << "  " << name << " " << count << "\n";
  EXPECT_GT(views["strided_slice"], 100);
  EXPECT_GT(views["concatenate"], 100);
}

TEST(Views, SlicesOnCacheLinesMoveNothing) {
  ModuleBuilder b(Profile::kCore);
  const Shape shape = Dims({8, 64});
  const ValueId x = b.Param("x", {shape, kBytes});
  const auto slice = [&](int axis, int64_t begin, int64_t length) {
    return b.Op(Opcode::kStridedSlice, {x}, SliceAttrsOf(shape, axis, begin, length));
  };
  b.Result("rows", b.Op(Opcode::kNegative, {slice(0, 3, 2)}));
  const auto plan = *MakePlan("cpu", Valid(std::move(b)));
  EXPECT_EQ(plan->views(), Views{"strided_slice"});
  EXPECT_EQ(plan->kernels().size(), 1);
}

TEST(Views, SlicesElsewhereAreCopied) {
  ModuleBuilder b(Profile::kCore);
  const Shape shape = Dims({8, 32});
  const ValueId x = b.Param("x", {shape, kBytes});
  b.Result("columns", b.Op(Opcode::kStridedSlice, {x}, SliceAttrsOf(shape, 1, 0, 8)));
  b.Result("row", b.Op(Opcode::kStridedSlice, {x}, SliceAttrsOf(shape, 0, 3, 1)));  // from byte 96 on
  const auto plan = *MakePlan("cpu", Valid(std::move(b)));
  EXPECT_EQ(plan->views(), Views{});
  EXPECT_EQ(plan->kernels().size(), 2);
}

TEST(Views, OperandsAreComputedIntoTheirConcatenation) {
  ModuleBuilder b(Profile::kCore);
  const TensorType rows = {Dims({4, 64}), {-100, 100}};
  const ValueId x = b.Param("x", rows), y = b.Param("y", rows);
  const std::vector<ValueId> parts = {b.Op(Opcode::kNegative, {x}), y, b.Op(Opcode::kNegative, {y})};
  b.Result("z", b.Op(Opcode::kNegative, {b.Op(Opcode::kConcatenate, parts, ConcatenateAttrs{.axis = 0})}));
  const auto plan = *MakePlan("cpu", Valid(std::move(b)));
  EXPECT_EQ(plan->views(), Views{"concatenate"});
  EXPECT_EQ(plan->kernels().size(), 4) << "two parts, a parameter that is copied, and z";
}

TEST(Views, SumsAreComputedIntoTheRowsOfTheirConcatenation) {
  ModuleBuilder b(Profile::kCore);
  const ValueId x = b.Param("x", {Dims({1, 16, 5, 5}), kBytes});
  std::vector<ValueId> parts;
  for (const int64_t channels : {3, 20}) {
    const std::vector<int64_t> weights(static_cast<size_t>(channels * 16), 5);
    const ValueId w = b.Constant(*Tensor::FromValues(Dims({channels, 16, 1, 1}), weights));
    parts.push_back(
        b.Op(Opcode::kConvolution, {x, w},
             ConvolutionAttrs{.stride = {1, 1}, .dilation = {1, 1}, .pad_begin = {0, 0}, .pad_end = {0, 0}}));
  }
  b.Result("z", b.Op(Opcode::kConcatenate, parts, ConcatenateAttrs{.axis = 1}));
  const auto plan = *MakePlan("cpu", Valid(std::move(b)), {.level = "avx512vnni"});
  EXPECT_EQ(plan->views(), Views{"concatenate"});
  EXPECT_FALSE(std::ranges::any_of(plan->kernels(),
                                   [](const std::string& name) { return name.starts_with("concatenate"); }));
}

// A byte of each long value is read at the end. As views, all of them would live until then.
TEST(Views, AreCopiesWhereTheyWouldTakeMuchMoreMemory) {
  constexpr int kValues = 50;
  ModuleBuilder b(Profile::kCore);
  const Shape shape = Dims({1 << 16});
  const ValueId x = b.Param("x", {shape, {-100, 100}});
  std::vector<ValueId> firsts;
  for (int i = 0; i < kValues; ++i) {
    const ValueId y = b.Op(Opcode::kClip, {x}, ClipAttrs{.a_min = -i, .a_max = i});
    firsts.push_back(b.Op(Opcode::kStridedSlice, {y}, SliceAttrsOf(shape, 0, 64, 1)));
  }
  b.Result("firsts", b.Op(Opcode::kConcatenate, firsts, ConcatenateAttrs{.axis = 0}));
  const auto plan = *MakePlan("cpu", Valid(std::move(b)));
  EXPECT_EQ(plan->views(), Views{});
  EXPECT_LE(plan->memory_bytes(), 4 * shape.num_elements());
}

}  // namespace
}  // namespace tally
