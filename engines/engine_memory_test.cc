// Engines need no more memory than docs/spec/limits.md says, whatever the shapes: on every level of
// instructions that this machine has, on 1, 2 and 8 threads, observed or not, and on the devices of the cuda
// engine.
#include "engines/shared/engine_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/cpu_flags.h"
#include "base/error.h"
#include "base/testing/random_source.h"
#include "engines/cuda/cuda_engine.h"
#include "engines/engine.h"
#include "engines/testing/test_devices.h"
#include "ops/control/attrs.h"
#include "ops/layout/attrs.h"
#include "ops/linear/attrs.h"
#include "ops/pooling/attrs.h"
#include "ops/proportion.h"
#include "ops/rescale/attrs.h"
#include "ops/sort/attrs.h"
#include "vm/module_builder.h"
#include "vm/validator.h"

namespace tally {
namespace {

using ModulePtr = std::shared_ptr<const ValidModule>;
constexpr Interval kBytes = {-100, 100};

ModulePtr Built(ModuleBuilder b) {
  auto valid = Validate(std::move(b).Build());
  return valid.ok() ? std::make_shared<const ValidModule>(*std::move(valid)) : nullptr;
}

Shape ShapeOf(std::vector<int64_t> dims) { return *Shape::Create(dims); }

ModulePtr Product(std::vector<int64_t> a, std::vector<int64_t> b_dims, bool constant,
                  MatmulAttrs attrs = {}) {
  ModuleBuilder b(Profile::kCore);
  const ValueId x = b.Param("a", {ShapeOf(a), kBytes});
  const ValueId w =
      constant ? b.Constant(Tensor(ShapeOf(b_dims), Storage::kI8)) : b.Param("b", {ShapeOf(b_dims), kBytes});
  b.Result("y", b.Op(Opcode::kMatmul, {x, w}, attrs));
  return Built(std::move(b));
}

ModulePtr Convolution(std::vector<int64_t> x_dims, std::vector<int64_t> w_dims,
                      const ConvolutionAttrs& attrs) {
  ModuleBuilder b(Profile::kCore);
  const ValueId x = b.Param("x", {ShapeOf(x_dims), kBytes});
  b.Result("y", b.Op(Opcode::kConvolution, {x, b.Constant(Tensor(ShapeOf(w_dims), Storage::kI8))}, attrs));
  return Built(std::move(b));
}

// Sums whose operands would live until all of them are rescaled, if they ran where their rescales are.
ModulePtr SumsRescaledLate(int64_t count) {
  ModuleBuilder b(Profile::kCore);
  const ValueId x = b.Param("x", {ShapeOf({256, 1024}), kBytes});
  const ValueId w = b.Constant(Tensor(ShapeOf({1024, 1}), Storage::kI8));
  const auto one = [&](int64_t v) { return b.Constant(*Tensor::FromValues(*Shape::Create({1}), {v})); };
  std::vector<ValueId> sums, results;
  ValueId last = x;
  for (int64_t i = 0; i < count; ++i) {
    last = b.Op(Opcode::kNegative, {last});
    sums.push_back(b.Op(Opcode::kMatmul, {last, w}, MatmulAttrs{}));
  }
  for (const ValueId sum : sums) {
    results.push_back(
        b.Op(Opcode::kRescale, {sum, one(1 << 30), one(0), one(40)}, RescaleAttrs{.lo = -128, .hi = 127}));
  }
  b.Result("y", b.Op(Opcode::kConcatenate, results, ConcatenateAttrs{.axis = 0}));
  return Built(std::move(b));
}

// Functions inside one another, the innermost of which has a large value.
ModulePtr Nested(int64_t depth) {
  const TensorType type = {ShapeOf({1, 1}), kBytes};
  ModuleBuilder b(Profile::kCore);
  int64_t function = 0;
  for (int64_t d = 0; d < depth; ++d) {
    const std::vector<ValueId> p = b.BeginFunction({type});
    ValueId y = p[0];
    if (d == 0) {
      y = b.Op(Opcode::kMatmul, {y, b.Constant(Tensor(ShapeOf({1, 1 << 20}), Storage::kI8))}, MatmulAttrs{});
      y = b.Op(Opcode::kMatmul, {y, b.Constant(Tensor(ShapeOf({1 << 20, 1}), Storage::kI8))}, MatmulAttrs{});
    } else {
      y = b.Op(Opcode::kCall, {y}, CallAttrs{.function = function});
    }
    function = b.EndFunction({y});
  }
  const ValueId x = b.Param("x", type);
  b.Result("y", b.Op(Opcode::kCall, {x}, CallAttrs{.function = function}));
  return Built(std::move(b));
}

ConvolutionAttrs Window(std::vector<int64_t> stride, std::vector<int64_t> dilation, std::vector<int64_t> pad,
                        int64_t groups) {
  return {.stride = stride, .dilation = dilation, .pad_begin = pad, .pad_end = pad, .groups = groups};
}

// Made to take many times what they are validated with.
std::map<std::string, ModulePtr> Adversaries() {
  std::map<std::string, ModulePtr> m;
  m["products of single numbers"] = Product({4000000, 1, 1}, {4000000, 1, 1}, false);
  m["products of small matrices"] = Product({40000, 16, 8}, {40000, 8, 9}, false);
  m["a column of depth 1"] = Product({1000000, 1}, {1, 8}, false);
  m["a row by a column"] = Product({1, 1000000}, {1000000, 1}, false);
  m["a row by a constant column"] = Product({1, 1000000}, {1000000, 1}, true);
  m["many groups"] = Convolution({1, 65536, 1, 1}, {131072, 1, 1, 1}, Window({1, 1}, {1, 1}, {0, 0}, 65536));
  m["a dilation over padding"] =
      Convolution({1, 2, 2, 2}, {3, 2, 2, 2}, Window({1, 1}, {20000, 20000}, {10000, 10000}, 1));
  m["a stride over padding"] =
      Convolution({1, 8, 4, 4}, {8, 8, 5, 5}, Window({4000, 4000}, {1999, 1999}, {4000, 4000}, 1));
  m["depthwise, dilated"] =
      Convolution({1, 64, 4, 4}, {64, 1, 3, 3}, Window({1, 1}, {1, 500000}, {1, 500000}, 64));
  m["depthwise, strided"] =
      Convolution({1, 64, 1, 2000}, {64, 1, 1, 2}, Window({1, 100000}, {1, 3}, {0, 100000}, 64));
  m["windows of a stride"] = Convolution({1, 3, 64, 64}, {8, 3, 30, 5}, Window({30, 2}, {1, 1}, {0, 0}, 1));
  m["sums rescaled late"] = SumsRescaledLate(200);
  m["functions inside one another"] = Nested(60);
  return m;
}

// One instruction with kernels that copy or have working memory, of any shape.
ModulePtr RandomModule(RandomSource& r) {
  const auto size = [&](int64_t most_bits) { return r.Between(1, int64_t{1} << r.Between(0, most_bits)); };
  switch (r.Between(0, 4)) {
    case 0: {
      const int64_t depth = size(11), columns = size(9);
      const bool constant = r.OneIn(2), batched = r.OneIn(2), transposed = r.OneIn(2);
      std::vector<int64_t> a = {size(11), depth}, w = {depth, columns};
      if (transposed) std::swap(w[0], w[1]);
      if (batched) {
        a.insert(a.begin(), size(12));
        w.insert(w.begin(), a[0]);
      }
      return Product(a, w, constant, {.transpose_b = transposed});
    }
    case 1:
    case 2: {
      const int64_t groups = size(r.OneIn(2) ? 0 : 10), channels = r.OneIn(2) ? 1 : size(4);
      const int64_t out = r.OneIn(2) ? 1 : size(4);
      const auto two = [&](int64_t bits) { return std::vector<int64_t>{size(bits), size(bits)}; };
      const std::vector<int64_t> kernel = two(3), image = two(9);
      return Convolution({size(3), groups * channels, image[0], image[1]},
                         {groups * out, channels, kernel[0], kernel[1]},
                         Window(two(9), two(9), two(10), groups));
    }
    case 3: {
      ModuleBuilder b(Profile::kCore);
      const auto two = [&](int64_t bits) { return std::vector<int64_t>{size(bits), size(bits)}; };
      const std::vector<int64_t> kernel = two(6), image = two(10);
      const std::vector<int64_t> pad = {r.Between(0, kernel[0] - 1), r.Between(0, kernel[1] - 1)};
      const ValueId x = b.Param("x", {ShapeOf({size(2), size(7), image[0], image[1]}), kBytes});
      b.Result(
          "y",
          b.Op(
              Opcode::kMaxPool, {x},
              PoolAttrs{
                  .kernel = kernel, .stride = two(3), .dilation = two(4), .pad_begin = pad, .pad_end = pad}));
      return Built(std::move(b));
    }
    default: {
      ModuleBuilder b(Profile::kCore);
      const ValueId x = b.Param("x", {ShapeOf({size(6), size(18)}), kBytes});
      b.Result("y", b.Op(Opcode::kSort, {x}, SortAttrs{.axis = 1}));
      return Built(std::move(b));
    }
  }
}

void ExpectWithinBounds(const ModulePtr& module, const std::string& what,
                        const std::vector<int>& thread_counts) {
  for (const std::string_view level : CpuLevelsOf(DetectCpuFlags())) {
    for (const int threads : thread_counts) {
      const auto plan = *MakePlan("cpu", module, {.threads = threads, .level = level});
      const int64_t bound = EngineMemoryBounds(*module, threads)[0];
      EXPECT_LE(plan->memory_bytes(), bound) << what << ", " << level << ", " << threads << " threads";
      EXPECT_LE(plan->observed_memory_bytes(), bound)
          << what << ", " << level << ", " << threads << " threads, observed";
    }
  }
}

TEST(EngineMemory, StaysInProportionWhereModulesAreMadeToLeaveIt) {
  for (const auto& [what, module] : Adversaries()) {
    ASSERT_NE(module, nullptr) << what;
    ExpectWithinBounds(module, what, {1, 2, 8});
  }
}

// Each of which would have memory of its own for the one row that there is.
TEST(EngineMemory, StaysInProportionWithMoreThreadsThanWork) {
  ModuleBuilder b(Profile::kCore);
  b.Result("y", b.Op(Opcode::kSort, {b.Param("x", {ShapeOf({1, 1 << 20}), kBytes})}, SortAttrs{.axis = 1}));
  ExpectWithinBounds(Built(std::move(b)), "one row", {64});
}

TEST(EngineMemory, StaysInProportionForRandomShapes) {
  RandomSource r(20261122);
  int valid = 0;
  while (valid < 200) {
    const ModulePtr module = RandomModule(r);
    if (module == nullptr || module->arena_bytes() > (int64_t{1} << 24)) continue;
    ++valid;
    ExpectWithinBounds(module, "random module " + std::to_string(valid), {1, 8});
  }
}

// One step does not cost the others of its function their kernels.
TEST(EngineMemory, WhatIsOutOfProportionIsKeptFromKernelsAlone) {
  const ModulePtr alone = Product({64, 64}, {64, 64}, true);
  ModuleBuilder b(Profile::kCore);
  const ValueId x = b.Param("x", {ShapeOf({64, 64}), kBytes}),
                p = b.Param("p", {ShapeOf({1, 2, 2, 2}), kBytes});
  b.Result("y",
           b.Op(Opcode::kMatmul, {x, b.Constant(Tensor(ShapeOf({64, 64}), Storage::kI8))}, MatmulAttrs{}));
  // Its packed image has 20,002 lines of as many pixels.
  b.Result("z", b.Op(Opcode::kConvolution, {p, b.Constant(Tensor(ShapeOf({3, 2, 2, 2}), Storage::kI8))},
                     Window({1, 1}, {20000, 20000}, {10000, 10000}, 1)));
  const ModulePtr both = Built(std::move(b));
  for (const std::string_view level : CpuLevelsOf(DetectCpuFlags())) {
    const auto expected = (*MakePlan("cpu", alone, {.level = level}))->kernels();
    const auto kernels = (*MakePlan("cpu", both, {.level = level}))->kernels();
    EXPECT_EQ(std::ranges::count(kernels, expected.back()), 1) << level << ": " << expected.back();
  }
}

TEST(EngineMemory, OfADeviceStaysInProportionToo) {
  for (const auto& [what, module] : Adversaries()) {
    ASSERT_NE(module, nullptr) << what;
    for (const auto& device : cuda::TestDevices()) {
      const auto plan = MakeCudaPlan(module, device);
      ASSERT_TRUE(plan.ok()) << what << ": " << plan.status();
      const int64_t bound = EngineMemoryBounds(*module, 1)[0];
      EXPECT_LE((*plan)->memory_bytes(), bound) << what << ", " << device->info().name;
      EXPECT_LE((*plan)->hashed_memory_bytes(), bound) << what << ", " << device->info().name << ", hashed";
    }
  }
}

// Each group of one weight fills a tile when it is packed, for each of many convolutions with the same
// weights.
TEST(EngineMemory, PlansKeepWeightsInProportion) {
  constexpr int64_t kGroups = 4096;
  ModuleBuilder b(Profile::kCore);
  const ValueId x = b.Param("x", {ShapeOf({1, kGroups, 1, 1}), {-1, 1}});
  const ValueId w = b.Constant(Tensor(ShapeOf({2 * kGroups, 1, 1, 1}), Storage::kI8));
  ValueId sum =
      b.Op(Opcode::kStridedSlice, {x}, StridedSliceAttrs{.begin = {0, 0}, .end = {1, 1}, .stride = {1, 1}});
  for (int i = 0; i < 100; ++i) {
    const ValueId y = b.Op(Opcode::kConvolution, {x, w}, Window({1, 1}, {1, 1}, {0, 0}, kGroups));
    const ValueId first =
        b.Op(Opcode::kStridedSlice, {y}, StridedSliceAttrs{.begin = {0, 0}, .end = {1, 1}, .stride = {1, 1}});
    sum = b.Op(Opcode::kBroadcastAdd, {sum, first});
  }
  b.Result("y", sum);
  const ModulePtr module = Built(std::move(b));
  const int64_t bound = PlanMemoryBound(*module);
  for (const std::string_view level : CpuLevelsOf(DetectCpuFlags())) {
    EXPECT_LE((*MakePlan("cpu", module, {.level = level}))->kept_bytes(), bound) << level;
  }
  for (const auto& device : cuda::TestDevices()) {
    const auto plan = *MakeCudaPlan(module, device);
    EXPECT_GT(plan->kept_bytes(), 0);
    EXPECT_LE(plan->kept_bytes(), bound) << device->info().name;
  }
}

// Values on the device and on the host, and what one step may have beside them.
TEST(EngineMemory, OfADeviceIsAFewTimesTheArenaForOneStep) {
  ModuleBuilder b(Profile::kCore);
  const ValueId x = b.Param("x", {ShapeOf({1 << 20, 1}), {-30000, 30000}});
  b.Result("y", b.Op(Opcode::kMatmul, {x, b.Constant(Tensor(ShapeOf({1, 1}), Storage::kI8))}, MatmulAttrs{}));
  const ModulePtr module = Built(std::move(b));
  for (const auto& device : cuda::TestDevices()) {
    const Int128 most = 2 * Int128{module->arena_bytes()} + MostStepBytes(module->arena_bytes());
    EXPECT_LE((*MakeCudaPlan(module, device))->memory_bytes(), static_cast<int64_t>(most))
        << device->info().name;
  }
}

TEST(EngineMemory, RefusalsAreTheSameOnEveryEngineLevelAndThreadCount) {
  const ModulePtr module = Product({300, 1, 1}, {300, 1, 1}, false);
  const Tensor x(ShapeOf({300, 1, 1}), Storage::kI8);
  const TensorView inputs[] = {x.view(), x.view()};
  const auto expect = [&](const Plan& plan, const std::string& what) {
    ExecuteOptions options = {.memory_limit_bytes = module->arena_bytes()};
    for (const bool observed : {false, true}) {
      if (observed) options.observer = [](std::span<const CallSite>, ValueId, const TensorView&) {};
      options.memory_limit_bytes = module->arena_bytes();
      EXPECT_TRUE(plan.Execute(inputs, options).ok()) << what;
      --options.memory_limit_bytes;
      EXPECT_EQ(ErrorLabel(plan.Execute(inputs, options).status()), "memory_limit") << what;
    }
  };
  for (const char* engine : {"formal", "reference"}) expect(**MakePlan(engine, module), engine);
  for (const std::string_view level : CpuLevelsOf(DetectCpuFlags())) {
    for (const int threads : {1, 2, 8}) {
      expect(**MakePlan("cpu", module, {.threads = threads, .level = level}), std::string(level));
    }
  }
  for (const auto& device : cuda::TestDevices()) expect(**MakeCudaPlan(module, device), device->info().name);
}

}  // namespace
}  // namespace tally
