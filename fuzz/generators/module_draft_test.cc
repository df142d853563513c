#include "fuzz/generators/module_draft.h"

#include <gtest/gtest.h>

#include "vm/validator.h"

namespace tally {
namespace {

Shape Dims(std::initializer_list<int64_t> dims) { return *Shape::Create(dims); }

TEST(ModuleDraft, KnowsTheTypesOfItsValues) {
  ModuleDraft draft(Profile::kCore);
  const DraftId x = draft.AddParam({Dims({2}), {-8, 5}});
  const DraftId c = draft.AddConstant(*Tensor::FromValues(Dims({2}), {10, 300}));
  ASSERT_TRUE(draft.TryEmit(Opcode::kBroadcastAdd, {x, c}, {}));
  EXPECT_EQ(draft.type(c).ToString(), "[2] in [10, 300]");
  EXPECT_TRUE(draft.is_constant(c));
  EXPECT_EQ(draft.type(c + 1).ToString(), "[2] in [2, 305]");
  EXPECT_TRUE(draft.is_used(x));
  EXPECT_FALSE(draft.is_used(c + 1));
}

TEST(ModuleDraft, ParametersMayComeLate) {
  ModuleDraft draft(Profile::kCore);
  const DraftId x = draft.AddParam({Dims({2}), {0, 1}});
  ASSERT_TRUE(draft.TryEmit(Opcode::kAbs, {x}, {}));
  const DraftId abs = draft.size() - 1, late = draft.AddParam({Dims({2}), {5, 6}});
  ASSERT_TRUE(draft.TryEmit(Opcode::kBroadcastSub, {late, abs}, {}));
  const auto valid = Validate(draft.Build({late + 1, abs}));
  ASSERT_TRUE(valid.ok()) << valid.status();
  EXPECT_EQ(valid->entry().params.size(), 2u);
  EXPECT_EQ(valid->entry().results, (std::vector<ValueId>{3, 2}));
  EXPECT_EQ(valid->types()[3].ToString(), "[2] in [4, 6]");
}

TEST(ModuleDraft, ARefusedInstructionLeavesNoTrace) {
  ModuleDraft draft(Profile::kCore, {.max_elements = 4, .max_gas = 3 * (640 + 2 + 8 + 8)});
  const DraftId x = draft.AddParam({Dims({2}), {0, 1}});
  const DraftId y = draft.AddParam({Dims({3}), {0, 1}});
  const DraftId column = draft.AddParam({Dims({3, 1}), {0, 1}});
  const int size = draft.size();
  EXPECT_FALSE(draft.TryEmit(Opcode::kBroadcastAdd, {x, y}, {})) << "broadcast_add_c1";
  EXPECT_FALSE(draft.TryEmit(Opcode::kBroadcastAdd, {x, column}, {})) << "6 elements";
  EXPECT_EQ(draft.size(), size);
  EXPECT_EQ(draft.num_instructions(), 0);
  EXPECT_TRUE(draft.TryEmit(Opcode::kAbs, {x}, {}));
  EXPECT_TRUE(draft.TryEmit(Opcode::kAbs, {x}, {}));
  EXPECT_TRUE(draft.TryEmit(Opcode::kAbs, {x}, {}));
  EXPECT_FALSE(draft.TryEmit(Opcode::kAbs, {x}, {})) << "the gas of four";
}

TEST(ModuleDraft, RollsBackToAMark) {
  ModuleDraft draft(Profile::kCore);
  const DraftId x = draft.AddParam({Dims({2}), {0, 1}});
  const ModuleDraft::Mark mark = draft.mark();
  draft.AddConstant(*Tensor::FromValues(Dims({1}), {7}));
  draft.AddParam({Dims({1}), {0, 1}});
  draft.Rollback(mark);
  const auto valid = Validate(draft.Build({x}));
  ASSERT_TRUE(valid.ok()) << valid.status();
  EXPECT_EQ(valid->types().size(), 1u);
  EXPECT_EQ(valid->module().constants.size(), 0u);
}

TEST(ModuleDraft, CarriesATableAsItsRecipe) {
  ModuleDraft draft(Profile::kCore);
  const DraftId x = draft.AddParam({Dims({3}), {-4, 4}});
  draft.AddConstant(*Tensor::FromValues(Dims({1}), {7}));
  const Recipe recipe = {.function = RecipeFunction::kExp, .first = -4, .count = 9, .lo = -128, .hi = 127};
  const auto table = draft.AddConstant(recipe);
  ASSERT_TRUE(table.has_value());
  ASSERT_TRUE(draft.TryEmit(Opcode::kTable, {x, *table}, {{-4}}));
  const Module module = draft.Build({draft.size() - 1});
  ASSERT_EQ(module.recipes.size(), 1u);
  EXPECT_EQ(module.recipes[0].constant, 1u);
  EXPECT_TRUE(Validate(module).ok());
  EXPECT_FALSE(draft.AddConstant(Recipe{.count = 0}).has_value());
}

}  // namespace
}  // namespace tally
