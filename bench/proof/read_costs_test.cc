// No element of any value of the networks of docs/results/proof.md needs more than 48 KiB of leaves.
#include "bench/proof/read_costs.h"

#include <gtest/gtest.h>

#include "bench/models/random_source.h"
#include "bench/models/works.h"
#include "ops/expansions.h"
#include "vm/validator.h"

namespace tally::bench {
namespace {

class ReadCosts : public ::testing::TestWithParam<const char*> {};

TEST_P(ReadCosts, StayBelowTheLimit) {
  auto work = BuildWork(GetParam(), {});
  ASSERT_TRUE(work.ok()) << work.status();
  const auto module = std::make_shared<const ValidModule>(*Validate(std::move(work->module)));
  const std::vector<Tensor> inputs = RandomInputs(module->entry().params, 1);
  const auto costs = MeasureReads(module, inputs, 2);
  ASSERT_TRUE(costs.ok()) << costs.status();
  for (const auto& [what, cost] : *costs) {
    EXPECT_LE(cost.most.bytes, kMostLeafBytes) << what;
    EXPECT_LE(cost.gathered_bytes, kMostLeafBytes) << what;  // for every element
  }
}

INSTANTIATE_TEST_SUITE_P(Networks, ReadCosts, ::testing::Values("resnet50", "mobilenet_v2", "bert_layer"));

}  // namespace
}  // namespace tally::bench
