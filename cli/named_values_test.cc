#include "cli/named_values.h"

#include <gtest/gtest.h>

#include "cli/labels.h"

namespace tally::cli {
namespace {

using Values = std::vector<std::optional<std::string>>;

TEST(ValuesByName, StandInTheOrderOfTheNames) {
  EXPECT_EQ(*ValuesByName({"b=2=3", "a=1"}, {"a", "b"}, "--x"), (Values{"1", "2=3"}));
  EXPECT_EQ(*ValuesByName({"b=2"}, {"a", "b", "c"}, "--x"), (Values{std::nullopt, "2", std::nullopt}));
  EXPECT_EQ(*ValuesByName({"2"}, {"a"}, "--x"), (Values{"2"}));
}

TEST(ValuesByName, RefusesOthers) {
  const auto label_of = [](const std::vector<std::string>& options, std::optional<Label> missing = {}) {
    return ErrorLabel(ValuesByName(options, {"a", "b"}, "--x", missing).status());
  };
  EXPECT_EQ(label_of({"2"}), "option_syntax");
  EXPECT_EQ(label_of({"=2"}), "option_syntax");
  EXPECT_EQ(label_of({"a=1", "a=2"}), "input_name");
  EXPECT_EQ(label_of({"c=1"}), "input_name");
  EXPECT_EQ(label_of({"a=1"}, label::samples_shape), "samples_shape");
  EXPECT_EQ(label_of({"a=1"}), "");
}

}  // namespace
}  // namespace tally::cli
