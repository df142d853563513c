// The benchmark of the cuda engine on an emulated device: that it measures what it says, and not how long it
// takes.
#include "bench/cuda/report.h"

#include <gtest/gtest.h>

#include <cstring>

#include "bench/cuda/resident_work.h"
#include "bench/cuda/timed_device.h"
#include "engines/testing/emulated_device.h"
#include "ops/cuda/peak/peak_device.h"

namespace tally::bench {
namespace {

const ReportOptions kTiny = {
    .turns = {.rounds = 1, .turn_ms = 0.01}, .scale = 16, .repetitions = 2, .rotated_bytes = 4096};
constexpr DevicePeak kPeak = {.tops = 1, .read_gb_per_second = 1, .copy_gb_per_second = 1};

TEST(DevicePeak, IsMeasuredByLoopsThatRun) {
  cuda::EmulatedDevice device({.arch = cuda::Arch::kSm90a});
  const auto peak = MeasureDevicePeak(device, {.turns = kTiny.turns, .scale = 64});
  ASSERT_TRUE(peak.ok()) << peak.status();
  EXPECT_GT(peak->tops, 0);
  EXPECT_GT(peak->read_gb_per_second, 0);
  EXPECT_GT(peak->copy_gb_per_second, 0);
  EXPECT_EQ(device.replays(), 4 * 5);
}

TEST(Repetitions, TakeTurnsOnMoreThanCachesHold) {
  const Repetitions many = Repetitions::Cold(1 << 20, 64 << 20, 20),
                    one = Repetitions::Cold(1 << 20, 1 << 20, 20);
  EXPECT_EQ(many.copies, 64);
  EXPECT_EQ(many.count, 64);
  EXPECT_EQ(one.copies, 1);
  EXPECT_EQ(one.count, 20);
}

TEST(ResidentWork, RepeatsItsLaunchesAndKeepsTheirResult) {
  cuda::EmulatedDevice device;
  const std::vector<uint8_t> from(64, 7);
  cuda::Work work;
  work.Add(cuda::KernelId::kCopyLoop, cuda::GridOver(4), cuda::CopyLoopParams{4},
           {cuda::OperandAt(0), cuda::ResultAt(0)});
  const auto resident = ResidentWork::Create(device, work, {from}, {64}, {.count = 3, .copies = 2});
  ASSERT_TRUE(resident.ok()) << resident.status();
  const auto ms = (*resident)->Run();
  ASSERT_TRUE(ms.ok()) << ms.status();
  EXPECT_GT(*ms, 0);
  for (const int copy : {0, 1}) EXPECT_EQ(*(*resident)->Result(0, copy), from);
  EXPECT_EQ(device.replays(), 1);
}

std::vector<LinearCase> TinyCases() {
  return {{"tiny", "a", MatmulShape{.m = 32, .k = 64, .n = 16}, 2},
          {"tiny", "b",
           ConvShape{.batch = 2,
                     .in_channels = 3,
                     .out_channels = 8,
                     .height = 7,
                     .width = 5,
                     .kernel = 3,
                     .stride = 2,
                     .pad = 1}},
          {"other", "c", MatmulShape{.m = 8, .k = 32, .n = 8}}};
}
constexpr LinearPart kTinyPart = {"tiny", "two cases", TinyCases, true};

TEST(ReadLoop, ReadsEveryPiece) {
  cuda::EmulatedDevice device;
  constexpr int64_t kCount = 300;  // pieces, of which some threads have two
  std::vector<uint32_t> from(4 * kCount);
  uint32_t expected = 0, sum = 0;
  for (size_t i = 0; i < from.size(); ++i) expected ^= from[i] = static_cast<uint32_t>(i * i * 0x9e3779b9u);
  cuda::Work work;
  work.Add(cuda::KernelId::kReadLoop, cuda::GridOver(200, 64), cuda::ReadLoopParams{kCount},
           {cuda::OperandAt(0), cuda::ResultAt(0)});
  const auto resident =
      ResidentWork::Create(device, work, {{reinterpret_cast<const uint8_t*>(from.data()), 4 * from.size()}},
                           {4 * 8}, {.count = 1, .copies = 1});
  ASSERT_TRUE(resident.ok()) << resident.status();
  ASSERT_TRUE((*resident)->Run().ok());
  const std::vector<uint8_t> result = *(*resident)->Result(0);
  for (size_t warp = 0; warp < 8; ++warp) {
    uint32_t word;
    std::memcpy(&word, result.data() + 4 * warp, 4);
    sum ^= word;
  }
  EXPECT_EQ(sum, expected);
}

TEST(Report, HasARowForEachProduct) {
  cuda::EmulatedDevice device({.arch = cuda::Arch::kSm90a});
  ReportOptions options = kTiny;
  options.only = "tiny";
  const auto report = MeasureLinear(device, kTinyPart, kPeak, options);
  ASSERT_TRUE(report.ok()) << report.status();
  const Json& rows = (*report)["rows"];
  ASSERT_EQ(rows.size(), 4u);
  for (const Json& row : rows) {
    EXPECT_FALSE(row.contains("wrong")) << row;
    EXPECT_FALSE(row.contains("peer")) << row;  // there is none in these options
    EXPECT_EQ(row["sha256"].get<std::string>().size(), 64u);
  }
  const Json& row = rows[0];
  EXPECT_EQ(row["k"], 64);
  EXPECT_EQ(row["form"], "i32");
  EXPECT_GT(row["ms"]["min"].get<double>(), 0);
  const double tops = 2e-9 * 32 * 64 * 16 / row["ms"]["min"].get<double>();
  EXPECT_NEAR(row["tops"].get<double>(), tops, 1e-9 * tops);
  EXPECT_TRUE(row["kernels"].get<std::string>().starts_with("tally_Gemm")) << row["kernels"];
  EXPECT_EQ(rows[3]["m"], 2 * 4 * 3);
  EXPECT_EQ(rows[3]["k"], 27);
  EXPECT_EQ((*report)["totals"].size(), 2u);
}

TEST(Report, HasARowForEachNetwork) {
  const auto device = std::make_shared<cuda::EmulatedDevice>();
  const NetworkShape networks[] = {{"matmul_128x768x768", 2}, {"lstm", 1}};
  const auto rows = MeasureNetworks(device, networks, kPeak, kTiny);
  ASSERT_TRUE(rows.ok()) << rows.status();
  ASSERT_EQ(rows->size(), 2u);
  for (const Json& row : *rows) {
    EXPECT_GT(row["wall_ms"]["min"].get<double>(), 0) << row;
    EXPECT_LE(row["kernels_ms"]["min"].get<double>(), row["wall_ms"]["median"].get<double>()) << row;
    EXPECT_GE(row["start_ms"]["min"].get<double>(), 0) << row;
    EXPECT_GT(row["empty_launches_ms"].get<double>(), 0) << row;
    ASSERT_EQ(row["items_per_second"].size(), 4u) << row;
    for (const Json& rate : row["items_per_second"]) EXPECT_GT(rate["rate"].get<double>(), 0) << row;
  }
  EXPECT_EQ((*rows)[0]["host_steps"], 0);
  EXPECT_EQ((*rows)[0]["launches"], 1);
  EXPECT_TRUE((*rows)[0]["kernels"].get<std::string>().starts_with("tally_Gemm")) << (*rows)[0];
}

TEST(Report, HasTheLaunchesOfANetwork) {
  const NetworkShape networks[] = {{"matmul_128x768x768", 2}, {"lstm", 1}};
  ReportOptions options = kTiny;
  options.only = "matmul";
  const auto profiles = MeasureProfiles(std::make_shared<cuda::EmulatedDevice>(), networks, options);
  ASSERT_TRUE(profiles.ok()) << profiles.status();
  ASSERT_EQ(profiles->size(), 1u);
  const Json& profile = (*profiles)[0];
  ASSERT_EQ(profile["launches"].size(), 1u);
  EXPECT_EQ(profile["launches"][0]["ms"], profile["alone_ms"]);
  EXPECT_GT(profile["kernels_ms"].get<double>(), 0);
}

TEST(Report, HasARowForEachOperator) {
  cuda::EmulatedDevice device;
  const KernelCase cases[] = {
      {"small", Opcode::kRelu, [](CallContext& c) {
         return Attempt{{c.draft.AddParam({*Shape::Create({8, 64}), {-128, 127}})}, Attributes{}};
       }}};
  const auto rows = MeasureOperators(device, cases, kTiny);
  ASSERT_TRUE(rows.ok()) << rows.status();
  ASSERT_EQ(rows->size(), 1u);
  EXPECT_EQ((*rows)[0]["bytes"], 1024);
  EXPECT_GT((*rows)[0]["of_copy"].get<double>(), 0);
}

// Every operator has a shape, and each shape is valid.
TEST(Report, KnowsShapesOfRealModels) {
  for (const KernelCase& given : KernelCases()) EXPECT_NE(CallOfCase(given), nullptr) << given.name;
  for (const LinearPart& part : LinearParts()) EXPECT_GE(part.cases().size(), 4u) << part.name;
  EXPECT_GE(ReportedNetworks().size(), 8u);
  EXPECT_GE(ReportedLayers().size(), 8u);
}

}  // namespace
}  // namespace tally::bench
