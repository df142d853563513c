#include <gtest/gtest.h>

#include "bench/harness/contender.h"
#include "bench/harness/machine.h"
#include "bench/harness/tally_contender.h"
#include "vm/validator.h"

namespace tally::bench {
namespace {

TEST(Samples, MedianOfAnEvenNumberIsTheMeanOfTheMiddle) {
  Samples samples;
  samples.Add({4, 1});
  samples.Add({3, 2});
  EXPECT_EQ(samples.min(), 1);
  EXPECT_EQ(samples.median(), 2.5);
  samples.Add({9});
  EXPECT_EQ(samples.median(), 3);
}

class Recorder final : public Contender {
 public:
  Recorder(std::string name, double ms, std::string& log) : name_(std::move(name)), ms_(ms), log_(log) {}
  std::string name() const override { return name_; }
  absl::StatusOr<std::vector<double>> Run(int iterations, Clock) override {
    log_ += name_;
    return std::vector<double>(static_cast<size_t>(iterations), ms_);
  }

 private:
  std::string name_;
  double ms_;
  std::string& log_;
};

TEST(TakeTurns, InterleavesAndChangesWhoBegins) {
  std::string log;
  Recorder a("a", 100, log), b("b", 50, log);
  Contender* const contenders[] = {&a, &b};
  const auto samples = TakeTurns(contenders, {.rounds = 3, .turn_ms = 10, .pause_ms = 0});
  ASSERT_TRUE(samples.ok());
  EXPECT_EQ(log,
            "ab"
            "ab"
            "ba"
            "ab");
  EXPECT_EQ((*samples)[1].min(), 50);
}

TEST(TallyContender, RunsAWorkAndCountsItsBytes) {
  auto work = BuildWork("conv3x3_64_56", {.scale = 16});  // 4 channels, 3 x 3
  ASSERT_TRUE(work.ok());
  const auto ours = TallyContender::Create("reference", 1, *work);
  ASSERT_TRUE(ours.ok()) << ours.status();
  const auto times = (*ours)->Run(3, Clock::kProcessor);
  ASSERT_TRUE(times.ok());
  EXPECT_EQ(times->size(), 3u);
  const ValidModule& module = (*ours)->plan().module();
  // 4 x 9 pixels are read and written; the sums of 32 bits and both transposes move nothing.
  EXPECT_EQ(BytesMoved(module), module.constant_bytes() + 2 * 4 * 9);
}

TEST(TallyContender, AnEngineThatIsNotThereIsAnError) {
  auto work = BuildWork("conv3x3_64_56", {.scale = 16});
  ASSERT_TRUE(work.ok());
  EXPECT_FALSE(TallyContender::Create("abacus", 1, *work).ok());
}

TEST(CountKernels, NamesEachOnce) { EXPECT_EQ(CountKernels({"a", "b", "a"}), "a x 2, b"); }

TEST(Machine, IsDescribed) {
  EXPECT_NE(DescribeMachine(DetectCpuFlags()).find("processor:"), std::string::npos);
}

}  // namespace
}  // namespace tally::bench
