#include "frontends/cvm/attribute_text.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace tally::cvm {
namespace {

using Ints = std::vector<int64_t>;

TEST(ParseInt, TakesDecimalsOf32Bits) {
  EXPECT_EQ(*ParseInt("12"), 12);
  EXPECT_EQ(*ParseInt(" -1 "), -1);
  EXPECT_EQ(*ParseInt("+7"), 7);
  EXPECT_EQ(*ParseInt("2147483647"), 2147483647);
  EXPECT_EQ(*ParseInt("-2147483648"), -2147483648);
  for (const char* text : {"", " ", "+", "-", "+-1", "--1", "1 2", "0x10", "1.0", "1e2", "2147483648",
                           "-2147483649", "99999999999999999999", "3L", "None", "(1)"}) {
    EXPECT_EQ(ErrorLabel(ParseInt(text).status()), "cvm_attribute") << text;
  }
}

TEST(ParseBool, TakesWordsInAnyCaseAndBits) {
  for (const char* text : {"true", "True", "TRUE", " true", "1"}) EXPECT_TRUE(*ParseBool(text)) << text;
  for (const char* text : {"false", "False", "fAlSe", "0 "}) EXPECT_FALSE(*ParseBool(text)) << text;
  for (const char* text : {"", "yes", "2", "01", "None"}) {
    EXPECT_EQ(ErrorLabel(ParseBool(text).status()), "cvm_attribute") << text;
  }
}

TEST(ParseTuple, TakesEverySpelling) {
  EXPECT_EQ(*ParseTuple("(3, 3)"), (Ints{3, 3}));
  EXPECT_EQ(*ParseTuple("[3,-3]"), (Ints{3, -3}));
  EXPECT_EQ(*ParseTuple(" ( 1 ,2, 3 ) "), (Ints{1, 2, 3}));
  EXPECT_EQ(*ParseTuple("(3,)"), (Ints{3}));
  EXPECT_EQ(*ParseTuple("[3]"), (Ints{3}));
  EXPECT_EQ(*ParseTuple("3"), (Ints{3}));
  EXPECT_EQ(*ParseTuple("()"), Ints());
  EXPECT_EQ(*ParseTuple("[ ]"), Ints());
}

TEST(ParseTuple, RefusesEverythingElse) {
  for (const char* text : {"", "(", ")", "(1", "1)", "(1]", "[1)", "(,)", "(,1)", "(1,,2)", "(1,,)", "(1 2)",
                           "1, 2", "((1, 2))", "(1, x)", "(None,)", "None", "(1.0, 2)", "(1, 2147483648)"}) {
    EXPECT_EQ(ErrorLabel(ParseTuple(text).status()), "cvm_attribute") << text;
  }
}

TEST(ParseTuple, BoundsTheLength) {
  const auto ones = [](int n) {
    std::string text = "(";
    for (int i = 0; i < n; ++i) text += "1,";
    return text + ")";
  };
  EXPECT_EQ(ParseTuple(ones(4096))->size(), 4096);
  EXPECT_EQ(ErrorLabel(ParseTuple(ones(4097)).status()), "cvm_attribute");
}

TEST(ParseOptionalInt, IsANumberOrNone) {
  EXPECT_EQ(*ParseOptionalInt("None"), Ints());
  EXPECT_EQ(*ParseOptionalInt("-1"), Ints{-1});
  EXPECT_EQ(ErrorLabel(ParseOptionalInt("(1,)").status()), "cvm_attribute");
}

TEST(Print, IsWhatParsesBack) {
  EXPECT_EQ(PrintTuple({3, 3}), "(3, 3)");
  EXPECT_EQ(PrintTuple({-1}), "(-1,)");
  EXPECT_EQ(PrintTuple({}), "()");
  EXPECT_EQ(PrintOptionalInt({2}), "2");
  EXPECT_EQ(PrintOptionalInt({}), "None");
  EXPECT_EQ(PrintBool(true), "True");
  EXPECT_EQ(PrintBool(false), "False");
}

}  // namespace
}  // namespace tally::cvm
