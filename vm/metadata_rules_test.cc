#include "vm/metadata_rules.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "vm/limits.h"
#include "vm/module_builder.h"

namespace tally {
namespace {

// y = a + b
Module AddModule() {
  ModuleBuilder b(Profile::kCore);
  const ValueId x = b.Param("a", {Shape(), {0, 1}});
  const ValueId y = b.Param("b", {Shape(), {0, 1}});
  b.Result("y", b.Op(Opcode::kBroadcastAdd, {x, y}));
  return std::move(b).Build();
}

std::string LabelWithName(const std::string& name) {
  Module module = AddModule();
  module.metadata.params[1].name = name;
  return ErrorLabel(CheckMetadata(module));
}

std::string LabelWithScale(const Quantization& scale) {
  Module module = AddModule();
  module.metadata.results[0].quantization = scale;
  return ErrorLabel(CheckMetadata(module));
}

TEST(MetadataRules, AcceptsTheDefaultNames) {
  Module module = AddModule();
  EXPECT_TRUE(CheckMetadata(module).ok());
  module.metadata = DefaultMetadata(module.entry());
  EXPECT_TRUE(CheckMetadata(module).ok());
}

TEST(MetadataRules, DescribesEveryParameterAndResultOnce) {
  Module module = AddModule();
  module.metadata.params.pop_back();
  EXPECT_EQ(ErrorLabel(CheckMetadata(module)), "metadata_count");
  module = AddModule();
  module.metadata.results.push_back({"z", {}});
  EXPECT_EQ(ErrorLabel(CheckMetadata(module)), "metadata_count");
}

TEST(MetadataRules, NamesAreOneTo256BytesAndUniqueOnEachSide) {
  EXPECT_EQ(LabelWithName(""), "metadata_name");
  EXPECT_EQ(LabelWithName("a"), "metadata_name");
  EXPECT_EQ(LabelWithName("y"), "") << "a parameter and a result may share a name";
  EXPECT_EQ(LabelWithName(std::string(kMaxNameBytes, 'n')), "");
  EXPECT_EQ(LabelWithName(std::string(kMaxNameBytes + 1, 'n')), "metadata_name");
  EXPECT_EQ(LabelWithName("tab\t"), "metadata_name");
}

TEST(MetadataRules, ScalesHaveOneSpelling) {
  constexpr int64_t kLargest = (int64_t{1} << 53) - 1;
  EXPECT_EQ(LabelWithScale({.zero_point = -3, .multiplier = 1, .shift = 7}), "");
  EXPECT_EQ(LabelWithScale({.multiplier = kLargest, .shift = -1074}), "");
  EXPECT_EQ(LabelWithScale({.multiplier = kLargest + 2}), "metadata_quantization");
  EXPECT_EQ(LabelWithScale({.multiplier = 0}), "metadata_quantization");
  EXPECT_EQ(LabelWithScale({.multiplier = -1}), "metadata_quantization");
  EXPECT_EQ(LabelWithScale({.multiplier = 2}), "metadata_quantization") << "even: 2 is 1 with another shift";
  EXPECT_EQ(LabelWithScale({.shift = 1074}), "");
  EXPECT_EQ(LabelWithScale({.shift = 1075}), "metadata_quantization");
  EXPECT_EQ(LabelWithScale({.shift = -1075}), "metadata_quantization");
  EXPECT_EQ(LabelWithScale({.zero_point = (int64_t{1} << 47) - 1}), "");
  EXPECT_EQ(LabelWithScale({.zero_point = int64_t{1} << 47}), "metadata_quantization");
}

TEST(IsPrintableUtf8, AcceptsTextOfEveryLength) {
  EXPECT_TRUE(IsPrintableUtf8(""));
  EXPECT_TRUE(IsPrintableUtf8("layer1/conv 2 \"q\" \\"));
  EXPECT_TRUE(IsPrintableUtf8("\u00e9\u4e2d\U0001f600"));  // 2, 3 and 4 bytes
  // The first and the last code point of each length.
  EXPECT_TRUE(IsPrintableUtf8("\xc2\xa0\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"));
}

TEST(IsPrintableUtf8, RefusesControlCharacters) {
  for (const char* text : {"\x01", "\x1f", "a\n", "\x7f", "\xc2\x80", "\xc2\x9f"}) {
    EXPECT_FALSE(IsPrintableUtf8(text)) << text;
  }
  EXPECT_FALSE(IsPrintableUtf8(std::string_view("\0", 1)));
}

TEST(IsPrintableUtf8, RefusesWhatIsNotUtf8) {
  for (const char* text : {
           "\x80", "\xbf",                                              // continuation without a lead
           "\xc3", "\xe4\xb8", "\xf0\x9f\x98",                          // the end is missing
           "\xc3(", "\xe4(\xad", "\xf0\x9f(\x80",                       // a continuation is something else
           "\xc0\xaf", "\xc1\xbf", "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf",  // longer than necessary
           "\xed\xa0\x80", "\xed\xbf\xbf",                              // surrogates
           "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\xff",          // beyond U+10FFFF
       }) {
    EXPECT_FALSE(IsPrintableUtf8(text)) << text;
  }
}

}  // namespace
}  // namespace tally
