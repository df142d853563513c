// Every case of ops/*/vectors/*.json is a test of its own: <operator>.<case>.
#include <gtest/gtest.h>

#include <cctype>
#include <string>
#include <utility>

#include "tests/conformance/run_case.h"
#include "tests/conformance/vector_file.h"

namespace tally {
namespace {

class CaseTest : public testing::Test {
 public:
  CaseTest(const OpInfo& op, const VectorCase& test) : op_(op), case_(test) {}
  void TestBody() override {
    const absl::Status status = RunCase(op_, case_);
    EXPECT_TRUE(status.ok()) << op_.name << ", " << case_.name << ": " << status;
  }

 private:
  const OpInfo& op_;
  VectorCase case_;
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
  const auto file = ReadVectorFile(path);
  if (!file.ok()) {
    testing::RegisterTest("VectorFiles", Identifier(path).c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [why = file.status()]() -> testing::Test* { return new UnreadableFile(why); });
    return;
  }
  const std::string suite(file->op->name);
  for (const VectorCase& test : file->cases) {
    testing::RegisterTest(suite.c_str(), Identifier(test.name).c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [op = file->op, test]() -> testing::Test* { return new CaseTest(*op, test); });
  }
}

}  // namespace
}  // namespace tally

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  for (const std::string& path : tally::AllVectorFiles()) tally::RegisterFile(path);
  return RUN_ALL_TESTS();
}
