// Tiny variants of every work: each validates, and every engine gives the bytes of the definition.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <set>
#include <string>

#include "bench/models/works.h"
#include "vm/engine.h"
#include "vm/validator.h"

namespace tally::bench {
namespace {

constexpr ModelOptions kTiny = {.batch = 2, .scale = 16};

class ModelsTest : public testing::TestWithParam<WorkInfo> {};

std::vector<Tensor> Execute(std::string_view engine, const std::shared_ptr<const ValidModule>& module,
                            uint64_t seed) {
  const auto plan = MakePlan(engine, module);
  EXPECT_TRUE(plan.ok()) << plan.status();
  RandomSource random(seed);
  std::vector<Tensor> inputs;
  for (const TensorType& type : module->entry().params) inputs.push_back(RandomTensor(type, random));
  std::vector<TensorView> views;
  for (const Tensor& input : inputs) views.push_back(input.view());
  auto outcome = (*plan)->Execute(views, {});
  EXPECT_TRUE(outcome.ok()) << outcome.status();
  return std::move(outcome->results);
}

TEST_P(ModelsTest, IsTheSameOnEveryEngine) {
  auto work = BuildWork(GetParam().name, kTiny);
  ASSERT_TRUE(work.ok()) << work.status();
  EXPECT_GT(work->multiply_accumulates, 0);
  EXPECT_EQ(work->network, GetParam().network);
  auto valid = Validate(std::move(work->module));
  ASSERT_TRUE(valid.ok()) << valid.status();
  const auto module = std::make_shared<const ValidModule>(*std::move(valid));
  for (uint64_t seed = 1; seed <= 2; ++seed) {
    const std::vector<Tensor> expected = Execute("formal", module, seed);
    for (const EngineInfo& engine : AllEngines()) {
      if (!engine.available || engine.name == "formal") continue;
      const std::vector<Tensor> results = Execute(engine.name, module, seed);
      ASSERT_EQ(results.size(), expected.size());
      for (size_t i = 0; i < results.size(); ++i) {
        EXPECT_TRUE(SameValues(results[i].view(), expected[i].view())) << engine.name << ", result " << i;
      }
    }
  }
}

TEST_P(ModelsTest, NeitherVanishesNorSaturates) {
  auto work = BuildWork(GetParam().name, kTiny);
  ASSERT_TRUE(work.ok()) << work.status();
  auto valid = Validate(std::move(work->module));
  ASSERT_TRUE(valid.ok()) << valid.status();
  const auto module = std::make_shared<const ValidModule>(*std::move(valid));
  const Tensor result = Execute("reference", module, 3)[0];
  if (GetParam().name == "yolo_head") return;  // positions, not activations
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

// The published sizes: 7.7, 0.60 and 1.86 GOP.
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
