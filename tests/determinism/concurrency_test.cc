// The cpu engine in a server: many callers run one plan, or several plans, at the same time, and each gets
// the bytes of the reference. The steps are large enough to be shared by a plan's own threads.
#include <gtest/gtest.h>

#include <array>
#include <barrier>
#include <memory>
#include <thread>
#include <vector>

#include "base/aligned_vector.h"
#include "engines/engine.h"
#include "fuzz/generators/module_generator.h"
#include "ops/linear/attrs.h"
#include "ops/pooling/attrs.h"
#include "ops/rescale/attrs.h"
#include "vm/module_builder.h"
#include "vm/validator.h"

namespace tally {
namespace {

constexpr int kCallers = 6, kRuns = 8;
constexpr std::array kThreads = {1, 2, 3, 8};

using Results = std::vector<std::vector<uint8_t>>;

// An image convolved, then each channel by itself, pooled, added to a pointwise product, and multiplied by a
// matrix that is an input too: steps that stage, pack, sum, and go by elements.
std::shared_ptr<const ValidModule> Network(int64_t channels) {
  ModuleBuilder b(Profile::kCore);
  const auto constant = [&](std::vector<int64_t> dims, int64_t range) {
    const Shape shape = *Shape::Create(dims);
    std::vector<int64_t> values(static_cast<size_t>(shape.num_elements()));
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<int64_t>(i * 37 % static_cast<size_t>(2 * range + 1)) - range;
    }
    return b.Constant(*Tensor::FromValues(shape, values));
  };
  const auto to_bytes = [&](ValueId x, int64_t shift) {
    const auto one = [&](int64_t v) { return b.Constant(*Tensor::FromValues(*Shape::Create({1}), {v})); };
    return b.Op(Opcode::kRescale, {x, one(1 << 30), one(0), one(30 + shift)},
                RescaleAttrs{.lo = -128, .hi = 127});
  };
  const auto conv = [&](ValueId x, int64_t in, int64_t out, int64_t side, int64_t groups) {
    const std::vector<int64_t> pad(2, side / 2);
    const ValueId w = constant({out, in / groups, side, side}, 127);
    const ConvolutionAttrs attrs = {
        .stride = {1, 1}, .dilation = {1, 1}, .pad_begin = pad, .pad_end = pad, .groups = groups};
    return to_bytes(b.Op(Opcode::kConvolution, {x, w}, attrs), 8);
  };
  const ValueId image = b.Param("image", {*Shape::Create({1, 3, 22, 22}), {-128, 127}});
  const ValueId matrix = b.Param("matrix", {*Shape::Create({1, channels, 11, 9}), {-128, 127}});
  ValueId x = conv(image, 3, channels, 3, 1);
  x = conv(x, channels, channels, 3, channels);
  x = b.Op(
      Opcode::kMaxPool, {x},
      PoolAttrs{
          .kernel = {2, 2}, .stride = {2, 2}, .dilation = {1, 1}, .pad_begin = {0, 0}, .pad_end = {0, 0}});
  x = to_bytes(b.Op(Opcode::kBroadcastAdd, {x, conv(x, channels, channels, 1, 1)}), 1);
  b.Result("features", x);
  b.Result("product", b.Op(Opcode::kMatmul, {x, matrix}, MatmulAttrs{}));
  return std::make_shared<const ValidModule>(*Validate(std::move(b).Build()));
}

Results ResultsOf(const Plan& plan, const std::vector<Tensor>& inputs) {
  Results results;
  const auto outcome = plan.Execute(ViewsOf(inputs), {});
  if (!outcome.ok()) {
    ADD_FAILURE() << outcome.status();
    return results;
  }
  for (const Tensor& result : outcome->results) {
    results.emplace_back(result.bytes().begin(), result.bytes().end());
  }
  return results;
}

// The same into memory that the plan may work in.
Results ResultsInto(const Plan& plan, const std::vector<Tensor>& inputs) {
  const ValidModule& module = plan.module();
  std::vector<AlignedVector<uint8_t>> memory;
  for (const ValueId id : module.entry().results) memory.emplace_back(module.types()[id].size_bytes());
  const std::vector<std::span<uint8_t>> spans(memory.begin(), memory.end());
  const absl::Status status = plan.ExecuteInto(ViewsOf(inputs), spans, {});
  EXPECT_TRUE(status.ok()) << status;
  Results results;
  for (const auto& bytes : memory) results.emplace_back(bytes.begin(), bytes.end());
  return results;
}

// A module with inputs of its own for each caller, so that memory shared by mistake shows, and what they come
// to.
struct Service {
  explicit Service(std::shared_ptr<const ValidModule> served) : module(std::move(served)) {
    const auto reference = *MakePlan("reference", module);
    for (int caller = 0; caller < kCallers; ++caller) {
      const std::vector<uint8_t> noise = NoiseBytes(static_cast<uint64_t>(caller), 1 << 14);
      EntropySource e(noise);
      inputs.push_back(GenerateInputs(e, module->entry()));
      expected.push_back(ResultsOf(*reference, inputs.back()));
    }
  }
  std::unique_ptr<const Plan> PlanFor(int threads) const {
    return *MakePlan("cpu", module, {.threads = threads});
  }

  std::shared_ptr<const ValidModule> module;
  std::vector<std::vector<Tensor>> inputs;
  std::vector<Results> expected;
};

// body(caller) on kCallers threads that begin together.
template <typename Body>
void AtOnce(Body body) {
  std::barrier start(kCallers);
  std::vector<std::thread> callers;
  for (int caller = 0; caller < kCallers; ++caller) {
    callers.emplace_back([&, caller] {
      start.arrive_and_wait();
      body(caller);
    });
  }
  for (std::thread& caller : callers) caller.join();
}

TEST(Concurrency, CallersShareAPlan) {
  const Service service(Network(40));
  for (const int threads : kThreads) {
    const auto plan = service.PlanFor(threads);
    AtOnce([&](int caller) {
      for (int run = 0; run < kRuns; ++run) {
        const auto& inputs = service.inputs[caller];
        EXPECT_EQ(run % 2 == 0 ? ResultsOf(*plan, inputs) : ResultsInto(*plan, inputs),
                  service.expected[caller])
            << threads << " threads, caller " << caller;
      }
    });
  }
}

// Callers make plans while others run, and each runs all of them, beginning with its own.
TEST(Concurrency, CallersMakeAndRunSeveralPlans) {
  const std::array<Service, 2> services = {Service(Network(16)), Service(Network(33))};
  for (const int threads : kThreads) {
    std::array<std::unique_ptr<const Plan>, kCallers> plans;
    std::barrier made(kCallers);
    AtOnce([&](int caller) {
      const auto run = [&](int owner) {
        const Service& service = services[owner % 2];
        EXPECT_EQ(ResultsOf(*plans[owner], service.inputs[caller]), service.expected[caller])
            << threads << " threads, caller " << caller << ", plan " << owner;
      };
      plans[caller] = services[caller % 2].PlanFor(threads);
      run(caller);
      made.arrive_and_wait();
      for (int i = 0; i < kCallers; ++i) run((caller + i) % kCallers);
    });
  }
}

}  // namespace
}  // namespace tally
