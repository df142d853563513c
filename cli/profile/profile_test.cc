#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/profile/step_profile.h"
#include "engines/cpu_flags_of.h"
#include "engines/engine.h"
#include "vm/text/assembler.h"
#include "vm/validator.h"

namespace tally::cli {
namespace {

// Two products, of 3 x 4 x 2 and 3 x 2 x 5.
constexpr char kModule[] = R"(tally 1
profile core
param %0 "x" [3, 4] in [-100, 100]
%1 = constant i8 [4, 2] {1, 2, 3, 4, 5, 6, 7, 8}
%2 = matmul %0, %1 {transpose_a = false, transpose_b = false, zero_a = 0, zero_b = 0}
%3 = constant i8 [2, 5] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
%4 = matmul %2, %3 {transpose_a = false, transpose_b = false, zero_a = 0, zero_b = 0}
%5 = negative %4
result %5 "y"
)";

class Profiled : public testing::Test {
 protected:
  void SetUp() override {
    auto module = Assemble(kModule);
    ASSERT_TRUE(module.ok()) << module.status();
    auto valid = Validate(*std::move(module));
    ASSERT_TRUE(valid.ok()) << valid.status();
    auto plan = MakePlan("cpu", std::make_shared<const ValidModule>(*std::move(valid)), {});
    ASSERT_TRUE(plan.ok()) << plan.status();
    plan_ = *std::move(plan);
  }

  void Run(StepTimes& times) {
    const Tensor x(*Shape::Create({3, 4}), Storage::kI8);
    const auto outcome = plan_->Execute({{x.view()}}, {.step_observer = times.Observer()});
    ASSERT_TRUE(outcome.ok()) << outcome.status();
  }

  std::shared_ptr<const Plan> plan_;
};

TEST_F(Profiled, TimesEachStepOfEachRun) {
  StepTimes times(*plan_);
  EXPECT_TRUE(times.last().empty());
  for (int run = 0; run < 3; ++run) Run(times);
  ASSERT_EQ(times.steps().size(), plan_->steps().size());
  ASSERT_EQ(times.last().size(), times.steps().size());
  double before = 0;
  for (size_t s = 0; s < times.steps().size(); ++s) {
    EXPECT_LE(before, times.last()[s].begin);
    EXPECT_LE(times.last()[s].begin, times.last()[s].end);
    EXPECT_GE(times.Milliseconds(s), 0);
    before = times.last()[s].end;
  }
}

TEST_F(Profiled, CountsProductsAndBytes) {
  int64_t products = 0;
  for (const PlanStep& step : plan_->steps()) {
    products += step.multiply_adds;
    EXPECT_GT(step.bytes, 0) << step.kernel;
  }
  EXPECT_EQ(products, 3 * 4 * 2 + 3 * 2 * 5);
}

TEST_F(Profiled, SaysWhatShareOfTheMachineAStepReaches) {
  StepTimes times(*plan_);
  Run(times);
  const StepProfile profile = ProfileOf(times, *CpuFlagsOf(""), 1);
  double shares = 0;
  for (const StepRate& rate : profile.rates) {
    shares += rate.share;
    EXPECT_EQ(rate.gops > 0, profile.steps[rate.step].multiply_adds > 0);
    EXPECT_EQ(rate.of_loop > 0, rate.gops > 0 && profile.loop_gops > 0);
    EXPECT_GT(rate.of_read, 0);
  }
  EXPECT_NEAR(shares, 1, 1e-9);
  const std::string table = ProfileTable(profile);
  EXPECT_EQ(std::ranges::count(table, '\n'), std::ssize(profile.steps));
  EXPECT_EQ(ProfileToJson(profile)["steps"].size(), profile.steps.size());
}

TEST_F(Profiled, WritesWhatPerfettoReads) {
  StepTimes times(*plan_);
  for (int run = 0; run < 2; ++run) Run(times);
  const Json trace = Json::parse(TraceOfLastRun(times, "a \"name\""));
  const Json& events = trace["traceEvents"];
  ASSERT_EQ(events.size(), times.steps().size() + 1);
  EXPECT_EQ(events[0]["args"]["name"], "a \"name\"");
  for (size_t s = 0; s < times.steps().size(); ++s) {
    EXPECT_EQ(events[s + 1]["ph"], "X");
    EXPECT_EQ(events[s + 1]["name"], times.steps()[s].kernel);
    EXPECT_EQ(events[s + 1]["args"]["step"], s);
    EXPECT_DOUBLE_EQ(events[s + 1]["dur"].get<double>(),
                     1000 * (times.last()[s].end - times.last()[s].begin));
  }
}

}  // namespace
}  // namespace tally::cli
