// The same module and inputs give the same bytes: again, on another plan, and on threads that share one plan.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/testing/ran.h"
#include "engines/engine.h"
#include "fuzz/generators/module_generator.h"
#include "serializer/encode.h"
#include "vm/validator.h"

namespace tally {
namespace {

using Bytes = std::vector<uint8_t>;

struct Sample {
  std::shared_ptr<const ValidModule> module;
  std::vector<Tensor> inputs;
};

Sample SampleOf(uint64_t seed) {
  const Bytes noise = NoiseBytes(seed, 1024);
  EntropySource e(noise);
  const Module module = GenerateModule(e, {});
  auto valid = Validate(module);
  EXPECT_TRUE(valid.ok()) << valid.status();
  return {std::make_shared<const ValidModule>(*std::move(valid)), GenerateInputs(e, module.entry())};
}

// Everything that a run says: results with their storage, every value if it is observed, gas.
Bytes Transcript(const Plan& plan, const Sample& sample, bool observed) {
  Bytes transcript;
  ExecuteOptions options;
  options.observer = [&](std::span<const CallSite> path, ValueId id, const TensorView& value) {
    for (const CallSite& site : path) {
      transcript.push_back(static_cast<uint8_t>(site.step));
      transcript.push_back(static_cast<uint8_t>(site.invocation));
    }
    transcript.push_back(static_cast<uint8_t>(id));
    transcript.insert(transcript.end(), value.bytes.begin(), value.bytes.end());
  };
  if (!observed) options.observer = nullptr;
  const auto outcome = plan.Execute(ViewsOf(sample.inputs), options);
  if (!outcome.ok()) {
    ADD_FAILURE() << outcome.status();
    return transcript;
  }
  for (const Tensor& result : outcome->results) {
    transcript.push_back(static_cast<uint8_t>(result.storage()));
    transcript.insert(transcript.end(), result.bytes().begin(), result.bytes().end());
  }
  for (int shift = 0; shift < 64; shift += 8) {
    transcript.push_back(static_cast<uint8_t>(outcome->gas_used >> shift));
  }
  return transcript;
}

class Determinism : public testing::TestWithParam<EngineInfo> {
 protected:
  void SetUp() override {
    const EngineInfo& engine = GetParam();
    if (engine.available) return SayRan("engine", engine.name, kHere);
    SayRan("engine", engine.name, "not run: " + std::string(engine.summary));
    GTEST_SKIP() << engine.name << ": " << engine.summary;
  }
  static std::unique_ptr<const Plan> PlanOf(const Sample& sample, int threads = 1) {
    auto plan = MakePlan(GetParam().name, sample.module, {.threads = threads});
    EXPECT_TRUE(plan.ok()) << plan.status();
    return *std::move(plan);
  }
};

constexpr uint64_t kSeeds = 40;

TEST_P(Determinism, RunsRepeat) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Sample sample = SampleOf(seed);
    const auto plan = PlanOf(sample);
    for (const bool observed : {false, true}) {
      const Bytes first = Transcript(*plan, sample, observed);
      EXPECT_EQ(Transcript(*plan, sample, observed), first) << "seed " << seed;
      EXPECT_EQ(Transcript(*PlanOf(sample), sample, observed), first) << "another plan, seed " << seed;
      for (const int threads : {2, 3, 8}) {
        EXPECT_EQ(Transcript(*PlanOf(sample, threads), sample, observed), first)
            << threads << " threads, seed " << seed;
      }
    }
    EXPECT_EQ(plan->memory_bytes(), PlanOf(sample)->memory_bytes()) << "seed " << seed;
  }
}

TEST_P(Determinism, EqualsTheDefinition) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Sample sample = SampleOf(seed);
    const auto formal = *MakePlan("formal", sample.module);
    for (const bool observed : {false, true}) {
      EXPECT_EQ(Transcript(*PlanOf(sample), sample, observed), Transcript(*formal, sample, observed))
          << "seed " << seed;
    }
  }
}

// Each thread has inputs of its own, so that a buffer shared by mistake shows.
TEST_P(Determinism, ThreadsShareAPlan) {
  constexpr int kThreads = 4, kRuns = 8;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Sample sample = SampleOf(seed);
    // Their own threads, too, are shared.
    const auto plan = PlanOf(sample, 1 + static_cast<int>(seed % 3));
    std::vector<Sample> samples(kThreads, sample);
    std::vector<Bytes> expected;
    for (int t = 0; t < kThreads; ++t) {
      const Bytes noise = NoiseBytes(1000 + t, 256);
      EntropySource e(noise);
      samples[t].inputs = GenerateInputs(e, sample.module->entry());
      expected.push_back(Transcript(*plan, samples[t], false));
    }
    std::vector<std::vector<Bytes>> seen(kThreads);
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (int run = 0; run < kRuns; ++run) seen[t].push_back(Transcript(*plan, samples[t], false));
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (int t = 0; t < kThreads; ++t) {
      EXPECT_EQ(seen[t], std::vector<Bytes>(kRuns, expected[t])) << "seed " << seed << ", thread " << t;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, Determinism, testing::ValuesIn(AllEngines().begin(), AllEngines().end()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Validation, RepeatsOffsetsAndEncoding) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Sample first = SampleOf(seed), second = SampleOf(seed);
    EXPECT_EQ(Encode(first.module->module()), Encode(second.module->module())) << "seed " << seed;
    const auto offsets = first.module->offsets(), again = second.module->offsets();
    EXPECT_TRUE(std::equal(offsets.begin(), offsets.end(), again.begin(), again.end())) << "seed " << seed;
  }
}

}  // namespace
}  // namespace tally
