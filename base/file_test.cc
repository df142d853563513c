#include "base/file.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/error.h"
#include "gtest/gtest.h"

namespace tally {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<uint8_t>;

// An empty folder of its own for each test.
class File : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_))
      names.push_back(entry.path().filename().string());
    return names;
  }
  static Bytes Read(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    return Bytes(std::istreambuf_iterator<char>(stream), {});
  }

 private:
  fs::path folder_;
};

TEST_F(File, WritesAndReplacesWholeFiles) {
  const Bytes large(3'000'000, 0xab), small = {1, 0, 2};
  ASSERT_TRUE(WriteFileAtomically(Path("f"), large).ok());
  EXPECT_EQ(Read(Path("f")), large);
  ASSERT_TRUE(WriteFileAtomically(Path("f"), small).ok());
  EXPECT_EQ(Read(Path("f")), small);
  ASSERT_TRUE(WriteFileAtomically(Path("f"), {}).ok());
  EXPECT_EQ(Read(Path("f")), Bytes());
  EXPECT_EQ(Names(), (std::vector<std::string>{"f"}));
}

// A reader that has the old file open keeps the old bytes: the new ones are another file.
TEST_F(File, LeavesOpenReadersTheOldBytes) {
  ASSERT_TRUE(WriteFileAtomically(Path("f"), Bytes{1, 2, 3}).ok());
  std::ifstream old(Path("f"), std::ios::binary);
  ASSERT_TRUE(WriteFileAtomically(Path("f"), Bytes{4, 5, 6}).ok());
  EXPECT_EQ(Bytes(std::istreambuf_iterator<char>(old), {}), (Bytes{1, 2, 3}));
}

TEST_F(File, GivesNewFilesTheUsersMode) {
  const mode_t before = umask(027);
  ASSERT_TRUE(WriteFileAtomically(Path("f"), Bytes{1}).ok());
  umask(before);
  struct stat info = {};
  ASSERT_EQ(stat(Path("f").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640u);
}

TEST_F(File, FailureLeavesNothingBehind) {
  fs::create_directories(Path("folder"));
  EXPECT_EQ(ErrorLabel(WriteFileAtomically(Path("folder"), Bytes{1})), "file_write");
  EXPECT_EQ(ErrorLabel(WriteFileAtomically(Path("missing/f"), Bytes{1})), "file_write");
  EXPECT_EQ(Names(), (std::vector<std::string>{"folder"}));
}

// A limit on file sizes fails a write half-way, as a full disk does.
TEST_F(File, HalfAWriteLeavesTheOldFile) {
  ASSERT_TRUE(WriteFileAtomically(Path("f"), Bytes{1, 2, 3}).ok());
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small = {1000, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const absl::Status status = WriteFileAtomically(Path("f"), Bytes(2000));
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, ignored);
  EXPECT_EQ(ErrorLabel(status), "file_write");
  EXPECT_EQ(Read(Path("f")), (Bytes{1, 2, 3}));
  EXPECT_EQ(Names(), (std::vector<std::string>{"f"}));
}

}  // namespace
}  // namespace tally
