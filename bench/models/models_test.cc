// Tiny variants of every work: each validates, and every engine gives the bytes of the definition.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <set>
#include <span>
#include <string>

#include "bench/models/random_source.h"
#include "bench/models/works.h"
#include "engines/engine.h"
#include "vm/validator.h"

namespace tally::bench {
namespace {

// Options of a scale at which the definition takes some tenths of a second.
ModelOptions Tiny(std::string_view name, int64_t batch) {
  return {.batch = batch, .scale = name.starts_with("matmul_") ? 64 : 16};
}

std::shared_ptr<const ValidModule> BuildTiny(std::string_view name, int64_t batch) {
  auto work = BuildWork(name, Tiny(name, batch));
  EXPECT_TRUE(work.ok()) << work.status();
  auto valid = Validate(std::move(work->module));
  EXPECT_TRUE(valid.ok()) << valid.status();
  return std::make_shared<const ValidModule>(*std::move(valid));
}

class ModelsTest : public testing::TestWithParam<WorkInfo> {};

std::vector<Tensor> Execute(std::string_view engine, const std::shared_ptr<const ValidModule>& module,
                            std::span<const Tensor> inputs) {
  const auto plan = MakePlan(engine, module);
  EXPECT_TRUE(plan.ok()) << plan.status();
  std::vector<TensorView> views;
  for (const Tensor& input : inputs) views.push_back(input.view());
  auto outcome = (*plan)->Execute(views, {});
  EXPECT_TRUE(outcome.ok()) << outcome.status();
  return std::move(outcome->results);
}

TEST_P(ModelsTest, IsTheSameOnEveryEngine) {
  const auto module = BuildTiny(GetParam().name, 2);
  for (uint64_t seed = 1; seed <= 2; ++seed) {
    const std::vector<Tensor> inputs = RandomInputs(module->entry().params, seed);
    const std::vector<Tensor> expected = Execute("formal", module, inputs);
    for (const EngineInfo& engine : AllEngines()) {
      if (!engine.available || engine.name == "formal") continue;
      const std::vector<Tensor> results = Execute(engine.name, module, inputs);
      ASSERT_EQ(results.size(), expected.size());
      for (size_t i = 0; i < results.size(); ++i) {
        EXPECT_TRUE(SameValues(results[i].view(), expected[i].view())) << engine.name << ", result " << i;
      }
    }
  }
}

TEST_P(ModelsTest, NeitherVanishesNorSaturates) {
  if (GetParam().name == "yolo_head") GTEST_SKIP() << "its results are positions, not activations";
  const auto module = BuildTiny(GetParam().name, 2);
  const Tensor result = Execute("reference", module, RandomInputs(module->entry().params, 3))[0];
  const Interval bounds = module->types()[module->entry().results[0]].interval;
  const TensorView view = result.view();
  const int64_t count = view.shape.num_elements();
  std::set<int64_t> values;
  int64_t saturated = 0;
  for (int64_t i = 0; i < count; ++i) {
    values.insert(view.at(i));
    saturated += view.at(i) == bounds.hi ? 1 : 0;
  }
  EXPECT_GE(static_cast<int64_t>(values.size()), std::min<int64_t>(count / 4, 64));
  EXPECT_LE(saturated, count / 10 + 1);
}

// A batch gives the bytes of its samples, one by one.
TEST_P(ModelsTest, ABatchIsItsSamples) {
  constexpr int64_t kBatch = 3;
  const auto batch = BuildTiny(GetParam().name, kBatch);
  if (batch->entry().params.size() != 1 || GetParam().name == "lstm") {
    GTEST_SKIP() << "its samples do not lie one behind the other";
  }
  const auto single = BuildTiny(GetParam().name, 1);
  const std::vector<Tensor> inputs = RandomInputs(batch->entry().params, 4);
  for (const EngineInfo& engine : AllEngines()) {
    if (!engine.available || engine.name == "formal") continue;
    const Tensor together = Execute(engine.name, batch, inputs)[0];
    const TensorType& sample = single->entry().params[0];
    std::vector<uint8_t> apart;
    for (int64_t n = 0; n < kBatch; ++n) {
      Tensor input(sample.shape, inputs[0].storage());
      const size_t bytes = input.bytes().size();
      std::memcpy(input.mutable_bytes().data(), inputs[0].bytes().data() + static_cast<size_t>(n) * bytes,
                  bytes);
      const Tensor result = Execute(engine.name, single, {&input, 1})[0];
      apart.insert(apart.end(), result.bytes().begin(), result.bytes().end());
    }
    EXPECT_TRUE(std::ranges::equal(together.bytes(), apart)) << engine.name;
  }
}

// 0.60 and 1.86 GOP.
TEST(Models, HaveTheirPublishedNumberOfOperations) {
  struct Row {
    std::string_view name;
    int64_t multiply_accumulates;
  };
  for (const Row& row : {Row{"mobilenet_v2", 300'774'272}, Row{"bert_layer", 931'135'488}}) {
    const auto work = BuildWork(row.name, {});
    ASSERT_TRUE(work.ok());
    EXPECT_EQ(work->multiply_accumulates, row.multiply_accumulates) << row.name;
  }
}

TEST(Models, AnUnknownNameIsRefused) { EXPECT_FALSE(BuildWork("resnet51", {}).ok()); }

INSTANTIATE_TEST_SUITE_P(Works, ModelsTest, testing::ValuesIn(AllWorks().begin(), AllWorks().end()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace tally::bench
