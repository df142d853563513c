#include "fuzz/generators/module_generator.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "base/error.h"
#include "fuzz/generators/mutate_module.h"
#include "ops/op_table.h"
#include "vm/validator.h"

namespace tally {
namespace {

constexpr uint64_t kSeeds = 5000;
constexpr int kEnoughModules = 30;

Module ModuleOf(uint64_t seed) {
  const std::vector<uint8_t> noise = NoiseBytes(seed, 1024);
  EntropySource e(noise);
  return GenerateModule(e, {});
}

TEST(ModuleGenerator, EveryOperatorOccursInModulesThatValidate) {
  std::map<std::pair<Profile, std::string_view>, int> modules_with;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Module module = ModuleOf(seed);
    const auto valid = Validate(module);
    ASSERT_TRUE(valid.ok()) << "seed " << seed << ": " << valid.status();
    std::set<std::string_view> names;
    for (const Function& function : module.functions) {
      for (const Instruction& instruction : function.body) names.insert(InfoOf(instruction.op).name);
    }
    for (const std::string_view name : names) ++modules_with[{module.profile, name}];
  }
  for (const OpInfo& op : AllOps()) {
    EXPECT_GE((modules_with[{Profile::kCore, op.name}]), kEnoughModules)
        << op.name << " is rare in profile core: see fuzz/generators/calls_" << op.family << ".cc";
    if (op.profile != Profile::kCvm) continue;
    EXPECT_GE((modules_with[{Profile::kCvm, op.name}]), kEnoughModules)
        << op.name << " is rare in profile cvm: see fuzz/generators/calls_" << op.family << ".cc";
  }
}

TEST(ModuleGenerator, TheSameBytesGiveTheSameModule) {
  for (uint64_t seed = 0; seed < 50; ++seed) EXPECT_TRUE(ModuleOf(seed) == ModuleOf(seed)) << seed;
}

TEST(ModuleGenerator, NoBytesGiveASmallModuleThatValidates) {
  EntropySource e({});
  const Module module = GenerateModule(e, {});
  EXPECT_TRUE(Validate(module).ok());
  EXPECT_LE(module.entry().body.size(), 2u);
}

TEST(ModuleGenerator, InputsLieInTheDeclaredIntervals) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Module module = ModuleOf(seed);
    const std::vector<uint8_t> noise = NoiseBytes(~seed, 256);
    EntropySource e(noise);
    const std::vector<Tensor> inputs = GenerateInputs(e, module.entry());
    ASSERT_EQ(inputs.size(), module.entry().params.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      EXPECT_EQ(inputs[i].shape(), module.entry().params[i].shape);
      EXPECT_TRUE(module.entry().params[i].interval.Contains(inputs[i].view().Bounds())) << "seed " << seed;
    }
  }
}

TEST(MutateModule, MostlyBreaksAModuleAndInManyWays) {
  std::map<std::string, int> labels;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    Module module = ModuleOf(seed);
    const std::vector<uint8_t> noise = NoiseBytes(~seed, 64);
    EntropySource e(noise);
    MutateModule(e, module);
    ++labels[ErrorLabel(Validate(module).status())];
  }
  EXPECT_LT(labels[""], kSeeds / 2);
  for (const char* label :
       {"bad_spec_version", "function_count", "metadata_count", "metadata_name", "metadata_quantization",
        "param_interval", "operand_count", "operand_undefined", "attribute_count", "attribute_range",
        "attribute_length", "constant_c1", "result_undefined", "function_reference", "function_unused"}) {
    EXPECT_GT(labels[label], 0) << label;
  }
}

}  // namespace
}  // namespace tally
