#include "engines/known_answers.h"

#include <gtest/gtest.h>

#include <utility>

#include "base/cpu_flags.h"
#include "base/error.h"
#include "engines/cpu/cpu_engine.h"
#include "engines/scalar/scalar_engine.h"

namespace tally {
namespace {

TEST(SelfTest, TheDefinitionGivesTheAnswers) {
  EXPECT_EQ(CheckKnownAnswers("formal", MakeFormalPlan), absl::OkStatus());
  EXPECT_EQ(CheckKnownAnswers("reference", MakeReferencePlan), absl::OkStatus());
}

TEST(SelfTest, EveryLevelOfThisMachineGivesTheAnswers) {
  for (const std::string_view level : CpuLevelsOf(DetectCpuFlags())) {
    const CpuFlags flags = *CapCpuFlags(DetectCpuFlags(), level);
    EXPECT_EQ(CheckKnownAnswers(
                  level, [&](auto module) { return MakeCpuPlan(std::move(module), {.flags = flags}); }),
              absl::OkStatus());
  }
}

// An engine that is right but for one bit of one result.
class FaultyPlan : public Plan {
 public:
  FaultyPlan(const std::shared_ptr<const ValidModule>& module, size_t result)
      : Plan(module), right_(MakeReferencePlan(module)), result_(result) {}
  int64_t memory_bytes() const override { return right_->memory_bytes(); }

 protected:
  absl::Status Run(std::span<const TensorView> inputs, std::span<const std::span<uint8_t>> results,
                   const ExecuteOptions& options) const override {
    const absl::Status status = right_->ExecuteInto(inputs, results, options);
    results[result_].back() ^= 1;
    return status;
  }

 private:
  std::unique_ptr<const Plan> right_;
  size_t result_;
};

TEST(SelfTest, OneWrongBitAnywhereIsRefusedAndNamed) {
  size_t results = 1;
  for (size_t result = 0; result < results; ++result) {
    const absl::Status status = CheckKnownAnswers(
        "a machine",
        [&](std::shared_ptr<const ValidModule> module) -> absl::StatusOr<std::unique_ptr<const Plan>> {
          results = module->entry().results.size();
          return std::make_unique<FaultyPlan>(module, result);
        });
    EXPECT_EQ(ErrorLabel(status), "self_test");
    EXPECT_NE(status.message().find("a machine gives wrong answers"), std::string::npos) << status;
  }
  EXPECT_GE(results, 8u);
}

TEST(SelfTest, AnEngineThatCannotPlanIsNotFaulty) {
  const absl::Status status =
      CheckKnownAnswers("a machine", [](auto) -> absl::StatusOr<std::unique_ptr<const Plan>> {
        return absl::UnavailableError("no memory");
      });
  EXPECT_EQ(status, absl::UnavailableError("no memory"));
}

}  // namespace
}  // namespace tally
