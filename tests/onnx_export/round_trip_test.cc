// Instructions of every row of the exporter, drawn by the generators of the fuzz targets, and whole modules:
// written as ONNX and read again, they compute the same integers.
#include "tests/onnx_export/round_trip.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "frontends/onnx/export/operators.h"
#include "fuzz/generators/module_generator.h"
#include "tests/onnx_export/draw_instruction.h"
#include "vm/validator.h"

namespace tally {
namespace {

constexpr int kDraws = 300;
constexpr int kLeastExported = 12;  // wide intervals are drawn often, and their forms refused
constexpr size_t kBytes = 1024;

class EveryRow : public testing::TestWithParam<onnx::ExportRow> {};

TEST_P(EveryRow, ComputesTheSameWhenItIsReadAgain) {
  const Opcode op = GetParam().op;
  int exported = 0, refused = 0;
  std::map<std::string, int> reasons;
  for (uint64_t seed = 0; seed < kDraws; ++seed) {
    const std::vector<uint8_t> bytes = BytesOfDraw(op, seed);
    EntropySource e(bytes);
    const std::optional<ValidModule> module = DrawInstruction(op, e);
    if (!module) continue;
    const RoundTrip trip = ExportAndImport(*module, GenerateInputs(e, module->entry()));
    if (!trip.refused.empty()) {
      ++refused;
      ++reasons[trip.refused];
      continue;
    }
    ++exported;
    ASSERT_EQ(trip.mismatch, "") << "seed " << seed << "\n" << trip.model.ShortDebugString();
  }
  RecordProperty("exported", exported);
  RecordProperty("refused", refused);
  EXPECT_GE(exported, kLeastExported);
  if (exported < kLeastExported) {
    for (const auto& [reason, count] : reasons) ADD_FAILURE() << count << " times " << reason;
  }
}

INSTANTIATE_TEST_SUITE_P(Export, EveryRow,
                         testing::ValuesIn(onnx::ExportRows().begin(), onnx::ExportRows().end()),
                         [](const auto& test) { return std::string(InfoOf(test.param.op).name); });

TEST(ExportOnnx, ModulesComputeTheSameWhenTheyAreReadAgain) {
  int exported = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const std::vector<uint8_t> bytes = NoiseBytes(seed, kBytes);
    EntropySource e(bytes);
    const auto module = Validate(GenerateModule(e, kSmallModules));
    ASSERT_TRUE(module.ok());
    const RoundTrip trip = ExportAndImport(*module, GenerateInputs(e, module->entry()));
    if (!trip.refused.empty()) continue;
    ++exported;
    ASSERT_EQ(trip.mismatch, "") << "seed " << seed;
  }
  EXPECT_GE(exported, 20);
}

}  // namespace
}  // namespace tally
