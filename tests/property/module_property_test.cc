// Laws of validation and execution over random modules.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "base/error.h"
#include "fuzz/generators/mutate_module.h"
#include "fuzz/oracles/codec.h"
#include "fuzz/oracles/execution.h"
#include "fuzz/oracles/text.h"
#include "fuzz/oracles/validation.h"
#include "ops/op_table.h"
#include "tests/property/random_module.h"

namespace tally {
namespace {

constexpr int64_t kCheapGas = 1 << 21;
constexpr int64_t kCheapBytes = 1 << 20;

std::string Text(const absl::Status& status) { return status.ToString(); }

// How often the interesting classes were met, in the summary that RapidCheck prints.
void Classify(const ValidModule& module) {
  bool accumulates = false, has_scratch = false, has_wide_values = false;
  for (const InstructionFacts& facts : module.facts()) {
    accumulates |= facts.accumulator != Interval{};
    has_scratch |= facts.scratch_bytes > 0;
  }
  for (const TensorType& type : module.types()) has_wide_values |= type.storage() == Storage::kI64;
  RC_CLASSIFY(module.module().profile == Profile::kCvm, "profile cvm");
  RC_CLASSIFY(accumulates, "accumulates");
  RC_CLASSIFY(has_scratch, "has working memory");
  RC_CLASSIFY(has_wide_values, "has 64-bit values");
  RC_CLASSIFY(module.functions().size() > 1, "runs functions");
}

RC_GTEST_PROP(ModuleLaws, EveryEngineComputesWhatValidationProved, ()) {
  const RandomModule random = DrawModule();
  auto valid = Validate(random.module);
  RC_ASSERT(valid.ok());
  Classify(*valid);
  const auto shared = std::make_shared<const ValidModule>(*std::move(valid));
  RC_ASSERT(Text(CheckExecution(shared, random.views)) == "OK");
}

// The subjects of the law above: the same draw.
TEST(ModuleLaws, DrawsHaveEveryOperator) {
  constexpr int kModules = 2000;
  std::map<std::string_view, int> modules_with;
  for (uint64_t seed = 0; seed < kModules; ++seed) {
    const std::vector<uint8_t> bytes = NoiseBytes(seed, kBytesOfModule);
    EntropySource e(bytes);
    std::set<std::string_view> names;
    for (const Function& function : GenerateModule(e, {}).functions) {
      for (const Instruction& instruction : function.body) names.insert(InfoOf(instruction.op).name);
    }
    for (const std::string_view name : names) ++modules_with[name];
  }
  std::cout << "operators in " << kModules << " modules:\n";
  for (const OpInfo& op : AllOps()) {
    std::cout << "  " << op.name << " " << modules_with[op.name] << "\n";
    EXPECT_GT(modules_with[op.name], 0) << op.name << ": see fuzz/generators/calls_" << op.family << ".cc";
  }
}

RC_GTEST_PROP(ModuleLaws, LiveValuesNeverOverlapInTheArena, ()) {
  const auto valid = Validate(DrawModule().module);
  RC_ASSERT(valid.ok());
  RC_ASSERT(Text(CheckPlacement(*valid)) == "OK");
}

RC_GTEST_PROP(ModuleLaws, ValidationGivesOneVerdict, ()) {
  Module module = DrawModule().module;
  const std::vector<uint8_t> bytes = RandomBytes(64);
  EntropySource e(bytes);
  const int64_t faults = e.Between(0, 2);
  for (int64_t i = 0; i < faults && !module.functions.empty(); ++i) MutateModule(e, module);
  RC_CLASSIFY(!Validate(module).ok(), "refused");
  RC_ASSERT(Text(CheckValidationIsPure(module)) == "OK");
}

RC_GTEST_PROP(ModuleLaws, BothFormsGiveTheModuleBack, ()) {
  const auto valid = Validate(DrawModule().module);
  RC_ASSERT(valid.ok());
  RC_ASSERT(Text(CheckEncoding(valid->module())) == "OK");
  RC_ASSERT(Text(CheckPrinting(*valid)) == "OK");
}

// Soundness where the generator did not aim: whatever damage passes validation also runs.
RC_GTEST_PROP(ModuleLaws, MutatedModulesAreRefusedOrRun, ()) {
  Module module = DrawModule().module;
  const std::vector<uint8_t> bytes = RandomBytes(512);
  EntropySource e(bytes);
  MutateModule(e, module);
  auto valid = Validate(std::move(module));
  const bool runs = valid.ok() && valid->gas() <= kCheapGas && valid->arena_bytes() <= kCheapBytes;
  RC_CLASSIFY(runs, "runs");
  if (!runs) return;
  const std::vector<Tensor> inputs = GenerateInputs(e, valid->entry());
  const std::vector<TensorView> views = ViewsOf(inputs);
  RC_ASSERT(Text(CheckPlacement(*valid)) == "OK");
  const auto shared = std::make_shared<const ValidModule>(*std::move(valid));
  RC_ASSERT(Text(CheckExecution(shared, views)) == "OK");
}

}  // namespace
}  // namespace tally
