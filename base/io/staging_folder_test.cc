#include "base/io/staging_folder.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

namespace tally::internal {
namespace {

namespace fs = std::filesystem;

const std::vector<uint8_t> kBytes = {1, 2, 3};

// An empty folder of its own for each test.
class Staging : public testing::Test {
 protected:
  void SetUp() override {
    parent_ = fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(parent_);
    fs::create_directories(parent_);
  }
  void TearDown() override { fs::remove_all(parent_); }

  // Without a lock, as a killed process leaves it.
  fs::path MakeStale(const std::string& name) const {
    fs::create_directories(parent_ / name);
    std::ofstream(parent_ / name / "0") << "half";
    return parent_ / name;
  }

  fs::path parent_;
};

TEST_F(Staging, FilesMoveOutAndTheRestGoes) {
  {
    auto staging = StagingFolder::Create(parent_.string());
    ASSERT_TRUE(staging.ok()) << staging.status();
    EXPECT_TRUE(staging->Write("0", kBytes));
    EXPECT_TRUE(staging->Write("1", kBytes));
    EXPECT_FALSE(staging->Write("1", kBytes));  // never over what is there
    EXPECT_TRUE(staging->Move("0", (parent_ / "f").string()));
    EXPECT_EQ(fs::file_size(parent_ / "f"), 3u);
    EXPECT_TRUE(fs::exists(staging->path()));
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(parent_), {}), 1);
}

TEST_F(Staging, RemovesWhatNoProcessHolds) {
  const auto living = StagingFolder::Create(parent_.string());
  ASSERT_TRUE(living.ok()) << living.status();
  EXPECT_TRUE(living->Write("0", kBytes));
  const fs::path stale = MakeStale(".tally-tmp-0123456789abcdef");
  RemoveStaleStaging(parent_.string());
  EXPECT_FALSE(fs::exists(stale));
  EXPECT_TRUE(fs::exists(fs::path(living->path()) / "0"));
}

TEST_F(Staging, LeavesWhatIsNotItsOwn) {
  const fs::path others[] = {MakeStale("folder"), MakeStale(".tally-tmp-0123456789abcde"),
                             MakeStale(".tally-tmp-0123456789abcdeF"),
                             MakeStale(".tally-tmp-0123456789abcdef0")};
#if !defined(_WIN32)
  fs::create_symlink("folder", parent_ / ".tally-tmp-0000000000000000");
#endif
  std::ofstream(parent_ / ".tally-tmp-1111111111111111") << "a file";
  fs::create_directories(parent_ / ".tally-tmp-2222222222222222" / "folder");
  RemoveStaleStaging(parent_.string());
  for (const fs::path& other : others) EXPECT_TRUE(fs::exists(other / "0")) << other;
#if !defined(_WIN32)
  EXPECT_TRUE(fs::is_symlink(parent_ / ".tally-tmp-0000000000000000"));
#endif
  EXPECT_TRUE(fs::exists(parent_ / ".tally-tmp-1111111111111111"));
  EXPECT_TRUE(fs::exists(parent_ / ".tally-tmp-2222222222222222" / "folder"));
}

// On Windows a file without rights for anybody could not be removed again.
TEST_F(Staging, AFileOfItsOwnerAloneMovesAndGoesAsOthersDo) {
  {
    auto staging = StagingFolder::Create(parent_.string());
    ASSERT_TRUE(staging.ok()) << staging.status();
    EXPECT_TRUE(staging->Write("0", kBytes, true));
    EXPECT_TRUE(staging->Write("1", kBytes, true));
    EXPECT_TRUE(staging->MoveToFree("0", (parent_ / "f").string()));
    EXPECT_FALSE(staging->MoveToFree("1", (parent_ / "f").string()));
    EXPECT_EQ(errno, EEXIST);
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(parent_), {}), 1);
  std::ifstream file(parent_ / "f");
  EXPECT_EQ(file.get(), 1);
#if !defined(_WIN32)
  EXPECT_EQ(fs::status(parent_ / "f").permissions(), fs::perms::owner_read | fs::perms::owner_write);
#endif
}

TEST_F(Staging, AMissingParentIsAnError) {
  EXPECT_FALSE(StagingFolder::Create((parent_ / "missing").string()).ok());
  RemoveStaleStaging((parent_ / "missing").string());
}

}  // namespace
}  // namespace tally::internal
