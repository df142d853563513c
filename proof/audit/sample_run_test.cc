#include "proof/audit/sample_run.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "engines/engine.h"
#include "proof/certificate/check_certificate.h"
#include "vm/text/assembler.h"
#include "vm/validator.h"

namespace tally {
namespace {

constexpr char kModule[] = R"(tally 1
profile core
param %0 "x" [20, 30] in [-100, 100]
%1 = matmul %0, %0 {transpose_a = false, transpose_b = true, zero_a = 0, zero_b = 0}
%2 = reduce %1 {kind = sum, axes = [0], keepdims = false}
%3 = broadcast_add %1, %2
result %3 "y"
)";

class SampleRunTest : public testing::Test {
 protected:
  SampleRunTest() {
    std::uniform_int_distribution<int64_t> element(-100, 100);
    std::vector<int64_t> values(600);
    for (int64_t& value : values) value = element(random_);
    const Tensor x = *Tensor::FromValues(*Shape::Create({20, 30}), values);
    const TensorView inputs[] = {x.view()};
    run_ = *RecordedRun::Of(claimed_, **MakePlan("cpu", module_), inputs);
  }

  SampledRun Sampled(const RecordedRun& run, uint64_t count) {
    const auto sampled = SampleRun(claimed_, run, count, random_);
    EXPECT_TRUE(sampled.ok()) << sampled.status();
    return *sampled;
  }

  // A run of which so many elements of the last value are wrong, and of the result that it is.
  RecordedRun Changed(int64_t elements) {
    RecordedRun run = run_;
    Tensor &value = run.values.back(), &result = run.results[0];
    std::uniform_int_distribution<int64_t> place(0, value.shape().num_elements() - 1);
    std::set<int64_t> places;
    while (static_cast<int64_t>(places.size()) < elements) places.insert(place(random_));
    for (const int64_t i : places) {
      const int64_t other = value.view().at(i) ^ 1;
      StoreElement(value.storage(), value.mutable_bytes().data(), i, other);
      StoreElement(result.storage(), result.mutable_bytes().data(), i, other);
    }
    run.CommitToTensors();
    return run;
  }

  std::mt19937_64 random_{4};
  const std::shared_ptr<const ValidModule> module_ =
      std::make_shared<const ValidModule>(*Validate(*Assemble(kModule)));
  const ClaimedModule claimed_{*module_};
  RecordedRun run_;
};

TEST_F(SampleRunTest, AnHonestRunPasses) {
  const SampledRun sampled = Sampled(run_, 500);
  EXPECT_FALSE(sampled.wrong);
  EXPECT_EQ(sampled.judged, 500u);
  EXPECT_GE(sampled.elements, 800u);
}

TEST_F(SampleRunTest, AWrongElementThatIsDrawnConvicts) {
  const RecordedRun run = Changed(100);
  const SampledRun sampled = Sampled(run, 100000);
  ASSERT_TRUE(sampled.wrong);
  ASSERT_TRUE(sampled.certificate);
  const auto conviction = CheckCertificate<TrappingInt>(EncodeCertificate(*sampled.certificate));
  ASSERT_TRUE(conviction.ok()) << conviction.status();
}

// If a share p of the elements is wrong, a sample of n misses all of them with probability (1 - p)^n.
TEST_F(SampleRunTest, ShareAndProbabilityAreAsStated) {
  constexpr int kRounds = 400, kWrong = 12;
  for (const uint64_t count : {20u, 60u}) {
    int missed = 0;
    double expected = 0;
    for (int round = 0; round < kRounds; ++round) {
      const SampledRun sampled = Sampled(Changed(kWrong), count);
      missed += sampled.wrong ? 0 : 1;
      expected += std::pow(1 - kWrong / static_cast<double>(sampled.elements), count);
    }
    const double deviation = std::sqrt(expected * (1 - expected / kRounds));
    EXPECT_NEAR(missed, expected, 5 * deviation) << count;
    EXPECT_GT(missed, 0) << count;
  }
}

TEST_F(SampleRunTest, TheOrderAndTheTypesNeedNoSample) {
  RecordedRun run = run_;
  run.trace.pop_back();
  run.values.pop_back();
  run.claim = run_.claim;
  SampledRun sampled = Sampled(run, 0);
  EXPECT_TRUE(sampled.wrong);
  EXPECT_EQ(sampled.judged, 0u);
  run = run_;
  run.results[0] = Tensor::Copy(run.results[0].view(), Storage::kI64);
  run.CommitToTensors();
  sampled = Sampled(run, 0);
  EXPECT_TRUE(sampled.wrong);
  ASSERT_TRUE(sampled.certificate);
  EXPECT_TRUE(CheckCertificate<TrappingInt>(EncodeCertificate(*sampled.certificate)).ok());
}

TEST_F(SampleRunTest, RunsOfOthersAreRefused) {
  RecordedRun run = run_;
  run.claim.module = Digest{1};
  EXPECT_EQ(ErrorLabel(SampleRun(claimed_, run, 1, random_).status()), "claim_module");
  run = run_;
  run.claim.bounds = Digest{1};
  EXPECT_EQ(ErrorLabel(SampleRun(claimed_, run, 1, random_).status()), "dispute_bounds");
  run = run_;
  run.claim.status = "gas_limit";
  EXPECT_EQ(ErrorLabel(SampleRun(claimed_, run, 1, random_).status()), "dispute_claim");
}

}  // namespace
}  // namespace tally
