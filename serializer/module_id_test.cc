#include "serializer/module_id.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "serializer/decode.h"
#include "serializer/encode.h"
#include "serializer/program.h"
#include "serializer/testing/golden_module.h"

namespace tally {
namespace {

// Gives the golden module another constant.
void ReplaceConstant(Module& module, Tensor tensor) {
  auto owner = std::make_shared<const Tensor>(std::move(tensor));
  module.constants[0] = owner->view();
  module.backing = std::move(owner);
}

TEST(ModuleId, EveryPartChangesIt) {
  const std::vector<std::function<void(Module&)>> changes = {
      [](Module&) {},
      [](Module& m) { m.spec_version = 2; },
      [](Module& m) { m.profile = Profile::kCvm; },
      [](Module& m) { m.functions[0].params[0].interval.hi = 6; },
      [](Module& m) { m.functions[0].params[0].shape = *Shape::Create({1}); },
      [](Module& m) {
        m.functions[0].params[0].shape = *Shape::Create({1, 2});
      },
      [](Module& m) { std::swap(m.functions[0].body[1].operands[0], m.functions[0].body[1].operands[1]); },
      [](Module& m) { m.functions[0].body[0].attributes[0][0] = 1; },
      [](Module& m) { m.functions[0].body.pop_back(); },
      [](Module& m) { m.functions[0].results[0] = 1; },
      [](Module& m) {
        ReplaceConstant(m, *Tensor::FromValues(*Shape::Create({2}), {10, 301}));
      },
      [](Module& m) {
        ReplaceConstant(m, *Tensor::FromValues(*Shape::Create({1, 2}), {10, 300}));
      },
      [](Module& m) {
        ReplaceConstant(
            m, *Tensor::FromValues(*Shape::Create({2}), Storage::kI32, std::vector<int64_t>{10, 300}));
      },
      [](Module& m) { m.recipes.push_back({}); },
      [](Module& m) { m.recipes.push_back({.recipe = {.function = RecipeFunction::kIdentity}}); },
      [](Module& m) { m.recipes.push_back({.sha256 = {1}}); },
      [](Module& m) { m.constants.push_back(m.constants[0]); },
      [](Module& m) { m.constants.clear(); },
      [](Module& m) { m.metadata.params[0].name = "z"; },
      [](Module& m) { m.metadata.params[0].quantization = Quantization{}; },
      [](Module& m) { std::swap(m.metadata.params[0].name, m.metadata.results[0].name); },
      [](Module& m) { m.metadata.results[0].quantization->zero_point = 0; },
      [](Module& m) { m.metadata.results[0].quantization->multiplier = 3; },
      [](Module& m) { m.metadata.results[0].quantization->shift = 5; },
  };
  std::set<Digest> ids;
  for (size_t i = 0; i < changes.size(); ++i) {
    Module module = GoldenModule();
    changes[i](module);
    EXPECT_TRUE(ids.insert(ModuleId(module)).second) << "change " << i;
  }
}

// The same module in memory of its own, in a file, and at an odd address.
TEST(ModuleId, DoesNotDependOnWhereConstantsLie) {
  const Digest id = ModuleId(GoldenModule());
  EXPECT_EQ(ModuleId(*Decode(GoldenBytes())), id);
  std::vector<uint8_t> shifted(GoldenBytes().size() + 1);
  const std::vector<uint8_t> golden = GoldenBytes();
  std::memcpy(shifted.data() + 1, golden.data(), golden.size());
  EXPECT_EQ(ModuleId(*Decode(std::span<const uint8_t>(shifted).subspan(1), nullptr)), id);
}

TEST(ModuleId, ProgramIsEnoughToRecomputeIt) {
  const Module module = GoldenModule();
  const std::vector<Digest> constants = ConstantDigests(module);
  Module without_weights = module;
  without_weights.constants.clear();
  const Digest metadata = MetadataDigest(module);
  EXPECT_EQ(EncodeProgram(without_weights, constants, metadata), EncodeProgram(module, constants, metadata));
}

}  // namespace
}  // namespace tally
