// The networks import, run alike on every engine, keep their bits, and cost what cvm-runtime says.
#include "bench/cvm/cvm_models.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>

#include "bench/models/random_source.h"
#include "engines/engine.h"
#include "frontends/cvm/import_cvm.h"
#include "vm/cvm_gas.h"

namespace tally::bench {
namespace {

class CvmModelsTest : public testing::TestWithParam<CvmNetwork> {};

std::shared_ptr<const ValidModule> Build(const CvmNetwork& network, const ModelOptions& options) {
  const auto files = CnnToCvmFiles(network.build(options));
  EXPECT_TRUE(files.ok()) << files.status();
  auto model = cvm::ImportCvm(files->graph, files->params);
  EXPECT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->input_precision, 8);
  EXPECT_EQ(model->output_precision, 8);
  return std::make_shared<const ValidModule>(std::move(model->module));
}

Tensor Execute(std::string_view engine, const std::shared_ptr<const ValidModule>& module, uint64_t seed,
               const ExecuteOptions& options = {}) {
  const auto plan = MakePlan(engine, module);
  EXPECT_TRUE(plan.ok()) << plan.status();
  RandomSource random(seed);
  const Tensor input = RandomTensor(module->entry().params[0], random);
  const TensorView view = input.view();
  auto outcome = (*plan)->Execute({&view, 1}, options);
  EXPECT_TRUE(outcome.ok()) << outcome.status();
  return std::move(outcome->results[0]);
}

TEST_P(CvmModelsTest, IsTheSameOnEveryEngine) {
  const auto module = Build(GetParam(), {.batch = 2, .scale = 16});
  for (uint64_t seed = 1; seed <= 2; ++seed) {
    const Tensor expected = Execute("formal", module, seed);
    for (const std::string_view engine : {"reference", "cpu"}) {
      EXPECT_TRUE(SameValues(Execute(engine, module, seed).view(), expected.view())) << engine;
    }
  }
}

// The pattern of every requantization, at half of the networks' width.
TEST_P(CvmModelsTest, KeepsItsBitsAtEveryDepth) {
  const auto module = Build(GetParam(), {.scale = 2});
  std::vector<const Instruction*> of_value(module->types().size());
  for (size_t i = 0; i < module->facts().size(); ++i) {
    of_value[module->facts()[i].first_result] = &module->entry().body[i];
  }
  int requantised = 0;
  const auto observe = [&](std::span<const CallSite>, ValueId id, const TensorView& value) {
    const Opcode op = of_value[id]->op;
    if (op != Opcode::kCvmRightShift && op != Opcode::kCvmClip) return;
    ++requantised;
    const int64_t count = value.shape.num_elements();
    std::set<int64_t> values;
    int64_t saturated = 0;
    for (int64_t i = 0; i < count; ++i) {
      values.insert(value.at(i));
      saturated += value.at(i) == 127 || value.at(i) == -127 ? 1 : 0;
    }
    EXPECT_GE(static_cast<int64_t>(values.size()), std::min<int64_t>(count / 4, 32)) << "value " << id;
    EXPECT_LE(saturated, count / 20) << "value " << id;
  };
  Execute("reference", module, 3, {.observer = observe});
  EXPECT_GT(requantised, 16);
}

TEST_P(CvmModelsTest, CostsWhatCvmRuntimeSays) {
  const auto gas = CvmGasOf(*Build(GetParam(), {}));
  ASSERT_TRUE(gas.ok()) << gas.status();
  EXPECT_EQ(gas->total, GetParam().gas);
}

INSTANTIATE_TEST_SUITE_P(Networks, CvmModelsTest, testing::ValuesIn(kCvmNetworks),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace tally::bench
