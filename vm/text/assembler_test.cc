#include "vm/text/assembler.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "ops/control/attrs.h"
#include "ops/linear/attrs.h"
#include "vm/limits.h"
#include "vm/module_builder.h"

namespace tally {
namespace {

constexpr char kHeader[] = "tally 1\nprofile core\n";
constexpr char kParam[] = "param %0 \"x\" [3] in [-5, 5]\n";

std::string LabelOf(const std::string& text) { return ErrorLabel(Assemble(text).status()); }

TEST(Assembler, ReadsEveryKindOfStatement) {
  const auto module = Assemble(R"(
    ; a comment, and lines without a statement

    tally 1
    profile core
    param %0 "image" [1,2,4,4] in [-8, 7] scale 3*2^-4 zero -1   ; comments end a line
    %1 = constant i8 [2,1,3,3] {
       1, 2, 3,  4, 5, 6,  7, 8, 9,   ; lines may break between brackets
      -1, -2, -3,  -4, -5, -6,  -7, -8, -9}
    %2 = conv2d %0, %1 {groups = 2, stride = [1, 1], padding = [1, 1], dilation = [1, 1]}
    %3 = constant i16 [2] hex { 0a00
       2c 01 }
    %4 = constant {index = 0}
    result %2 "say \"hi\" \\ é" scale 1*2^3 zero 0
    result %3 "c")");
  ASSERT_TRUE(module.ok()) << module.status();

  ModuleBuilder b(Profile::kCore);
  const Quantization scale = {.zero_point = -1, .multiplier = 3, .shift = 4};
  const ValueId x = b.Param("image", {*Shape::Create({1, 2, 4, 4}), {-8, 7}}, scale);
  const std::vector<int64_t> taps = {1, 2, 3, 4, 5, 6, 7, 8, 9, -1, -2, -3, -4, -5, -6, -7, -8, -9};
  const ValueId w = b.Constant(*Tensor::FromValues(*Shape::Create({2, 1, 3, 3}), taps));
  const ValueId y = b.Op(Opcode::kConv2d, {x, w}, Conv2dAttrs{.padding = {1, 1}, .groups = 2});
  const ValueId c = b.Constant(*Tensor::FromValues(*Shape::Create({2}), {10, 300}));
  b.Emit(Opcode::kConstant, {}, {{0}});
  b.Result("say \"hi\" \\ \xc3\xa9", y, Quantization{.zero_point = 0, .multiplier = 1, .shift = -3});
  b.Result("c", c);
  EXPECT_TRUE(*module == std::move(b).Build());
}

TEST(Assembler, ErrorsSayWhere) {
  const absl::Status status =
      Assemble("tally 1\nprofile core\nparam %0 \"x\" [3] in [-5, 5]\n%1 = nothing %0\n").status();
  EXPECT_EQ(ErrorLabel(status), "text_operator");
  EXPECT_EQ(status.message().substr(0, 5), "4:6: ");
}

TEST(Assembler, ModulesNeedAHeaderOnly) {
  const auto module = Assemble("tally 4294967295\nprofile cvm");
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->spec_version, 4294967295u);
  EXPECT_EQ(module->profile, Profile::kCvm);
  EXPECT_EQ(module->functions.size(), 1u);
}

TEST(Assembler, FunctionsFollowTheEntry) {
  const auto module = Assemble(R"(tally 1
    profile core
    param %0 "x" [2] in [-5, 5]
    %1, %2 = call %0 {function = 1}  ; it is written below
    result %2 "y"
    function 1
    param %0 [2] in [-5, 5]
    %1 = constant i8 [2] {1, 2}
    %2 = broadcast_add %0, %1
    result %2
    result %0)");
  ASSERT_TRUE(module.ok()) << module.status();
  ModuleBuilder b(Profile::kCore);
  const TensorType type = {*Shape::Create({2}), {-5, 5}};
  const std::vector<ValueId> p = b.BeginFunction({type});
  const ValueId c = b.Constant(*Tensor::FromValues(*Shape::Create({2}), {1, 2}));
  const CallAttrs attrs = {.function = b.EndFunction({b.Op(Opcode::kBroadcastAdd, {p[0], c}), p[0]})};
  b.Result("y", b.Op(Opcode::kCall, {b.Param("x", type)}, attrs) + 1);
  EXPECT_TRUE(*module == std::move(b).Build());
}

// One text for each way to be refused; `body` follows a header and a parameter %0.
TEST(Assembler, RefusesByLabel) {
  const std::vector<std::pair<std::string, std::string>> bodies = {
      {"text_character", "%1 = relu %0 #\n"},
      {"text_character", "%x = flatten %0\n"},
      {"text_character", "result %0 - \"y\"\n"},
      {"text_string", "result %0 \"y\n\"\n"},
      {"text_string", "result %0 \"y"},
      {"text_string", "result %0 \"\\n\"\n"},
      {"text_string", "result %0 \"\\u{d800}\"\n"},
      {"text_string", "result %0 \"\\u{20\"}\n"},
      {"text_name", "result %0 \"\\u{1b}[2J\"\n"},
      {"text_syntax", "7\n"},
      {"text_syntax", "tally 1\n"},
      {"text_syntax", "result 0 \"y\"\n"},
      {"text_syntax", "result %0 y\n"},
      {"text_syntax", "result %0 \"y\" result %0 \"z\"\n"},
      {"text_syntax", "%1 flatten %0\n"},
      {"text_syntax", "%1 = flatten %0,\n"},
      {"text_operand_count", "%1 = flatten\n%0\n"},
      {"text_operand_count", "%1 = broadcast_add %0 %0\n"},
      {"text_syntax", "%1 = transpose %0 {axes = 0}\n"},
      {"text_syntax", "%1 = transpose %0 {axes = [0,]}\n"},
      {"text_syntax", "%1 = transpose %0 {axes = [0}\n"},
      {"text_syntax", "%1 = transpose %0 {axes = [0]\n"},
      {"text_syntax", "data i8 [1] 5, 6\n"},
      {"text_syntax", "data i8 [1] hex 0506, 0708\n"},
      {"text_number", "result %0 \"y\" scale 1*3^4 zero 0\n"},
      {"text_syntax", "result %0 \"y\" scale 1*2^4\n"},
      {"text_order", "%1 = flatten %0\nparam %2 \"z\" [3] in [0, 1]\n"},
      {"text_order", "result %0 \"y\"\n%1 = flatten %0\n"},
      {"text_order", "result %0 \"y\"\nparam %1 \"z\" [3] in [0, 1]\n"},
      {"text_number", "param %1 \"z\" [3] in [0, 9223372036854775808]\n"},
      {"text_number", "result %4294967296 \"y\"\n"},
      {"text_number", "result %99999999999999999999 \"y\"\n"},
      {"text_number", "data i8 [1] {128}\n"},
      {"text_number", "data i64 [1] {-9223372036854775809}\n"},
      {"text_number", "result %0 \"y\" scale 1*2^9223372036854775809 zero 0\n"},
      {"text_number", "result %0 \"y\" scale 1*2^-9223372036854775808 zero 0\n"},
      {"text_limit", "data i8 [1,1,1,1,1,1,1,1,1] {1}\n"},
      {"text_name", "result %0 \"\xff\"\n"},
      {"text_name", "result %0 \"\t\"\n"},
      {"text_name", "result %0 \"" + std::string(257, 'a') + "\"\n"},
      {"text_shape", "data i8 [0] {}\n"},
      {"text_shape", "data i8 [2147483648] {1}\n"},
      {"text_shape", "data i8 [2147483647,2147483647] {1}\n"},
      {"text_storage", "data u8 [1] {1}\n"},
      {"text_hex", "data i8 [2] hex {0 102}\n"},
      {"text_hex", "data i8 [2] hex {010G}\n"},
      {"text_hex", "data i8 [2] hex {0102;}\n"},
      {"text_hex", "data i8 [2] hex {01FF}\n"},
      {"text_hex", "data i8 [2] hex {0102"},
      {"text_recipe", "data i8 [2] recipe erfc {}\n"},
      {"text_syntax", "data i8 [2] recipe erf {beta = [0, 1]}\n"},
      {"text_recipe",
       "data i8 [2] recipe erf {alpha = [0, 1], beta = [0, 1], in = [1, 0], out = [1, 2], zero = [3, 0], "
       "first = 0, clamp = [0, 100]} \"90347d\"\n"},
      {"text_element_count", "data i8 [2] {1}\n"},
      {"text_element_count", "data i8 [2] {1, 2, 3}\n"},
      {"text_element_count", "data i8 [2] {1}"},
      {"text_element_count", "data i8 [2] hex {01 }\n"},
      {"text_element_count", "data i8 [2] hex {010203}\n"},
      // 2^39 bytes, of which nothing is allocated.
      {"text_element_count", "data i64 [65536,1048576] {1}\n"},
      {"text_value_id", "%2 = flatten %0\n"},
      {"text_value_id", "function 2\n"},
      {"text_syntax", "function %1\n"},
      {"text_syntax", "function 1\nparam %0 \"x\" [3] in [0, 1]\n"},
      {"text_syntax", "function 1\nresult %0 \"y\"\n"},
      {"text_order", "function 1\nresult %0\nparam %0 [3] in [0, 1]\n"},
      {"text_result_count",
       "%1, %2 = call %0 {function = 1}\nfunction 1\nparam %0 [3] in [0, 1]\nresult %0\n"},
      {"text_result_count", "%1, %2 = call %0 {function = 7}\n"},
      {"text_value_id", "param %0 \"z\" [3] in [0, 1]\n"},
      {"text_value_id", "%1, %3 = flatten %0\n"},
      {"text_operator", "%1 = no_such_operator %0\n"},
      {"text_result_count", "%1, %2 = flatten %0\n"},
      {"text_operand_count", "%1 = flatten\n"},
      {"text_operand_count", "%1 = flatten %0, %0\n"},
      {"text_attribute", "%1 = transpose %0 {axis = [0]}\n"},
      {"text_attribute", "%1 = flatten %0 {axis = 0}\n"},
      {"text_attribute_repeated", "%1 = transpose %0 {axes = [0], axes = [0]}\n"},
      {"text_attribute_missing", "%1 = transpose %0\n"},
      {"text_attribute_missing", "%1 = transpose %0 {}\n"},
      {"text_attribute_missing", "%1 = constant\n"},
      {"text_attribute_value", "%1 = matmul %0, %0 {transpose_a = yes, transpose_b = false}\n"},
  };
  for (const auto& [label, body] : bodies) {
    EXPECT_EQ(LabelOf(absl::StrCat(kHeader, kParam, body)), label) << body;
  }
  EXPECT_EQ(LabelOf("tally 1\nprofile evm\n"), "text_profile");
  EXPECT_EQ(LabelOf("tally 4294967296\nprofile cvm\n"), "text_number");
  EXPECT_EQ(LabelOf("tally 1 profile cvm\n"), "text_syntax");
  EXPECT_EQ(LabelOf("profile cvm\n"), "text_syntax");
  EXPECT_EQ(LabelOf(""), "text_syntax");
}

// As many as fit are accepted, one more is not.
TEST(Assembler, CountsHaveLimits) {
  const auto repeat = [](int64_t count, auto line) {
    std::string text = kHeader;
    for (int64_t i = 0; i < count; ++i) text += line(std::to_string(i));
    return text;
  };
  const auto param = [](const std::string& i) { return "param %" + i + " \"\" [] in [0, 0]\n"; };
  EXPECT_EQ(LabelOf(repeat(kMaxParams, param)), "");
  EXPECT_EQ(LabelOf(repeat(kMaxParams + 1, param)), "text_limit");
  const auto result = [](const std::string&) { return "result %0 \"\"\n"; };
  EXPECT_EQ(LabelOf(repeat(kMaxResults, result)), "");
  EXPECT_EQ(LabelOf(repeat(kMaxResults + 1, result)), "text_limit");
  const auto instruction = [](const std::string& i) { return "%" + i + " = flatten %0\n"; };
  EXPECT_EQ(LabelOf(repeat(kMaxInstructions, instruction)), "");
  EXPECT_EQ(LabelOf(repeat(kMaxInstructions + 1, instruction)), "text_limit");
  const auto function = [](const std::string& i) { return i == "0" ? "" : "function " + i + "\n"; };
  EXPECT_EQ(LabelOf(repeat(kMaxFunctions, function)), "");
  EXPECT_EQ(LabelOf(repeat(kMaxFunctions + 1, function)), "text_limit");
  const auto data = [](const std::string&) { return "data i8 [] {0}\n"; };
  EXPECT_EQ(LabelOf(repeat(kMaxConstants, data)), "");
  EXPECT_EQ(LabelOf(repeat(kMaxConstants + 1, data)), "text_limit");

  const auto list = [](const std::string& separator, const std::string& item, int64_t count) {
    std::string text = item;
    for (int64_t i = 1; i < count; ++i) text += separator + item;
    return text;
  };
  const auto concatenate = [&](int64_t n) {
    return kHeader + ("%0 = concatenate " + list(", ", "%0", n)) + " {axis = 0}";
  };
  EXPECT_EQ(LabelOf(concatenate(kMaxOperands)), "");
  EXPECT_EQ(LabelOf(concatenate(kMaxOperands + 1)), "text_limit");
  const auto transpose = [&](int64_t n) {
    return kHeader + ("%0 = transpose %0 {axes = [" + list(",", "1", n)) + "]}";
  };
  EXPECT_EQ(LabelOf(transpose(kMaxAttributeList)), "");
  EXPECT_EQ(LabelOf(transpose(kMaxAttributeList + 1)), "text_limit");
}

// Brackets nest in no statement, so any number of them is an error at the second, not a stack of calls.
TEST(Assembler, DeepNestingIsASyntaxError) {
  EXPECT_EQ(LabelOf(absl::StrCat(kHeader, "data i8 ", std::string(1'000'000, '['))), "text_syntax");
  EXPECT_EQ(LabelOf(std::string(1'000'000, '}')), "text_syntax");
}

}  // namespace
}  // namespace tally
