#include "engines/engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "vm/module_builder.h"
#include "vm/validator.h"

namespace tally {
namespace {

// y = x + [10, 20]
std::shared_ptr<const ValidModule> AddTwo() {
  ModuleBuilder b(Profile::kCore);
  const ValueId x = b.Param("x", {*Shape::Create({3, 2}), {-5, 5}});
  const ValueId c = b.Constant(*Tensor::FromValues(*Shape::Create({2}), {10, 20}));
  b.Result("y", b.Op(Opcode::kBroadcastAdd, {x, c}));
  auto valid = Validate(std::move(b).Build());
  EXPECT_TRUE(valid.ok()) << valid.status();
  return std::make_shared<const ValidModule>(*std::move(valid));
}

TEST(Engine, RunsAModuleOnEveryAvailableEngine) {
  const auto module = AddTwo();
  EXPECT_EQ(module->types()[2].ToString(), "[3,2] in [5, 25]");
  const Tensor x = *Tensor::FromValues(*Shape::Create({3, 2}), {-5, -4, -3, 3, 4, 5});
  const Tensor expected = *Tensor::FromValues(*Shape::Create({3, 2}), {5, 16, 7, 23, 14, 25});
  for (const EngineInfo& info : AllEngines()) {
    auto plan = MakePlan(info.name, module);
    if (!info.available) {
      EXPECT_EQ(ErrorLabel(plan.status()), "engine_unavailable");
      continue;
    }
    ASSERT_TRUE(plan.ok()) << plan.status();
    const TensorView inputs[] = {x.view()};
    const auto outcome = (*plan)->Execute(inputs, {});
    ASSERT_TRUE(outcome.ok()) << outcome.status();
    EXPECT_TRUE(SameValues(outcome->results[0].view(), expected.view())) << info.name;
    EXPECT_EQ(outcome->gas_used, module->gas());
  }
}

TEST(Engine, RefusesBeforeTheFirstInstruction) {
  const auto module = AddTwo();
  const auto plan = *MakePlan("reference", module);
  const Tensor x = *Tensor::FromValues(*Shape::Create({3, 2}), {-5, -4, -3, 3, 4, 6});
  const Tensor row = *Tensor::FromValues(*Shape::Create({2}), {0, 0});
  const TensorView outside[] = {x.view()};
  const TensorView misshapen[] = {row.view()};
  EXPECT_EQ(ErrorLabel(plan->Execute({}, {}).status()), "input_count");
  EXPECT_EQ(ErrorLabel(plan->Execute(misshapen, {}).status()), "input_shape");
  const Tensor turned = *Tensor::FromValues(*Shape::Create({2, 3}), {0, 0, 0, 0, 0, 0});
  const TensorView as_many[] = {turned.view()};
  EXPECT_EQ(ErrorLabel(plan->Execute(as_many, {}).status()), "input_shape");
  EXPECT_EQ(ErrorLabel(plan->Execute(outside, {}).status()), "input_interval");
  EXPECT_EQ(ErrorLabel(plan->Execute(outside, {.gas_limit = module->gas() - 1}).status()), "gas_limit");
  EXPECT_EQ(ErrorLabel(plan->Execute(outside, {.memory_limit_bytes = module->arena_bytes() - 1}).status()),
            "memory_limit");
}

// In memory that begins on a cache line and in memory that does not.
TEST(Engine, PutsResultsIntoTheCallersMemory) {
  const auto module = AddTwo();
  const Tensor expected = *Tensor::FromValues(*Shape::Create({3, 2}), {5, 16, 7, 23, 14, 25});
  for (const EngineInfo& info : AllEngines()) {
    if (!info.available) continue;
    const auto plan = *MakePlan(info.name, module);
    for (const size_t offset : {0, 1, 64}) {
      alignas(64) uint8_t x[128] = {}, y[128] = {};
      const int8_t values[] = {-5, -4, -3, 3, 4, 5};
      std::memcpy(x + offset, values, sizeof values);
      const TensorView inputs[] = {{Storage::kI8, *Shape::Create({3, 2}), {x + offset, 6}}};
      const std::span<uint8_t> results[] = {{y + offset, 6}};
      ASSERT_TRUE(plan->ExecuteInto(inputs, results, {}).ok());
      EXPECT_TRUE(std::ranges::equal(results[0], expected.bytes())) << info.name << ' ' << offset;
      EXPECT_EQ(y[offset + 6], 0) << info.name;
    }
  }
}

TEST(Engine, RefusesMemoryOfAnotherSize) {
  const auto plan = *MakePlan("cpu", AddTwo());
  const Tensor x(*Shape::Create({3, 2}), Storage::kI8);
  const TensorView inputs[] = {x.view()};
  uint8_t y[7] = {};
  const std::span<uint8_t> larger[] = {y};
  EXPECT_EQ(ErrorLabel(plan->ExecuteInto(inputs, {}, {})), "result_count");
  EXPECT_EQ(ErrorLabel(plan->ExecuteInto(inputs, larger, {})), "result_size");
  const std::span<uint8_t> smaller[] = {std::span(y).first(5)};
  EXPECT_EQ(ErrorLabel(plan->ExecuteInto(inputs, smaller, {})), "result_size");
}

TEST(Engine, CapsInstructionsByAKnownLevelOnly) {
  const auto module = AddTwo();
  EXPECT_TRUE(MakePlan("cpu", module, {.level = "portable"}).ok());
  EXPECT_EQ(ErrorLabel(MakePlan("cpu", module, {.level = "sse9"}).status()), "arch_unknown");
}

TEST(Engine, ShowsEveryComputedValueToTheObserver) {
  const auto module = AddTwo();
  const Tensor x = *Tensor::FromValues(*Shape::Create({3, 2}), {0, 0, 0, 0, 0, 0});
  const TensorView inputs[] = {x.view()};
  std::vector<std::pair<ValueId, int64_t>> seen;
  ExecuteOptions options;
  options.observer = [&](std::span<const CallSite>, ValueId id, const TensorView& value) {
    seen.emplace_back(id, value.at(1));
  };
  ASSERT_TRUE((*MakePlan("formal", module))->Execute(inputs, options).ok());
  EXPECT_EQ(seen, (std::vector<std::pair<ValueId, int64_t>>{{2, 20}}));
}

}  // namespace
}  // namespace tally
