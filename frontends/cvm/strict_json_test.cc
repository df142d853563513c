#include "frontends/cvm/strict_json.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace tally::cvm {
namespace {

std::string LabelOf(std::string_view text) { return ErrorLabel(ParseStrictJson(text).status()); }

TEST(ParseStrictJson, BuildsTheTree) {
  const auto tree = ParseStrictJson(R"( {"a": [1, -2, {"b": null}], "c": true, "d": "\u00e9", "e": {}} )");
  ASSERT_TRUE(tree.ok()) << tree.status();
  EXPECT_EQ(*tree, Json::parse(R"({"a": [1, -2, {"b": null}], "c": true, "d": "é", "e": {}})"));
  EXPECT_EQ(*ParseStrictJson("9223372036854775807"), Json(9223372036854775807));
  EXPECT_EQ(*ParseStrictJson("-9223372036854775808"), Json(std::numeric_limits<int64_t>::min()));
}

TEST(ParseStrictJson, KeysStandOnceInTheirObject) {
  EXPECT_EQ(LabelOf(R"({"a": 1, "b": 2, "a": 1})"), "cvm_json");
  EXPECT_EQ(LabelOf(R"({"a": {"x": 1, "x": 1}})"), "cvm_json");
  EXPECT_EQ(LabelOf(R"({"a": {"a": 1}, "b": [{"a": 1}, {"a": 1}]})"), "");
}

TEST(ParseStrictJson, NumbersAreIntegersOf64Bits) {
  for (const char* text : {"1.0", "1e3", "-0.5", "9223372036854775808", "18446744073709551616",
                           "-9223372036854775809", "123456789012345678901234567890"}) {
    EXPECT_EQ(LabelOf(text), "cvm_json") << text;
  }
}

TEST(ParseStrictJson, RefusesWhatIsNoJson) {
  for (const char* text :
       {"", "{", "[1,]", "{} {}", "nul", "// c\n1", "{'a': 1}", "\"\xff\"", "[1] x", "\"a\nb\""}) {
    EXPECT_EQ(LabelOf(text), "cvm_json") << text;
  }
}

TEST(ParseStrictJson, BoundsDepthAndSize) {
  EXPECT_EQ(LabelOf(std::string(kMaxJsonDepth, '[') + std::string(kMaxJsonDepth, ']')), "");
  EXPECT_EQ(LabelOf(std::string(kMaxJsonDepth + 1, '[') + std::string(kMaxJsonDepth + 1, ']')), "cvm_json");
  EXPECT_EQ(LabelOf(std::string(1 << 20, '[')), "cvm_json");
  EXPECT_EQ(LabelOf("1" + std::string(kMaxJsonBytes - 1, ' ')), "");
  EXPECT_EQ(LabelOf("1" + std::string(kMaxJsonBytes, ' ')), "cvm_json");
}

}  // namespace
}  // namespace tally::cvm
