// Convolutions with a max_pool after them, of random shapes that are worth bands, against the reference: on
// the levels of instructions that this machine has, on 1, 2, 3 and 8 threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <random>
#include <string>

#include "base/cpu_flags.h"
#include "engines/engine.h"
#include "ops/linear/attrs.h"
#include "ops/pooling/attrs.h"
#include "ops/rescale/attrs.h"
#include "vm/module_builder.h"
#include "vm/validator.h"

namespace tally {
namespace {

constexpr uint64_t kSeeds = 24;  // large images take a reference long

Shape Dims(std::vector<int64_t> dims) { return *Shape::Create(dims); }

class Writer {
 public:
  explicit Writer(uint64_t seed) : engine_(seed), b_(Profile::kCore) {}

  int64_t Between(int64_t lo, int64_t hi) {
    return lo + static_cast<int64_t>(engine_() % (static_cast<uint64_t>(hi - lo) + 1));
  }
  Tensor Values(const Shape& shape, const Interval& range) {
    std::vector<int64_t> values(shape.num_elements());
    for (int64_t& v : values) v = Between(range.lo, range.hi);
    return *Tensor::FromValues(shape, values);
  }

  Module Write() {
    const int64_t batch = Between(1, 2), channels = Between(1, 2), kernel = Between(1, 3),
                  stride = Between(1, 2);
    const int64_t columns = Between(0, 3) == 0 ? 40 : 64, pad = Between(0, 1),
                  size = (batch == 1 ? 180 : 128) * stride;
    const Shape x = Dims({batch, channels, size + Between(0, 20), size + Between(0, 20)});
    const ConvolutionAttrs attrs = {.stride = {stride, stride},
                                    .dilation = {1, 1},
                                    .pad_begin = {pad, pad},
                                    .pad_end = {pad, pad},
                                    .zero_x = Between(-2, 2)};
    ValueId y = b_.Op(Opcode::kConvolution,
                      {b_.Param("x", {x, {-128, 127}}),
                       b_.Constant(Values(Dims({columns, channels, kernel, kernel}), {-128, 127}))},
                      attrs);
    if (Between(0, 3) > 0) {  // else 32 bits are pooled
      const auto one = [&](int64_t v) { return b_.Constant(*Tensor::FromValues(Dims({1}), {v})); };
      const bool wide = Between(0, 3) == 0;
      y = b_.Op(Opcode::kRescale, {y, one(1 << 30), one(0), one(wide ? 32 : 38)},
                RescaleAttrs{.lo = wide ? -30000 : -128, .hi = wide ? 30000 : 127});
    }
    if (Between(0, 1) == 0) y = b_.Op(Opcode::kRelu, {y});
    b_.Result("y", Between(0, 1) == 0 ? Pool2d(y) : Pool(y));
    return std::move(b_).Build();
  }

 private:
  ValueId Pool2d(ValueId x) {
    const int64_t size = Between(1, 4);
    return b_.Op(Opcode::kMaxPool2d, {x},
                 MaxPool2dAttrs{.pool_size = {size, Between(1, 3)},
                                .strides = {Between(1, 3), Between(1, 3)},
                                .padding = {Between(0, size - 1), 0},
                                .ceil_mode = Between(0, 1) == 1});
  }
  ValueId Pool(ValueId x) {
    PoolAttrs attrs = {.ceil_mode = Between(0, 1) == 1};
    for (int axis = 0; axis < 2; ++axis) {
      attrs.kernel.push_back(Between(1, 5));
      attrs.stride.push_back(Between(1, 7));  // also longer than the window
      attrs.dilation.push_back(Between(1, 2));
      attrs.pad_begin.push_back(Between(0, attrs.kernel.back() - 1));
      attrs.pad_end.push_back(Between(0, attrs.kernel.back() - 1));
    }
    return b_.Op(Opcode::kMaxPool, {x}, attrs);
  }

  std::mt19937_64 engine_;
  ModuleBuilder b_;
};

TEST(PooledConvolution, AreTheReferenceOnAnyLevelAndNumberOfThreads) {
  const int threads[] = {1, 2, 3, 8};
  const std::vector<std::string_view> levels = CpuLevelsOf(DetectCpuFlags());
  int pooled = 0, apart = 0;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    auto valid = Validate(Writer(seed).Write());
    if (!valid.ok()) continue;  // windows that fit nowhere
    const auto module = std::make_shared<const ValidModule>(*std::move(valid));
    const TensorType& type = module->entry().params[0];
    const Tensor x = Writer(seed + 1000000).Values(type.shape, type.interval);
    const auto expected = (*MakePlan("reference", module))->Execute({{x.view()}}, {});
    ASSERT_TRUE(expected.ok()) << expected.status();
    for (const std::string_view level : {levels.back(), levels[seed % levels.size()]}) {
      const auto plan = *MakePlan("cpu", module, {.threads = threads[seed % 4], .level = level});
      const auto outcome = plan->Execute({{x.view()}}, {});
      ASSERT_TRUE(outcome.ok()) << outcome.status();
      ASSERT_TRUE(SameValues(outcome->results[0].view(), expected->results[0].view()))
          << "seed " << seed << ", " << level << ", " << threads[seed % 4]
          << " threads: " << testing::PrintToString(plan->kernels());
      const bool fused = std::ranges::any_of(plan->kernels(), [](const std::string& name) {
        return name.find("+max_pool_nhwc") != std::string::npos;
      });
      ++(fused ? pooled : apart);
    }
  }
  std::cout << pooled << " plans pool in bands, " << apart << " apart\n";
  EXPECT_GE(pooled, 10);
  EXPECT_GE(apart, 5);
}

}  // namespace
}  // namespace tally
