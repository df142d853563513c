// The allocations of a run: working memory as the plan states it, once, and its results unless they go into
// the caller's memory.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "base/aligned_vector.h"
#include "base/testing/counting_new.h"
#include "engines/engine.h"
#include "engines/shared/engine_memory.h"
#include "ops/linear/attrs.h"
#include "ops/pooling/attrs.h"
#include "ops/rescale/attrs.h"
#include "vm/module_builder.h"
#include "vm/validator.h"

namespace tally {
namespace {

// Two convolutions with rescales, and a pool between them.
std::shared_ptr<const ValidModule> Network() {
  ModuleBuilder b(Profile::kCore);
  const TensorType image = {*Shape::Create({1, 3, 32, 32}), {-128, 127}};
  ValueId x = b.Param("x", image);
  const auto conv = [&](ValueId input, int64_t in, int64_t out) {
    std::vector<int64_t> weights(static_cast<size_t>(out * in * 9));
    for (size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<int64_t>(i * 37 % 255) - 127;
    const ValueId w = b.Constant(*Tensor::FromValues(*Shape::Create({out, in, 3, 3}), weights));
    const ValueId gemm =
        b.Op(Opcode::kConvolution, {input, w},
             ConvolutionAttrs{.stride = {1, 1}, .dilation = {1, 1}, .pad_begin = {1, 1}, .pad_end = {1, 1}});
    const auto one = [&](int64_t v) { return b.Constant(*Tensor::FromValues(*Shape::Create({1}), {v})); };
    return b.Op(Opcode::kRescale, {gemm, one(1 << 30), one(0), one(40)}, RescaleAttrs{.lo = -128, .hi = 127});
  };
  x = conv(x, 3, 40);
  x = b.Op(
      Opcode::kMaxPool, {x},
      PoolAttrs{
          .kernel = {2, 2}, .stride = {2, 2}, .dilation = {1, 1}, .pad_begin = {0, 0}, .pad_end = {0, 0}});
  b.Result("y", conv(x, 40, 24));
  return std::make_shared<const ValidModule>(*Validate(std::move(b).Build()));
}

TEST(Allocation, ARunAllocatesNoMoreThanItsPlanSaysAndThenOnlyResults) {
  const auto module = Network();
  const auto plan = *MakePlan("cpu", module, {.threads = 2});
  const Tensor x(module->entry().params[0].shape, Storage::kI8);
  const TensorView inputs[] = {x.view()};
  constexpr int64_t kBookkeeping = 1024;  // lists of results
  const int64_t result_bytes = module->types()[module->entry().results[0]].size_bytes();

  int64_t before = allocated_bytes;
  ASSERT_TRUE(plan->Execute(inputs, {}).ok());
  EXPECT_LE(allocated_bytes - before, plan->memory_bytes() + result_bytes + kBookkeeping);
  EXPECT_GE(allocated_bytes - before, plan->memory_bytes());

  before = allocated_bytes;
  ASSERT_TRUE(plan->Execute(inputs, {}).ok());
  EXPECT_LE(allocated_bytes - before, result_bytes + kBookkeeping);
}

TEST(Allocation, StepsByElementsWorkInPlace) {
  ModuleBuilder b(Profile::kCore);
  const Shape shape = *Shape::Create({1 << 16});
  const ValueId x = b.Param("x", {shape, {-100, 100}});
  ValueId y = x;
  for (int i = 0; i < 9; ++i) y = b.Op(Opcode::kNegative, {y});
  b.Result("y", b.Op(Opcode::kBroadcastAdd, {y, x}));
  const auto module = std::make_shared<const ValidModule>(*Validate(std::move(b).Build()));
  // x, its negatives, and y of 16 bits.
  EXPECT_LE((*MakePlan("cpu", module))->memory_bytes(), 4 * shape.num_elements() + 4096);
}

TEST(Allocation, ARunIntoTheCallersMemoryAllocatesNothing) {
  const auto module = Network();
  for (const int threads : {1, 2}) {
    const auto plan = *MakePlan("cpu", module, {.threads = threads});
    const Tensor x(module->entry().params[0].shape, Storage::kI8);
    const TensorView inputs[] = {x.view()};
    AlignedVector<uint8_t> y(module->types()[module->entry().results[0]].size_bytes());
    const std::span<uint8_t> results[] = {y};
    ASSERT_TRUE(plan->ExecuteInto(inputs, results, {}).ok());
    const int64_t before = allocated_bytes;
    ASSERT_TRUE(plan->ExecuteInto(inputs, results, {}).ok());
    EXPECT_EQ(allocated_bytes, before);
  }
}

// Some kilobytes describe an instruction: in it, in steps, in buffers.
void ExpectPlanWithinBounds(const Module& module, const char* what) {
  const auto valid = std::make_shared<const ValidModule>(*Validate(module));
  const auto instructions = static_cast<int64_t>(valid->entry().body.size());
  const int64_t bound = PlanMemoryBound(*valid) + instructions * 8192;
  const int64_t before = live_bytes;
  most_live_bytes = before;
  const auto plan = *MakePlan("cpu", valid);
  EXPECT_LE(live_bytes - before, bound) << what;
  EXPECT_LE(most_live_bytes - before, 2 * bound) << what << ", while it is made";
}

// Packed weights are most of what a plan allocates.
TEST(Allocation, APlanSaysWhatItKeeps) {
  ModuleBuilder b(Profile::kCore);
  ValueId x = b.Param("x", {*Shape::Create({1, 512, 4, 4}), {-128, 127}});
  const auto one = [&](int64_t v) { return b.Constant(*Tensor::FromValues(*Shape::Create({1}), {v})); };
  const auto add = [&](const Shape& weights, int64_t groups) {
    std::vector<int64_t> values(static_cast<size_t>(weights.num_elements()));
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int64_t>(i * 37 % 255) - 127;
    const int64_t pad = weights[2] / 2;
    x = b.Op(Opcode::kConvolution, {x, b.Constant(*Tensor::FromValues(weights, values))},
             ConvolutionAttrs{.stride = {1, 1},
                              .dilation = {1, 1},
                              .pad_begin = {pad, pad},
                              .pad_end = {pad, pad},
                              .groups = groups});
    x = b.Op(Opcode::kRescale, {x, one(1 << 30), one(0), one(45)}, RescaleAttrs{.lo = -128, .hi = 127});
  };
  add(*Shape::Create({512, 512, 1, 1}), 1);
  add(*Shape::Create({512, 1, 3, 3}), 512);
  b.Result("y", x);
  const auto valid = std::make_shared<const ValidModule>(*Validate(std::move(b).Build()));
  const int64_t before = live_bytes;
  const auto plan = *MakePlan("cpu", valid);
  const int64_t grown = live_bytes - before;
  EXPECT_GE(plan->kept_bytes(), valid->constant_bytes() * 9 / 10);
  EXPECT_LE(plan->kept_bytes(), grown);
  EXPECT_GE(plan->kept_bytes(), grown - (64 << 10));
}

// Tables of the positions of rows are as long as the image, for each of many steps.
TEST(Allocation, APlanKeepsInProportionWhereRowsLie) {
  ModuleBuilder b(Profile::kCore);
  ValueId x = b.Param("x", {*Shape::Create({1, 1, 1000, 300}), {-1, 1}});
  const ValueId w = b.Constant(Tensor(*Shape::Create({1, 1, 1, 1}), Storage::kI8));
  for (int i = 0; i < 100; ++i) {
    x = b.Op(Opcode::kConvolution, {x, w},
             ConvolutionAttrs{.stride = {1, 1}, .dilation = {1, 1}, .pad_begin = {0, 0}, .pad_end = {0, 0}});
  }
  b.Result("y", x);
  ExpectPlanWithinBounds(std::move(b).Build(), "rows");
}

// Each group of one weight would have a panel of its own.
TEST(Allocation, APlanKeepsInProportionWhatGroupsArePaddedTo) {
  ModuleBuilder b(Profile::kCore);
  const int64_t groups = 1 << 16;
  const ValueId x = b.Param("x", {*Shape::Create({1, groups, 1, 1}), {-1, 1}});
  const ValueId w = b.Constant(Tensor(*Shape::Create({2 * groups, 1, 1, 1}), Storage::kI8));
  b.Result("y", b.Op(Opcode::kConvolution, {x, w},
                     ConvolutionAttrs{.stride = {1, 1},
                                      .dilation = {1, 1},
                                      .pad_begin = {0, 0},
                                      .pad_end = {0, 0},
                                      .groups = groups}));
  ExpectPlanWithinBounds(std::move(b).Build(), "groups");
}

}  // namespace
}  // namespace tally
