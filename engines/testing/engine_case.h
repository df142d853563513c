// For tests of engines that compile: small modules at the edge of one rule, on each engine against the
// reference.
//
//   TEST_F(EngineCase, AddsWhatHasItsShape) {
//     const ValueId x = Param({2, 3}), r = Param({2, 3});
//     Result(Add(Rescale(Matmul(x)), r));
//     ExpectEnginesAgree();
//   }
//
// All parameters come before the first instruction, and so ahead of arguments that C++ evaluates in any
// order.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/aligned_vector.h"
#include "base/cpu_flags.h"
#include "base/testing/random_source.h"
#include "engines/cuda/cuda_engine.h"
#include "engines/engine.h"
#include "engines/testing/test_devices.h"
#include "ops/layout/attrs.h"
#include "ops/linear/attrs.h"
#include "ops/rescale/attrs.h"
#include "vm/module_builder.h"
#include "vm/validator.h"

namespace tally {

class EngineCase : public testing::Test {
 protected:
  static constexpr Interval kByte = {-128, 127};
  static constexpr RescaleAttrs kToBytes = {.lo = -128, .hi = 127};

  static Shape Dims(std::vector<int64_t> dims) { return *Shape::Create(dims); }

  ValueId Param(std::vector<int64_t> dims, const Interval& interval = kByte) {
    const ValueId id = b_.Param("p" + std::to_string(params_++), {Dims(std::move(dims)), interval});
    EXPECT_TRUE(id == 0 || id == last_param_ + 1) << "a parameter behind an instruction";
    return last_param_ = id;
  }
  ValueId Constant(std::vector<int64_t> dims, const std::vector<int64_t>& values) {
    return b_.Constant(*Tensor::FromValues(Dims(std::move(dims)), values));
  }
  // Any elements of the interval.
  ValueId Draw(std::vector<int64_t> dims, const Interval& interval = kByte) {
    const Shape shape = Dims(std::move(dims));
    return b_.Constant(*Tensor::FromValues(shape, source_.Values(shape.num_elements(), interval)));
  }
  // [rows, 3], in about +-2000 for bytes.
  ValueId Matmul(ValueId x) {
    return b_.Op(Opcode::kMatmul, {x, Constant({3, 3}, {1, -7, 3, 2, 5, -1, -4, 0, 2})}, MatmulAttrs{});
  }
  // By a kernel of one pixel. w: [channels, channels of a group, 1, 1].
  ValueId Convolution(ValueId x, ValueId w, int64_t groups = 1) {
    return b_.Op(
        Opcode::kConvolution, {x, w},
        ConvolutionAttrs{
            .stride = {1, 1}, .dilation = {1, 1}, .pad_begin = {0, 0}, .pad_end = {0, 0}, .groups = groups});
  }
  // About an eighth of x in the first channel, and as much more in each that follows; `shift` 29 keeps it
  // whole.
  ValueId Rescale(ValueId x, const RescaleAttrs& attrs = kToBytes, int64_t channels = 1, int64_t shift = 32) {
    std::vector<int64_t> m, bias(channels), s(channels, shift);
    for (int64_t c = 0; c < channels; ++c) m.push_back((c + 1) << 29);
    return b_.Op(Opcode::kRescale,
                 {x, Constant({channels}, m), Constant({channels}, bias), Constant({channels}, s)}, attrs);
  }
  ValueId Add(ValueId x, ValueId y) { return b_.Op(Opcode::kBroadcastAdd, {x, y}); }
  ValueId Reshape(ValueId x, std::vector<int64_t> dims) {
    return b_.Op(Opcode::kReshape, {x}, ReshapeAttrs{.shape = std::move(dims)});
  }
  void Result(ValueId y) { b_.Result("y" + std::to_string(results_++), y); }

  // The module as written so far, valid.
  std::shared_ptr<const ValidModule> Module() {
    auto valid = Validate(std::move(b_).Build());
    EXPECT_TRUE(valid.ok()) << valid.status();
    return valid.ok() ? std::make_shared<const ValidModule>(*std::move(valid)) : nullptr;
  }

  // On every level of instructions, two threads, and emulated devices.
  static void ExpectEnginesAgree(const std::shared_ptr<const ValidModule>& module) {
    ASSERT_NE(module, nullptr);
    for (uint64_t seed = 1; seed <= 8; ++seed) Compare(module, seed, cuda::TestDevices());
  }
  void ExpectEnginesAgree() { ExpectEnginesAgree(Module()); }
  // Without devices, which are slow when they are emulated: for large modules.
  void ExpectCpuAgrees() {
    const auto module = Module();
    ASSERT_NE(module, nullptr);
    Compare(module, 1, {});
  }

  ModuleBuilder b_{Profile::kCore};

 private:
  static void Compare(const std::shared_ptr<const ValidModule>& module, uint64_t seed,
                      std::span<const std::shared_ptr<cuda::Device>> devices) {
    RandomSource source(seed);
    // Where a plan may read them in place.
    std::vector<AlignedVector<uint8_t>> inputs;
    std::vector<TensorView> views;
    for (const TensorType& type : module->entry().params) {
      const auto values = source.ValuesOrEnds(type.shape.num_elements(), type.interval, 3);
      AlignedVector<uint8_t>& bytes = inputs.emplace_back(type.size_bytes());
      for (size_t i = 0; i < values.size(); ++i) StoreElement(type.storage(), bytes.data(), i, values[i]);
      views.push_back({type.storage(), type.shape, {bytes.data(), bytes.size()}});
    }
    const auto given = inputs;
    const auto expected = (*MakePlan("reference", module))->Execute(views, {});
    ASSERT_TRUE(expected.ok()) << expected.status();
    const auto compare = [&](const Plan& plan, std::string_view name) {
      const auto outcome = plan.Execute(views, {});
      ASSERT_TRUE(outcome.ok()) << outcome.status();
      for (size_t r = 0; r < expected->results.size(); ++r) {
        EXPECT_TRUE(SameValues(outcome->results[r].view(), expected->results[r].view()))
            << name << ", seed " << seed << ", result " << r << ": "
            << testing::PrintToString(plan.kernels());
      }
      const auto checked = plan.Execute(views, {.check = true});
      EXPECT_TRUE(checked.ok()) << name << ", seed " << seed << ": " << checked.status();
    };
    for (const std::string_view level : CpuLevelsOf(DetectCpuFlags())) {
      compare(**MakePlan("cpu", module, {.threads = 2, .level = level}), level);
    }
    for (const auto& device : devices) compare(**MakeCudaPlan(module, device), "cuda");
  }

  RandomSource source_{7};
  int params_ = 0, results_ = 0;
  ValueId last_param_ = 0;
};

}  // namespace tally
