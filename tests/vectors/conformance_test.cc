// Every case of ops/*/vectors/*.json is a test of its own: <operator or lowering>.<case>.
#include <gtest/gtest.h>

#include <cctype>
#include <deque>
#include <string>
#include <utility>

#include "tests/vectors/run_case.h"
#include "tests/vectors/vector_file.h"

namespace tally {
namespace {

class CaseTest : public testing::Test {
 public:
  CaseTest(const VectorFile& file, size_t index) : file_(file), case_(file.cases[index]) {}
  void TestBody() override {
    const absl::Status status =
        file_.op != nullptr ? RunCase(*file_.op, case_) : RunCase(*file_.lowering, case_);
    EXPECT_TRUE(status.ok()) << file_.name() << ", " << case_.name << ": " << status;
  }

 private:
  const VectorFile& file_;
  const VectorCase& case_;
};

class UnreadableFile : public testing::Test {
 public:
  explicit UnreadableFile(const absl::Status& why) : why_(why) {}
  void TestBody() override { FAIL() << why_; }

 private:
  absl::Status why_;
};

std::string Identifier(std::string text) {
  for (char& c : text) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return text;
}

void RegisterFile(const std::string& path) {
  auto file = ReadVectorFile(path);
  if (!file.ok()) {
    testing::RegisterTest("VectorFiles", Identifier(path).c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [why = file.status()]() -> testing::Test* { return new UnreadableFile(why); });
    return;
  }
  static std::deque<VectorFile> kept;  // the tests refer to it
  const VectorFile& read = kept.emplace_back(*std::move(file));
  const std::string suite(read.name());
  for (size_t i = 0; i < read.cases.size(); ++i) {
    testing::RegisterTest(suite.c_str(), Identifier(read.cases[i].name).c_str(), nullptr, nullptr, __FILE__,
                          __LINE__, [&read, i]() -> testing::Test* { return new CaseTest(read, i); });
  }
}

}  // namespace
}  // namespace tally

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  for (const std::string& path : tally::AllVectorFiles()) tally::RegisterFile(path);
  return RUN_ALL_TESTS();
}
