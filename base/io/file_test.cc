#include "base/io/file.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
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
  void TearDown() override {
    fs::remove_all(folder_);
    if (terminal_ >= 0) close(terminal_);
  }

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

  // Paths of what is no regular file, each with the end of the message. The device is a terminal of the
  // test's own: a fault must not replace one of the machine's.
  std::vector<std::pair<std::string, std::string>> Others() {
    terminal_ = posix_openpt(O_RDWR | O_NOCTTY);
    EXPECT_EQ(unlockpt(terminal_), 0);
    const std::string terminal = ptsname(terminal_);
    fs::create_directories(Path("folder"));
    EXPECT_EQ(mkfifo(Path("fifo").c_str(), 0600), 0);
    fs::create_symlink("fifo", Path("link_to_fifo"));
    fs::create_symlink("folder", Path("link_to_folder"));
    fs::create_symlink(terminal, Path("link_to_device"));
    fs::create_symlink("missing", Path("link_to_nothing"));
    return {{Path("folder"), "it is a folder"},
            {Path("link_to_folder"), "it is a folder"},
            {Path("fifo"), "it is a FIFO"},
            {Path("link_to_fifo"), "it is a FIFO"},
            {terminal, "it is a device"},
            {Path("link_to_device"), "it is a device"},
            {Path("link_to_nothing"), "No such file or directory"}};
  }

 private:
  fs::path folder_;
  int terminal_ = -1;
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

// None of them makes the reader wait, either.
TEST_F(File, ReadsRegularFilesOnly) {
  for (const auto& [path, reason] : Others()) {
    const absl::Status status = ReadFile(path).status();
    EXPECT_EQ(ErrorLabel(status), "file_open") << path;
    EXPECT_EQ(status.message(), "cannot read " + path + ": " + reason);
  }
  EXPECT_EQ(ErrorLabel(ReadFile(Path("missing")).status()), "file_open");
  EXPECT_EQ(ErrorLabel(ReadFile("").status()), "file_open");
  EXPECT_EQ(ErrorLabel(ReadFile("/dev/zero").status()), "file_open");
}

TEST_F(File, ReadsUpToALimit) {
  ASSERT_TRUE(WriteFileAtomically(Path("f"), Bytes(1000, 7)).ok());
  EXPECT_EQ(*ReadFile(Path("f"), 1000), Bytes(1000, 7));
  EXPECT_EQ(ErrorLabel(ReadFile(Path("f"), 999).status()), "file_size");
  ASSERT_TRUE(WriteFileAtomically(Path("empty"), {}).ok());
  EXPECT_EQ(*ReadFile(Path("empty"), 0), Bytes());
  // It claims more bytes than its disk has.
  ASSERT_EQ(truncate(Path("f").c_str(), static_cast<off_t>(kMaxFileBytes) + 1), 0);
  EXPECT_EQ(ErrorLabel(ReadFile(Path("f")).status()), "file_size");
}

// Files of /proc claim to be empty.
TEST_F(File, ReadsWhatAFileHoldsAndNotWhatItClaims) {
  const auto bytes = ReadFile("/proc/self/maps");
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_GT(bytes->size(), 1000u);
  EXPECT_EQ(ErrorLabel(ReadFile("/proc/self/maps", 1000).status()), "file_size");
}

TEST_F(File, ReplacesRegularFilesOnly) {
  for (const auto& [path, reason] : Others()) {
    struct stat before = {}, after = {};
    ASSERT_EQ(lstat(path.c_str(), &before), 0);
    const absl::Status status = WriteFileAtomically(path, Bytes{1});
    EXPECT_EQ(ErrorLabel(status), "file_write") << path;
    EXPECT_EQ(status.message(), "cannot write " + path + ": " + reason);
    ASSERT_EQ(lstat(path.c_str(), &after), 0);
    EXPECT_EQ(after.st_mode, before.st_mode) << path;
  }
  for (const char* path : {"", "f/", "missing/../f"}) {
    EXPECT_EQ(ErrorLabel(WriteFileAtomically(path, Bytes{1})), "file_write") << path;
  }
  EXPECT_EQ(Names().size(), 6u);
}

TEST_F(File, LinksToFilesStayLinks) {
  ASSERT_TRUE(WriteFileAtomically(Path("f"), Bytes{1}).ok());
  fs::create_directories(Path("folder"));
  fs::create_symlink("../f", Path("folder/link"));
  ASSERT_TRUE(WriteFileAtomically(Path("folder/link"), Bytes{2}).ok());
  EXPECT_TRUE(fs::is_symlink(Path("folder/link")));
  EXPECT_EQ(Read(Path("f")), Bytes{2});
}

TEST_F(File, NamesMayBeAsLongAsTheFileSystemAllows) {
  const std::string path = Path(std::string(255, 'n'));
  ASSERT_TRUE(WriteFileAtomically(path, Bytes{1}).ok());
  EXPECT_EQ(Read(path), Bytes{1});
}

TEST_F(File, SeveralAreWrittenAllOrNone) {
  fs::create_directories(Path("folder"));
  const Bytes a = {1}, b = {2};
  ASSERT_TRUE(WriteFilesAtomically(std::vector<FileToWrite>{{Path("f"), a}, {Path("folder/g"), b}}).ok());
  EXPECT_EQ(Read(Path("f")), a);
  EXPECT_EQ(Read(Path("folder/g")), b);
  // The second one cannot be written.
  EXPECT_EQ(ErrorLabel(WriteFilesAtomically(std::vector<FileToWrite>{{Path("f"), b}, {Path("folder"), b}})),
            "file_write");
  EXPECT_EQ(Read(Path("f")), a);
}

TEST_F(File, TwoResultsDoNotShareAFile) {
  fs::create_symlink(".", Path("here"));
  const Bytes a = {1};
  EXPECT_EQ(ErrorLabel(WriteFilesAtomically(std::vector<FileToWrite>{{Path("f"), a}, {Path("here/f"), a}})),
            "file_write");
  EXPECT_EQ(Names(), (std::vector<std::string>{"here"}));
}

// A limit on file sizes fails a write half-way, as a full disk does, or ends the process in it, as a kill
// does.
class WithFileSizeLimit {
 public:
  WithFileSizeLimit() {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small = {1000, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~WithFileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_ = {};
};

TEST_F(File, HalfAWriteLeavesTheOldFiles) {
  const Bytes old = {1, 2, 3}, small(1000), large(2000);
  ASSERT_TRUE(WriteFileAtomically(Path("f"), old).ok());
  const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
  absl::Status status;
  {
    const WithFileSizeLimit limit;
    status = WriteFilesAtomically(std::vector<FileToWrite>{{Path("f"), small}, {Path("g"), large}});
  }
  std::signal(SIGXFSZ, ignored);
  EXPECT_EQ(ErrorLabel(status), "file_write");
  EXPECT_EQ(Read(Path("f")), old);
  EXPECT_EQ(Names(), (std::vector<std::string>{"f"}));
}

TEST_F(File, AKilledWriterLeavesTheOldFileAndTheNextOneCleansUp) {
  const Bytes old = {1, 2, 3};
  ASSERT_TRUE(WriteFileAtomically(Path("f"), old).ok());
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_DFL);
    const WithFileSizeLimit limit;
    (void)WriteFileAtomically(Path("f"), Bytes(2000));
    _exit(0);
  }
  int outcome = 0;
  ASSERT_EQ(waitpid(child, &outcome, 0), child);
  ASSERT_TRUE(WIFSIGNALED(outcome)) << outcome;
  EXPECT_EQ(Read(Path("f")), old);
  EXPECT_EQ(Names().size(), 2u);  // left by the killed process

  ASSERT_TRUE(WriteFileAtomically(Path("g"), old).ok());
  std::vector<std::string> names = Names();
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"f", "g"}));
}

// Each of them cleans up before it writes, and none harms another.
TEST_F(File, WritersOfOneFileDoNotDisturbEachOther) {
  constexpr int kWriters = 8, kWrites = 25;
  std::vector<pid_t> writers;
  for (int w = 0; w < kWriters; ++w) {
    writers.push_back(fork());
    if (writers.back() != 0) continue;
    for (int i = 0; i < kWrites; ++i) {
      if (!WriteFileAtomically(Path("f"), Bytes(50'000, static_cast<uint8_t>(w))).ok()) _exit(1);
    }
    _exit(0);
  }
  for (const pid_t writer : writers) {
    int outcome = 0;
    ASSERT_EQ(waitpid(writer, &outcome, 0), writer);
    EXPECT_EQ(outcome, 0);
  }
  const Bytes bytes = Read(Path("f"));
  ASSERT_EQ(bytes.size(), 50'000u);
  EXPECT_EQ(bytes, Bytes(50'000, bytes[0]));
  EXPECT_EQ(Names(), (std::vector<std::string>{"f"}));
}

}  // namespace
}  // namespace tally
