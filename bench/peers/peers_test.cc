// The peers compute what Tally computes, where they are there.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <memory>

#include "bench/peers/onednn_contender.h"
#include "bench/peers/onnx_runtime_contender.h"
#include "bench/peers/write_onnx.h"
#include "engines/engine.h"
#include "vm/validator.h"

namespace tally::bench {
namespace {

constexpr ModelOptions kTiny = {.batch = 1, .scale = 16};

TEST(WriteOnnx, WritesEveryWorkThatHasAModel) {
  for (const WorkInfo& info : AllWorks()) {
    const auto work = BuildWork(info.name, kTiny);
    ASSERT_TRUE(work.ok());
    const auto model = WriteOnnx(*work);
    EXPECT_EQ(model.ok(), work->topology.index() != 0) << info.name;
    if (!model.ok()) continue;
    EXPECT_GT(model->model.size(), 100u);
    EXPECT_EQ(model->repetitions == 1, info.network) << info.name;
  }
}

TEST(ChildProcess, AnswersLineByLine) {
  const auto cat = ChildProcess::Start({"cat"});
  ASSERT_TRUE(cat.ok());
  for (const std::string line : {"one", "two"}) {
    const auto answer = (*cat)->Ask(line);
    ASSERT_TRUE(answer.ok());
    EXPECT_EQ(*answer, line);
  }
}

TEST(ChildProcess, AProgramThatIsNotThereIsAnError) {
  const auto none = ChildProcess::Start({"/no/such/program"});
  if (none.ok()) {
    EXPECT_FALSE((*none)->Ask("anything").ok());
  }
}

TEST(OneDnn, RunsTheLinearPartOfWorks) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "oneDNN is not instrumented";
#endif
  for (const char* name : {"mobilenet_v2", "bert_layer", "conv7x7_3_64_s2_224"}) {
    const auto work = BuildWork(name, kTiny);
    ASSERT_TRUE(work.ok());
    for (const bool is_signed : {false, true}) {
      const auto peer =
          MakeOneDnnContender({.signed_activations = is_signed, .cpu = DetectCpuFlags()}, *work);
      ASSERT_TRUE(peer.ok()) << name << ": " << peer.status();
      const auto times = (*peer)->Run(2, Clock::kWall);
      ASSERT_TRUE(times.ok());
      EXPECT_EQ(times->size(), 2u);
      EXPECT_EQ((*peer)->kernels().size(), work->linear.size());
    }
  }
}

TEST(OnnxRuntime, IsSkippedWithAReasonWhereItIsNot) {
  const auto work = BuildWork("conv3x3_64_56", kTiny);
  const auto peer = OnnxRuntimeContender::Create({.package = "/no/such/folder"}, *work);
  ASSERT_FALSE(peer.ok());
  EXPECT_NE(peer.status().message().find("onnxruntime-node"), absl::string_view::npos);
}

// The runtime rounds in float, so single codes may differ; a network that was written wrongly differs
// everywhere.
TEST(OnnxRuntime, ComputesTheSameCodes) {
  const char* package = std::getenv("TALLY_ONNXRUNTIME");
  if (package == nullptr) GTEST_SKIP() << "TALLY_ONNXRUNTIME does not name the folder of onnxruntime-node";
  for (const WorkInfo& info : AllWorks()) {
    auto work = BuildWork(info.name, kTiny);
    ASSERT_TRUE(work.ok());
    if (work->topology.index() == 0) continue;
    const auto peer = OnnxRuntimeContender::Create({.package = package}, *work);
    ASSERT_TRUE(peer.ok()) << info.name << ": " << peer.status();
    auto valid = Validate(std::move(work->module));
    ASSERT_TRUE(valid.ok());
    const auto plan = MakePlan("reference", std::make_shared<const ValidModule>(*std::move(valid)));
    RandomSource random(5);
    const Tensor input = RandomTensor((*plan)->module().entry().params[0], random);
    std::string codes;
    for (const uint8_t byte : input.bytes()) codes.push_back(static_cast<char>(byte ^ 0x80));  // + 128
    const auto outcome = (*plan)->Execute(std::vector{input.view()}, {});
    ASSERT_TRUE(outcome.ok());
    const auto theirs = (*peer)->Once(codes);
    ASSERT_TRUE(theirs.ok()) << info.name << ": " << theirs.status();
    const TensorView ours = outcome->results[0].view();
    ASSERT_EQ(static_cast<int64_t>(theirs->size()), ours.shape.num_elements()) << info.name;
    double difference = 0;
    for (size_t i = 0; i < theirs->size(); ++i) {
      const int code = static_cast<uint8_t>((*theirs)[i]) - 128;
      difference += std::abs(static_cast<double>(code - ours.at(static_cast<int64_t>(i))));
    }
    const double mean = difference / static_cast<double>(theirs->size());
    RecordProperty(std::string(info.name), std::to_string(mean));
    std::printf("%-26s mean difference %.3f codes\n", std::string(info.name).c_str(), mean);
    EXPECT_LT(mean, info.network ? 4.0 : 0.1) << info.name;
  }
}

}  // namespace
}  // namespace tally::bench
