#include "cli/preparation.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tally::cli {
namespace {

Preparation All() {
  Preparation all;
  all.layout = "nhwc";
  all.resize = 256;
  all.fit = "pad";
  all.channels = "bgr";
  all.rate = 16000;
  all.hop = 160;
  all.full_scale = 32768;
  return all;
}

TEST(Preparation, ComesBackFromJson) {
  EXPECT_EQ(PreparationFromJson(ToJson(All())), All());
  EXPECT_EQ(PreparationFromJson(Json::object()), Preparation());
  ForEachField([](const char* name, auto member, const auto&, const char*) {
    Preparation one;
    one.*member = All().*member;
    EXPECT_EQ(ToJson(one).size(), 1u) << name;
    EXPECT_EQ(PreparationFromJson(ToJson(one)), one) << name;
  });
}

TEST(Preparation, RefusesWhatNoOptionTakes) {
  for (const char* json :
       {"[]", "7", R"({"layout": "hwc"})", R"({"layout": 1})", R"({"resize": 0})", R"({"resize": 65536})",
        R"({"resize": 1.5})", R"({"resize": "256"})", R"({"rate": -1})", R"({"full-scale": 0})",
        R"({"full-scale": 1e300})", R"({"hop": 18446744073709551615})", R"({"size": 3})"}) {
    EXPECT_EQ(PreparationFromJson(Json::parse(json)), std::nullopt) << json;
  }
}

TEST(Preparation, TakesWhatIsNotGiven) {
  Preparation given;
  given.channels = "rgb";
  const auto [prepared, text] = Prepared(given, All());
  EXPECT_EQ(prepared.rate, 16000);
  EXPECT_EQ(prepared.fit, "pad");
  EXPECT_EQ(prepared.channels, "rgb");
  EXPECT_NE(text.find("rate 16000"), std::string::npos) << text;
  EXPECT_NE(text.find("not channels bgr, with which it was quantized"), std::string::npos) << text;
}

// Either brings images to a size.
TEST(Preparation, ASizeThatIsGivenReplacesBoth) {
  Preparation given, kept;
  given.fit = "cover";
  kept.resize = 256;
  EXPECT_EQ(Prepared(given, kept).first, given);
  EXPECT_EQ(Prepared(kept, given).first, kept);
}

TEST(Preparation, SaysNothingWhereNothingWasKept) {
  EXPECT_EQ(Prepared(All(), Preparation()).second, "");
  EXPECT_EQ(Prepared(All(), All()).second, "");
  EXPECT_EQ(Prepared(ServedInputOptions(), ServedInputOptions()).second, "");
}

TEST(Preparation, TakesGridsOfInputs) {
  const ServedInputOptions kept = {{"x=1/255,0,0,255"}, {"x=0.5"}, {}};
  const auto [prepared, text] = Prepared({{}, {"x=0.25"}, {}}, kept);
  EXPECT_EQ(prepared.grids, kept.grids);
  EXPECT_EQ(prepared.means, (std::vector<std::string>{"x=0.25"}));
  EXPECT_EQ(
      text,
      "input-grid x=1/255,0,0,255, as the module was quantized; not mean x=0.5, with which it was quantized");
}

}  // namespace
}  // namespace tally::cli
