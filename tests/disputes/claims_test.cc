// A network of ResNet-50's layers at an eighth of its size has one claim and one trace: on every engine and
// level of this machine, and, by the digests that are written here, on all machines.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/cpu_flags.h"
#include "base/testing/ran.h"
#include "bench/models/random_source.h"
#include "bench/models/works.h"
#include "engines/engine.h"
#include "proof/certificate/recorded_run.h"
#include "vm/validator.h"

namespace tally {
namespace {

constexpr std::string_view kClaim = "6521cbe344711f021c4ae9407f9cebf85ad42fe1ca1c72d0b216df5e05f777e5";
constexpr std::string_view kTrace = "bedf8e5525475e681a5eafb8a33aaef6ec0c9176f3b29dbf12f74eca6d8737b2";

TEST(Claims, AreTheSameOnEveryEngineAndMachine) {
  auto work = bench::BuildWork("resnet50", {.scale = 8});
  ASSERT_TRUE(work.ok()) << work.status();
  const auto module = std::make_shared<const ValidModule>(*Validate(std::move(work->module)));
  const ClaimedModule claimed(*module);
  const std::vector<Tensor> inputs = bench::RandomInputs(module->entry().params, 1);
  std::vector<TensorView> views;
  for (const Tensor& input : inputs) views.push_back(input.view());
  const auto check = [&](const std::string& engine, const PlanOptions& options, const std::string& name) {
    const auto plan = MakePlan(engine, module, options);
    ASSERT_TRUE(plan.ok()) << plan.status();
    const auto run = RecordedRun::Of(claimed, **plan, views);
    ASSERT_TRUE(run.ok()) << run.status();
    EXPECT_EQ(ToHex(ClaimId(run->claim)), kClaim) << name;
    EXPECT_EQ(ToHex(TraceDigest(run->trace)), kTrace) << name;
    SayRan("claims", name, kHere);
  };
  for (const std::string engine : {"formal", "reference"}) check(engine, {}, engine);
  for (const std::string_view level : CpuLevelsOf(DetectCpuFlags())) {
    check("cpu", {.level = level}, "cpu " + std::string(level));
  }
}

}  // namespace
}  // namespace tally
