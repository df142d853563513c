#include "serializer/load_module.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/io/file.h"
#include "serializer/mapped_file.h"
#include "serializer/testing/golden_module.h"
#include "vm/limits.h"

namespace tally {
namespace {

std::string Path(const std::string& name) { return testing::TempDir() + "/load_module_test_" + name; }

TEST(LoadModule, UsesAMappedFileInPlace) {
  const std::string path = Path("golden.tally");
  ASSERT_TRUE(WriteFileAtomically(path, GoldenBytes()).ok());
  auto module = LoadModule(path);
  ASSERT_TRUE(module.ok()) << module.status();
  // The mapping outlives the name.
  ASSERT_EQ(std::remove(path.c_str()), 0);
  EXPECT_TRUE(*module == GoldenModule());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(module->constants[0].bytes.data()) % kConstantAlignment, 0u);
  const auto* file = static_cast<const MappedFile*>(module->backing.get());
  EXPECT_EQ(module->constants[0].bytes.data(), file->bytes().data() + 128);
}

TEST(LoadModule, PassesOnWhatTheDecoderSays) {
  const std::string path = Path("empty.tally");
  ASSERT_TRUE(WriteFileAtomically(path, {}).ok());
  EXPECT_EQ(ErrorLabel(LoadModule(path).status()), "unexpected_end");
  std::remove(path.c_str());
}

TEST(MappedFile, OpensRegularFilesOnly) {
  const std::string fifo = Path("fifo");
  std::remove(fifo.c_str());
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(ErrorLabel(MappedFile::Open(fifo).status()), "file_open");
  std::remove(fifo.c_str());
  EXPECT_EQ(ErrorLabel(MappedFile::Open(testing::TempDir()).status()), "file_open");
  EXPECT_EQ(ErrorLabel(MappedFile::Open("/dev/zero").status()), "file_open");
  EXPECT_EQ(ErrorLabel(MappedFile::Open(Path("missing")).status()), "file_open");
}

// A sparse file takes no disk, but 64 mappings of 4 TiB exceed a process's 128 TiB of addresses.
TEST(MappedFile, ReportsAFileThatCannotBeMapped) {
  if (std::getenv("TALLY_UNDER_QEMU") != nullptr) {
    GTEST_SKIP()
        << "QEMU keeps what it knows of each page: it runs out of memory before a process does of addresses";
  }
  const std::string path = Path("sparse");
  ASSERT_TRUE(WriteFileAtomically(path, {}).ok());
  const bool sparse = truncate(path.c_str(), static_cast<int64_t>(kMaxMappedBytes)) == 0;
  std::vector<std::shared_ptr<const MappedFile>> files;
  absl::Status status;
  while (sparse && status.ok() && files.size() < 64) {
    auto file = MappedFile::Open(path);
    status = file.status();
    if (file.ok()) files.push_back(*std::move(file));
  }
  absl::Status of_larger;
  if (truncate(path.c_str(), static_cast<int64_t>(kMaxMappedBytes) + 1) == 0) {
    of_larger = MappedFile::Open(path).status();
  }
  std::remove(path.c_str());
  if (!sparse) GTEST_SKIP() << "the file system has no sparse files of 4 TiB";
  EXPECT_EQ(ErrorLabel(status), "file_map");
  EXPECT_EQ(ErrorLabel(of_larger), "file_size");
}

}  // namespace
}  // namespace tally
