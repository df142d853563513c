#include "cli/line_diff.h"

#include <gtest/gtest.h>

namespace tally::cli {
namespace {

using Lines = std::vector<std::string>;

std::string Diff(const Lines& a, const Lines& b) {
  std::string text;
  for (const DiffLine& line : DiffLines(a, b)) text += line.mark + line.text;
  return text;
}

TEST(DiffLines, KeepsWhatIsCommon) {
  EXPECT_EQ(Diff({}, {}), "");
  EXPECT_EQ(Diff({"a", "b"}, {"a", "b"}), " a b");
  EXPECT_EQ(Diff({"a"}, {}), "-a");
  EXPECT_EQ(Diff({}, {"a"}), "+a");
  EXPECT_EQ(Diff({"a", "b", "c"}, {"a", "x", "c"}), " a-b+x c");
  EXPECT_EQ(Diff({"a", "a"}, {"a"}), " a-a");
  EXPECT_EQ(Diff({"a", "b", "c", "d"}, {"b", "d", "e"}), "-a b-c d+e");
  EXPECT_EQ(Diff({"x", "a", "b", "y"}, {"b", "a"}), "-x-a b-y+a");
}

TEST(DiffLines, LongListsAreTakenAsDifferent) {
  Lines a(5000, "a"), b(5000, "b");
  a[10] = b[20] = "common";
  const auto lines = DiffLines(a, b);
  ASSERT_EQ(lines.size(), 10000u);
  EXPECT_EQ(lines[4999].mark, '-');
  EXPECT_EQ(lines[5000].mark, '+');
}

}  // namespace
}  // namespace tally::cli
