// The values that an observer sees: by the cpu engine, on kernels of every level, and by the cuda engine the
// values of the reference in the same order, and what a root observer is shown. The law of observation: a run
// has the same results with and without an observer, and the roots are those of what is served.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "base/error.h"
#include "base/hash/tensor_leaves.h"
#include "engines/cuda/cuda_engine.h"
#include "engines/engine.h"
#include "engines/testing/test_devices.h"
#include "fuzz/generators/module_generator.h"
#include "ops/control/attrs.h"
#include "ops/linear/attrs.h"
#include "ops/rescale/attrs.h"
#include "vm/committed_values.h"
#include "vm/module_builder.h"
#include "vm/validator.h"

namespace tally {
namespace {

constexpr const char* kLevels[] = {"portable", "avx2", "avxvnni", "avx512", "avx512vnni", "amx_int8"};

using Shown = std::tuple<std::vector<CallSite>, ValueId, Storage, std::vector<uint8_t>>;

struct Transcript {
  std::vector<Shown> values;
  std::vector<std::vector<uint8_t>> results;
};

enum class Observed { kNothing, kValues, kRoots };

Transcript Observe(const Plan& plan, const std::vector<Tensor>& inputs, Observed what) {
  Transcript transcript;
  const auto add = [&](std::span<const CallSite> path, ValueId id, Storage storage,
                       std::span<const uint8_t> bytes) {
    transcript.values.emplace_back(std::vector(path.begin(), path.end()), id, storage,
                                   std::vector(bytes.begin(), bytes.end()));
  };
  ExecuteOptions options;
  if (what == Observed::kRoots) {
    options.root_observer = [&](std::span<const CallSite> path, ValueId id, Storage storage, const Shape&,
                                const Digest& root) { add(path, id, storage, root); };
  } else if (what == Observed::kValues) {
    options.observer = [&](std::span<const CallSite> path, ValueId id, const TensorView& value) {
      add(path, id, value.storage, value.bytes);
    };
  }
  const auto outcome = plan.Execute(ViewsOf(inputs), options);
  if (!outcome.ok()) {
    ADD_FAILURE() << outcome.status();
    return transcript;
  }
  for (const Tensor& result : outcome->results) {
    transcript.results.emplace_back(result.bytes().begin(), result.bytes().end());
  }
  return transcript;
}

// The last thing that was shown of value `id` of the entry, or null.
const Shown* LastOf(const Transcript& transcript, ValueId id) {
  for (auto shown = transcript.values.rbegin(); shown != transcript.values.rend(); ++shown) {
    if (std::get<0>(*shown).empty() && std::get<1>(*shown) == id) return &*shown;
  }
  return nullptr;
}

void ExpectRootsOf(const ValidModule& module, const Transcript& served, const Transcript& roots,
                   const std::string& what) {
  const std::vector<ValueId>& ids = module.entry().results;
  for (size_t r = 0; r < ids.size(); ++r) {
    const Shown* const shown = LastOf(roots, ids[r]);
    if (shown == nullptr) continue;  // a parameter or a constant
    const TensorType& type = module.types()[ids[r]];
    const Digest root = ValueRoot({type.storage(), type.shape, served.results[r]});
    EXPECT_EQ(std::get<3>(*shown), std::vector<uint8_t>(root.begin(), root.end()))
        << what << ", result " << r;
  }
}

void ExpectSame(const std::shared_ptr<const ValidModule>& module, const std::vector<Tensor>& inputs,
                const std::string& what) {
  std::vector<std::pair<std::string, std::unique_ptr<const Plan>>> plans;
  plans.emplace_back("formal", *MakePlan("formal", module));
  for (size_t i = 0; i < std::size(kLevels); ++i) {
    constexpr int kThreads[] = {1, 2, 3, 8};
    plans.emplace_back(kLevels[i],
                       *MakePlan("cpu", module, {.threads = kThreads[i % 4], .level = kLevels[i]}));
  }
  for (const auto& device : cuda::TestDevices()) {
    plans.emplace_back(device->info().name, *MakeCudaPlan(module, device));
  }
  const auto reference = *MakePlan("reference", module);
  for (const Observed observed : {Observed::kNothing, Observed::kValues, Observed::kRoots}) {
    const bool roots = observed == Observed::kRoots;
    const Transcript expected = Observe(*reference, inputs, observed);
    for (const auto& [name, plan] : plans) {
      const Transcript seen = Observe(*plan, inputs, observed);
      if (roots) ExpectRootsOf(*module, Observe(*plan, inputs, Observed::kNothing), seen, what + ", " + name);
      ASSERT_EQ(seen.values.size(), expected.values.size()) << what << ", " << name;
      for (size_t i = 0; i < seen.values.size(); ++i) {
        ASSERT_EQ(std::get<1>(seen.values[i]), std::get<1>(expected.values[i])) << what << ", " << name;
        ASSERT_TRUE(seen.values[i] == expected.values[i])
            << what << ", " << name << (roots ? ": root of value " : ": value ")
            << std::get<1>(seen.values[i]);
      }
      EXPECT_EQ(seen.results, expected.results) << what << ", " << name;
    }
  }
}

TEST(ObservedRuns, ShowTheValuesOfTheReferenceInItsOrder) {
  size_t functions = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const std::vector<uint8_t> noise = NoiseBytes(seed, 1024);
    EntropySource e(noise);
    const Module module = GenerateModule(e, {});
    const std::vector<Tensor> inputs = GenerateInputs(e, module.entry());
    functions += module.functions.size() - 1;
    ExpectSame(std::make_shared<const ValidModule>(*Validate(module)), inputs,
               "seed " + std::to_string(seed));
  }
  EXPECT_GT(functions, 5u);
}

// A plan that nobody observes fuses these into one step and computes in place; a dense layer is lowered
// besides.
std::shared_ptr<const ValidModule> Network(bool with_dense) {
  ModuleBuilder b(Profile::kCore);
  const auto constant = [&](std::vector<int64_t> dims) {
    const Shape shape = *Shape::Create(dims);
    std::vector<int64_t> values(static_cast<size_t>(shape.num_elements()));
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int64_t>(i * 37 % 255) - 127;
    return b.Constant(*Tensor::FromValues(shape, values));
  };
  const auto to_bytes = [&](ValueId x) {
    const auto one = [&](int64_t v) { return b.Constant(*Tensor::FromValues(*Shape::Create({1}), {v})); };
    return b.Op(Opcode::kRescale, {x, one(1 << 30), one(0), one(40)}, RescaleAttrs{.lo = -128, .hi = 127});
  };
  const auto conv = [&](ValueId x) {
    const ConvolutionAttrs attrs = {
        .stride = {1, 1}, .dilation = {1, 1}, .pad_begin = {1, 1}, .pad_end = {1, 1}};
    return to_bytes(b.Op(Opcode::kConvolution, {x, constant({24, 24, 3, 3})}, attrs));
  };
  const ValueId image = b.Param("image", {*Shape::Create({1, 24, 9, 9}), {-128, 127}});
  ValueId x = b.Op(Opcode::kRelu, {conv(image)});
  x = b.Op(Opcode::kRelu, {to_bytes(b.Op(Opcode::kBroadcastAdd, {conv(x), x}))});
  x = b.Op(Opcode::kFlatten, {b.Op(Opcode::kNegative, {x})});
  if (with_dense) x = to_bytes(b.Op(Opcode::kDense, {x, constant({10, 24 * 81})}));
  b.Result("y", x);
  return std::make_shared<const ValidModule>(*Validate(std::move(b).Build()));
}

TEST(ObservedRuns, ShowWhatIsOtherwiseFused) {
  const auto module = Network(true);
  const std::vector<uint8_t> noise = NoiseBytes(7, 1 << 12);
  EntropySource e(noise);
  ExpectSame(module, GenerateInputs(e, module->entry()), "a network");
}

// Flattening a row leaves the constant that it is, which the module that engines compile may yield after the
// call.
TEST(ObservedRuns, ShowWhatALoweringLeavesAConstantInItsTurn) {
  ModuleBuilder b(Profile::kCore);
  const TensorType type = {*Shape::Create({1}), {-8, 8}};
  const ValueId x = b.Param("x", type);
  const ValueId row = b.Constant(*Tensor::FromValues(*Shape::Create({1, 4}), {1, 2, 3, 4}));
  b.Result("row", b.Op(Opcode::kFlatten, {row}));
  const std::vector<ValueId> p = b.BeginFunction({type});
  const int64_t twice = b.EndFunction({b.Op(Opcode::kBroadcastAdd, {p[0], p[0]})});
  b.Result("y", b.Op(Opcode::kCall, {x}, CallAttrs{.function = twice}));
  const auto module = std::make_shared<const ValidModule>(*Validate(std::move(b).Build()));
  std::vector<Tensor> inputs;
  inputs.push_back(*Tensor::FromValues(type.shape, {5}));
  ExpectSame(module, inputs, "a row and a call");
}

// The roots are those that a commitment to the values takes.
TEST(ObservedRuns, GiveTheRootsOfTheirValues) {
  const auto module = Network(false);
  const std::vector<uint8_t> noise = NoiseBytes(8, 1 << 12);
  EntropySource e(noise);
  const std::vector<Tensor> inputs = GenerateInputs(e, module->entry());
  const auto plan = *MakeCudaPlan(module, cuda::TestDevices()[0]);
  std::vector<Digest> expected, seen;
  ExecuteOptions options;
  const CommittedValues committed(*module);
  options.observer = [&](auto, ValueId id, const TensorView& value) {
    if (committed.contains(0, id)) expected.push_back(ValueRoot(value));
  };
  ASSERT_TRUE(plan->Execute(ViewsOf(inputs), options).ok());
  options = {};
  options.root_observer = [&](auto, ValueId, Storage, const Shape&, const Digest& root) {
    seen.push_back(root);
  };
  ASSERT_TRUE(plan->Execute(ViewsOf(inputs), options).ok());
  EXPECT_EQ(seen, expected);
  EXPECT_GT(plan->observed_memory_bytes(), plan->hashed_memory_bytes());
}

// The limit is for what validation has published, whatever the run needs.
TEST(ObservedRuns, AreRefusedByTheArenaAsOthersAre) {
  const auto module = Network(false);
  const auto plan = *MakePlan("cpu", module);
  EXPECT_GT(plan->observed_memory_bytes(), plan->memory_bytes());
  const Tensor image(module->entry().params[0].shape, Storage::kI8);
  const TensorView inputs[] = {image.view()};
  ExecuteOptions options = {.memory_limit_bytes = module->arena_bytes()};
  options.observer = [](std::span<const CallSite>, ValueId, const TensorView&) {};
  EXPECT_TRUE(plan->Execute(inputs, options).ok());
  --options.memory_limit_bytes;
  EXPECT_EQ(ErrorLabel(plan->Execute(inputs, options).status()), "memory_limit");
}

}  // namespace
}  // namespace tally
