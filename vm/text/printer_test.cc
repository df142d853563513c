#include "vm/text/printer.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "vm/module_builder.h"
#include "vm/text/assembler.h"
#include "vm/validator.h"

namespace tally {
namespace {

Tensor Counting(std::initializer_list<int64_t> dims, Storage storage) {
  Tensor tensor(*Shape::Create(dims), storage);
  for (int64_t i = 0; i < tensor.shape().num_elements(); ++i) {
    StoreElement(storage, tensor.mutable_bytes().data(), i, i % 100 - 3);
  }
  return tensor;
}

// The example of docs/spec/text.md is what Print says about it.
TEST(Printer, ThePageShowsWhatIsPrinted) {
  std::ifstream file("docs/spec/text.md");
  const std::string page(std::istreambuf_iterator<char>(file), {});
  const size_t begin = page.find("```\ntally 1\n") + 4;
  ASSERT_NE(begin, 3u) << "docs/spec/text.md has no example";
  const std::string example = page.substr(begin, page.find("```", begin) - begin);
  auto module = Assemble(example);
  ASSERT_TRUE(module.ok()) << module.status();
  const auto valid = Validate(*std::move(module));
  ASSERT_TRUE(valid.ok()) << valid.status();
  EXPECT_EQ(Print(*valid), example);
}

TEST(Printer, LeavesOutLongConstantsOnRequest) {
  ModuleBuilder b(Profile::kCore);
  const ValueId longer = b.Constant(Counting({65}, Storage::kI8)),
                shorter = b.Constant(Counting({2}, Storage::kI8));
  b.Result("longer", longer);
  b.Result("shorter", shorter);
  const Module module = std::move(b).Build();
  const std::string text = Print(module, {.long_constants = false});
  EXPECT_NE(text.find("%0 = constant i8 [65] {...}\n%1 = constant i8 [2] {-3, -2}\n"), std::string::npos)
      << text;
  EXPECT_FALSE(Assemble(text).ok());
  EXPECT_TRUE(Assemble(Print(module)).ok());
}

// A name with the right-to-left override would show the type in front of itself.
TEST(Printer, NamesCannotTurnTheTextAroundThem) {
  ModuleBuilder b(Profile::kCore);
  b.Result("\u202e]8-[\u2028y", b.Constant(Counting({1}, Storage::kI8)));
  const Module module = std::move(b).Build();
  const std::string text = Print(module);
  EXPECT_NE(text.find(R"(result %0 "\u{202e}]8-[\u{2028}y")"), std::string::npos) << text;
  EXPECT_TRUE(*Assemble(text) == module);
}

TEST(Printer, LongConstantsAreHexadecimal) {
  ModuleBuilder b(Profile::kCore);
  b.Result("listed", b.Constant(Counting({64}, Storage::kI8)));
  b.Result("hexadecimal", b.Constant(Counting({5, 13}, Storage::kI8)));
  const Module module = std::move(b).Build();
  const std::string text = Print(module);
  EXPECT_NE(text.find("%0 = constant i8 [64] {-3, -2, -1, 0, 1, "), std::string::npos) << text;
  EXPECT_NE(text.find("%1 = constant i8 [5,13] hex {\n"
                      "  fdfeff000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c\n"
                      "  1d1e1f202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c\n"
                      "  3d\n"
                      "}\n"),
            std::string::npos)
      << text;
  EXPECT_TRUE(*Assemble(text) == module);
}

TEST(Printer, RecipesSayWhatTheTableIs) {
  Recipe recipe = {.function = RecipeFunction::kExp, .zero_in = 3, .count = 4, .hi = 100};
  recipe.out.shift = 2;
  ModuleBuilder b(Profile::kCore);
  b.Result("table", *b.Constant(recipe));
  const Module module = std::move(b).Build();
  const std::string text = Print(module);
  EXPECT_NE(
      text.find("%0 = constant i8 [4] recipe exp {alpha = [0, 1], beta = [0, 1], in = [1, 0], out = [1, 2], "
                "zero = [3, 0], first = 0, clamp = [0, 100]} "
                "\"" +
                ToHex(module.recipes[0].sha256) + "\"\n"),
      std::string::npos)
      << text;
  EXPECT_TRUE(*Assemble(text) == module);
  EXPECT_EQ(ToHex(module.recipes[0].sha256),
            "90347d1869c1472af627b1d20824479569264d3b88ca108ddfa3665e4cfdcf82");
}

// A constant is written where it is first yielded if that keeps the order, and after the results otherwise.
TEST(Printer, ConstantsKeepTheirOrder) {
  const std::vector<Tensor> tensors = {Counting({1}, Storage::kI8), Counting({2}, Storage::kI16),
                                       Counting({3}, Storage::kI64)};
  Module module;
  for (const Tensor& tensor : tensors) module.constants.push_back(tensor.view());
  Function& entry = module.functions.emplace_back();
  for (const int64_t index : {1, 0, 0, 7, 1}) entry.body.push_back({Opcode::kConstant, {}, {{index}}});
  const std::string text = Print(module);
  EXPECT_EQ(text,
            "tally 1\nprofile core\n\n"
            "%0 = constant {index = 1}\n"
            "%1 = constant i8 [1] {-3}\n"
            "%2 = constant {index = 0}\n"
            "%3 = constant {index = 7}\n"
            "%4 = constant i16 [2] {-3, -2}\n"
            "data i64 [3] {-3, -2, -1}\n");
  EXPECT_TRUE(*Assemble(text) == module);
}

TEST(Printer, ScalesAreExactPowersOfTwo) {
  Module module;
  Function& entry = module.functions.emplace_back();
  for (const int64_t shift : {int64_t{4}, int64_t{0}, int64_t{-4}, INT64_MIN, INT64_MAX}) {
    entry.results.push_back(0);
    module.metadata.results.push_back({"", Quantization{.zero_point = -7, .multiplier = 3, .shift = shift}});
  }
  const std::string text = Print(module);
  EXPECT_EQ(text,
            "tally 1\nprofile core\n\n"
            "result %0 \"\" scale 3*2^-4 zero -7\n"
            "result %0 \"\" scale 3*2^0 zero -7\n"
            "result %0 \"\" scale 3*2^4 zero -7\n"
            "result %0 \"\" scale 3*2^9223372036854775808 zero -7\n"
            "result %0 \"\" scale 3*2^-9223372036854775807 zero -7\n");
  EXPECT_TRUE(*Assemble(text) == module);
}

}  // namespace
}  // namespace tally
