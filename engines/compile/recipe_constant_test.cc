// Constants that a module carries as recipes: validation expands them and believes nothing that it can
// compute.
#include <gtest/gtest.h>

#include <functional>

#include "base/error.h"
#include "base/hash/sha256.h"
#include "engines/compile/lower_operators.h"
#include "ops/table/attrs.h"
#include "vm/expand_recipes.h"
#include "vm/limits.h"
#include "vm/module_builder.h"
#include "vm/validator.h"

namespace tally {
namespace {

Recipe Sigmoid() {
  Recipe recipe = {.function = RecipeFunction::kSigmoid, .first = -128, .count = 256, .lo = -128, .hi = 127};
  recipe.in.shift = 4;
  recipe.out.shift = 8;
  recipe.zero_out = -128;
  return recipe;
}

Module SigmoidModule(const Recipe& recipe = Sigmoid()) {
  ModuleBuilder b(Profile::kCore);
  const ValueId x = b.Param("x", {*Shape::Create({4}), {-128, 127}});
  const ValueId table = *b.Constant(recipe);
  b.Result("y", b.Op(Opcode::kTable, {x, table}, TableAttrs{.offset = recipe.first}));
  return std::move(b).Build();
}

std::string LabelAfter(const std::function<void(Module&)>& change) {
  Module module = SigmoidModule();
  change(module);
  return ErrorLabel(Validate(std::move(module)).status());
}

TEST(RecipeConstant, IsExpandedByValidation) {
  Module module = SigmoidModule();
  module.constants[0].bytes = {};
  const auto valid = Validate(std::move(module));
  ASSERT_TRUE(valid.ok()) << valid.status();
  const TensorView& table = valid->module().constants[0];
  EXPECT_EQ(table.storage, Storage::kI8);
  EXPECT_EQ(table.at(0), -128);   // 256 sigmoid(-8) = 0.09
  EXPECT_EQ(table.at(128), 0);    // 256 sigmoid(0) = 128
  EXPECT_EQ(table.at(255), 127);  // 256 sigmoid(7.94) = 255.9, clamped
  EXPECT_EQ(valid->constant_bytes(), 256);
  EXPECT_TRUE(valid->module() == SigmoidModule());
}

TEST(RecipeConstant, BytesBesideARecipeAreNotBelieved) {
  static const std::vector<uint8_t> wrong(256, 7);
  Module module = SigmoidModule();
  module.constants[0].bytes = wrong;
  const auto valid = Validate(std::move(module));
  ASSERT_TRUE(valid.ok()) << valid.status();
  EXPECT_EQ(valid->module().constants[0].at(0), -128);
}

TEST(RecipeConstant, DiffersFromItsBytes) {
  Module bytes = SigmoidModule();
  bytes.recipes.clear();
  EXPECT_FALSE(bytes == SigmoidModule());
  EXPECT_EQ(ErrorLabel(Validate(std::move(bytes)).status()), "");
}

TEST(RecipeConstant, RefusesAnotherDigest) {
  EXPECT_EQ(LabelAfter([](Module& m) { m.recipes[0].sha256[31] ^= 1; }), "recipe_digest");
  EXPECT_EQ(LabelAfter([](Module& m) { m.recipes[0].recipe.out.shift = 7; }), "recipe_digest");
}

TEST(RecipeConstant, RefusesFieldsOutOfRange) {
  EXPECT_EQ(LabelAfter([](Module& m) { m.recipes[0].recipe.out.shift = 63; }), "recipe_fields");
  EXPECT_EQ(LabelAfter([](Module& m) { m.recipes[0].constant = 1; }), "recipe_fields");
  EXPECT_EQ(LabelAfter([](Module& m) { m.recipes.push_back(m.recipes[0]); }), "recipe_fields");
}

TEST(RecipeConstant, RefusesAnotherShapeOrStorage) {
  EXPECT_EQ(LabelAfter([](Module& m) { m.constants[0].shape = *Shape::Create({255}); }), "constant_size");
  EXPECT_EQ(LabelAfter([](Module& m) { m.constants[0].storage = Storage::kI16; }), "constant_storage");
  EXPECT_EQ(LabelAfter([](Module& m) { m.constants[0].shape = *Shape::Create({16, 16}); }), "table_c3");
}

TEST(RecipeConstant, RefusesMoreEntriesThanTheLimitBeforeExpandingAny) {
  EXPECT_EQ(LabelAfter([](Module& m) {
              const int64_t tables = kMaxRecipeEntriesOfModule / kMaxRecipeEntries + 1;
              m.constants[0].shape = *Shape::Create({kMaxRecipeEntries});
              m.constants.assign(static_cast<size_t>(tables), m.constants[0]);
              m.recipes.assign(static_cast<size_t>(tables), m.recipes[0]);
              for (size_t i = 0; i < m.recipes.size(); ++i) m.recipes[i].constant = static_cast<uint32_t>(i);
            }),
            "recipe_entries_limit");
}

TEST(RecipeConstant, EqualOnesShareTheirBytes) {
  Module module = SigmoidModule();
  module.constants.push_back(module.constants[0]);
  module.constants.push_back(module.constants[0]);
  module.constants[1].shape = *Shape::Create({16, 16});
  Recipe other = Sigmoid();
  other.zero_in = 1;
  const Tensor entries = *ExpandToTensor(other, *Shape::Create({256}));
  module.recipes.push_back({1, Sigmoid(), module.recipes[0].sha256});
  module.recipes.push_back({2, other, Sha256Hash(entries.bytes())});
  ASSERT_EQ(ErrorLabel(ExpandRecipes(module)), "");
  EXPECT_EQ(module.constants[1].bytes.data(), module.constants[0].bytes.data());
  EXPECT_EQ(module.constants[1].shape, *Shape::Create({16, 16}));
  EXPECT_NE(module.constants[2].bytes.data(), module.constants[0].bytes.data());
  EXPECT_TRUE(SameValues(module.constants[2], entries.view()));
}

TEST(RecipeConstant, IsCarriedOnceHoweverOftenItIsAskedFor) {
  ModuleBuilder b(Profile::kCore);
  const ValueId x = b.Param("x", {*Shape::Create({4}), {-128, 127}});
  const ValueId y = b.Op(Opcode::kTable, {x, *b.Constant(Sigmoid())}, TableAttrs{.offset = -128});
  b.Result("y", b.Op(Opcode::kTable, {y, *b.Constant(Sigmoid())}, TableAttrs{.offset = -128}));
  const Module module = std::move(b).Build();
  EXPECT_EQ(module.constants.size(), 1u);
  EXPECT_EQ(module.recipes.size(), 1u);
}

TEST(RecipeConstant, TheBuilderCarriesBytesBehindTheLimit) {
  ModuleBuilder b(Profile::kCore);
  const int64_t tables = kMaxRecipeEntriesOfModule / kMaxRecipeEntries;
  ValueId last = 0;
  for (int64_t i = 0; i <= tables; ++i) {
    last =
        *b.Constant({.function = RecipeFunction::kIdentity, .first = i, .count = kMaxRecipeEntries, .hi = 9});
  }
  b.Result("y", last);
  const Module module = std::move(b).Build();
  EXPECT_EQ(module.constants.size(), static_cast<size_t>(tables + 1));
  EXPECT_EQ(module.recipes.size(), static_cast<size_t>(tables));
  EXPECT_EQ(ErrorLabel(Validate(module).status()), "");
}

TEST(RecipeConstant, StaysOneWhenOperatorsAreLowered) {
  const auto valid = Validate(SigmoidModule());
  ASSERT_TRUE(valid.ok()) << valid.status();
  const auto lowered = LowerOperators(*valid);
  ASSERT_TRUE(lowered.ok()) << lowered.status();
  EXPECT_TRUE(lowered->module == SigmoidModule());
}

}  // namespace
}  // namespace tally
