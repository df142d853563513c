#include "cli/output_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

namespace tally::cli {
namespace {

namespace fs = std::filesystem;

TEST(OutputFiles, EveryNameHasAFileOfItsOwn) {
  OutputFiles files("out");
  EXPECT_EQ(files.Add("a", {}), "out/a.npy");
  EXPECT_EQ(files.Add("a", {}), "out/a_1.npy");
  EXPECT_EQ(files.Add("a_1", {}), "out/a_1_1.npy");
  EXPECT_EQ(files.Add("a", {}), "out/a_2.npy");
  EXPECT_EQ(files.Add("../b/\u202e", {}), "out/_._b____.npy");
  EXPECT_EQ(files.Add("", {}), "out/.npy");
  EXPECT_EQ(files.Add(std::string(300, 'n'), {}), "out/" + std::string(128, 'n') + ".npy");
}

// Each name looks for a free number; were it to start over each time, this would not end.
TEST(OutputFiles, NamesThatAllCollideTakeLinearTime) {
  OutputFiles files("out");
  std::set<std::string> paths;
  for (int i = 0; i < 100'000; ++i) paths.insert(files.Add("name/" + std::to_string(i % 2), {}));
  for (int i = 0; i < 100'000; ++i) paths.insert(files.Add("name_0_" + std::to_string(i), {}));
  EXPECT_EQ(paths.size(), 200'000u);
}

TEST(OutputFiles, AppearTogetherOrNotAtAll) {
  const fs::path folder = fs::path(testing::TempDir()) / "output_files_test";
  fs::remove_all(folder);
  OutputFiles files(folder.string());
  files.Add("a", {1});
  files.Add("b", {2, 3});
  ASSERT_TRUE(files.Write().ok());
  EXPECT_EQ(fs::file_size(folder / "a.npy"), 1u);
  EXPECT_EQ(fs::file_size(folder / "b.npy"), 2u);

  OutputFiles blocked(folder.string());
  blocked.Add("a", {1, 2, 3, 4});
  blocked.Add("c", {});
  fs::create_directories(folder / "c.npy");
  EXPECT_FALSE(blocked.Write().ok());
  EXPECT_EQ(fs::file_size(folder / "a.npy"), 1u);  // as it was
  fs::remove_all(folder);
}

}  // namespace
}  // namespace tally::cli
