// The laws that make the form of a program canonical.
#include "serializer/program.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <vector>

#include "base/error.h"
#include "serializer/module_id.h"
#include "serializer/testing/golden_module.h"
#include "serializer/testing/mutate.h"
#include "serializer/testing/random_module.h"

namespace tally {
namespace {

std::vector<uint8_t> ProgramOf(const Module& module) {
  return EncodeProgram(module, ConstantDigests(module), MetadataDigest(module));
}

std::vector<uint8_t> Encoded(const Program& program) {
  return EncodeProgram(program.module, program.constants, program.metadata);
}

TEST(Program, IsTheModuleWithoutWeightsAndNames) {
  const Module module = GoldenModule();
  const std::vector<uint8_t> bytes = ProgramOf(module);
  const Program program = *DecodeProgram(bytes);
  EXPECT_EQ(program.module.functions, module.functions);
  EXPECT_EQ(program.module.profile, module.profile);
  EXPECT_EQ(program.constants, ConstantDigests(module));
  EXPECT_EQ(program.metadata, MetadataDigest(module));
  EXPECT_EQ(ProgramId(bytes), ModuleId(module));
}

TEST(Program, RefusesWhatIsCutOrGoesOn) {
  std::vector<uint8_t> bytes = ProgramOf(GoldenModule());
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(DecodeProgram(std::span(bytes).first(size)).ok()) << size;
  }
  bytes.push_back(0);
  EXPECT_EQ(ErrorLabel(DecodeProgram(bytes).status()), "trailing_bytes");
}

RC_GTEST_PROP(ProgramProperty, DecodingUndoesEncoding, (uint64_t seed)) {
  const Module module = RandomModule(seed, *rc::gen::inRange(0, 20));
  const std::vector<uint8_t> bytes = ProgramOf(module);
  const absl::StatusOr<Program> program = DecodeProgram(bytes);
  RC_ASSERT(program.ok());
  RC_ASSERT(program->module.functions == module.functions);
  RC_ASSERT(Encoded(*program) == bytes);
  RC_ASSERT(ProgramId(bytes) == ModuleId(module));
}

RC_GTEST_PROP(ProgramProperty, WhatIsAcceptedIsTheEncodingOfItsProgram, (uint64_t seed)) {
  RandomDraws draws(seed);
  std::vector<uint8_t> bytes = ProgramOf(RandomModule(seed, *rc::gen::inRange(0, 8)));
  Mutate(draws, bytes);
  const absl::StatusOr<Program> program = DecodeProgram(bytes);
  if (program.ok()) {
    RC_ASSERT(Encoded(*program) == bytes);
  } else {
    RC_ASSERT(ErrorStageOf(program.status()) == ErrorStage::malformed);
  }
}

}  // namespace
}  // namespace tally
