#include "vm/errors.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

namespace tally {
namespace {

TEST(Errors, LabelsAreUniqueLowerSnakeCase) {
  std::set<std::string_view> labels;
  for (const ErrorInfo& info : AllErrors()) {
    EXPECT_TRUE(labels.insert(info.label).second) << info.label << " appears twice";
    EXPECT_TRUE(info.label.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == std::string_view::npos)
        << info.label;
    EXPECT_FALSE(info.summary.empty()) << info.label;
  }
}

TEST(Errors, EveryLabelIsFoundWithItsStage) {
  for (const ErrorInfo& info : AllErrors()) EXPECT_EQ(FindError(info.label), &info);
  EXPECT_EQ(FindError("bad_magic")->stage, ErrorStage::malformed);
  EXPECT_EQ(FindError("value_range")->stage, ErrorStage::invalid);
  EXPECT_EQ(FindError("gas_limit")->stage, ErrorStage::refused);
}

TEST(Errors, ConstraintsOfOperatorsAreNotInTheList) {
  EXPECT_EQ(FindError("broadcast_add_c1"), nullptr);
  EXPECT_EQ(FindError(""), nullptr);
}

TEST(Errors, StagesHaveTheNamesOfTheVerdicts) {
  EXPECT_EQ(ErrorStageName(ErrorStage::malformed), "malformed");
  EXPECT_EQ(ErrorStageName(ErrorStage::invalid), "invalid");
  EXPECT_EQ(ErrorStageName(ErrorStage::refused), "refused");
}

}  // namespace
}  // namespace tally
