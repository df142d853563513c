#include "cli/networks/input_grid.h"

#include <gtest/gtest.h>

#include <numeric>

#include "base/error.h"

namespace tally::cli {
namespace {

// "numerator/denominator", or nothing where it is refused.
std::string Parsed(const std::string& text) {
  const auto x = ParseRational(text);
  return x ? std::to_string(x->numerator) + "/" + std::to_string(x->denominator) : "";
}

TEST(ParseRational, IsExactAndReduced) {
  EXPECT_EQ(Parsed("0.485"), "97/200");
  EXPECT_EQ(Parsed("1/255"), "1/255");
  EXPECT_EQ(Parsed("2/254"), "1/127");
  EXPECT_EQ(Parsed("0.0078125"), "1/128");
  EXPECT_EQ(Parsed("-2.50e-3"), "-1/400");
  EXPECT_EQ(Parsed("1e3"), "1000/1");
  EXPECT_EQ(Parsed("0.5/-0.125"), "-4/1");
  EXPECT_EQ(Parsed("0"), "0/1");
  EXPECT_EQ(Parsed(".5"), "1/2");
}

TEST(ParseRational, RefusesOtherText) {
  for (const char* text : {"",
                           "a",
                           "1/0",
                           "1/",
                           "/2",
                           "1//2",
                           "1/2/3",
                           "0x10",
                           "inf",
                           "nan",
                           "1e",
                           "1e5000",
                           "9223372036854775808",
                           "1e19",
                           "1e-19",
                           "1.2.3",
                           "1 2",
                           "--1",
                           ".",
                           "e3",
                           "-"}) {
    EXPECT_EQ(Parsed(text), "") << text;
  }
}

TEST(ParseInputMeanings, GridsWithMeansAndStds) {
  const auto meanings = ParseInputMeanings({{"b=1/255,2,-3,255"}, {"b=0.485,1/2"}, {"b=2"}}, {"a", "b"});
  ASSERT_TRUE(meanings.ok()) << meanings.status();
  ASSERT_EQ(meanings->size(), 1u);
  const quant::InputMeaning& b = meanings->front();
  EXPECT_EQ(b.name, "b");
  EXPECT_EQ(b.scale.denominator, 255);
  EXPECT_EQ(b.zero_point, 2);
  EXPECT_EQ(b.interval, (Interval{-3, 255}));
  ASSERT_EQ(b.mean.size(), 2u);
  EXPECT_EQ(b.mean[0].denominator, 200);
  ASSERT_EQ(b.std.size(), 1u);
  EXPECT_EQ(b.std[0].numerator, 2);
}

TEST(ParseInputMeanings, RefusesOtherForms) {
  const auto label_of = [](const ServedInputOptions& options) {
    return ErrorLabel(ParseInputMeanings(options, {"a"}).status());
  };
  EXPECT_EQ(label_of({{"1/16,0,0,16"}, {}, {}}), "");
  EXPECT_EQ(label_of({{"1/16,0,0"}, {}, {}}), "option_syntax");
  EXPECT_EQ(label_of({{"x,0,0,16"}, {}, {}}), "option_syntax");
  EXPECT_EQ(label_of({{"1,0,0,16"}, {"1,,2"}, {}}), "option_syntax");
  EXPECT_EQ(label_of({{}, {"a=1"}, {}}), "option_syntax");
  EXPECT_EQ(label_of({{}, {}, {"a=1"}}), "option_syntax");
  EXPECT_EQ(label_of({{"b=1/16,0,0,16"}, {}, {}}), "input_name");
}

}  // namespace
}  // namespace tally::cli
