// The cases that the vectors must hold: cases of every operator, in every profile, and one for each of its
// constraints; cases of every lowering.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "tests/vectors/vector_file.h"

namespace tally {
namespace {

// Operators without vectors, and why. An entry that has vectors is an error.
const std::map<std::string_view, std::string_view> kWithoutVectors = {};

std::map<std::string_view, VectorFile> AllVectors() {
  std::map<std::string_view, VectorFile> files;
  for (const std::string& path : AllVectorFiles()) {
    auto file = ReadVectorFile(path);
    if (file.ok()) files.emplace(file->name(), *std::move(file));  // conformance_test reports the others
  }
  return files;
}

// The constraints of each operator: the items "- C<n> ..." under "## <operator>" in its family's document.
std::map<std::string, std::set<std::string>> DocumentedConstraints() {
  std::set<std::string> documents;
  for (const OpInfo& op : AllOps()) documents.insert("ops/" + std::string(op.family) + "/spec.md");
  std::map<std::string, std::set<std::string>> constraints;
  for (const std::string& path : documents) {
    std::ifstream document(path);
    EXPECT_TRUE(document.good()) << path;
    std::string op;
    for (std::string line; std::getline(document, line);) {
      if (line.starts_with("## ")) op = line.substr(3);
      if (line.starts_with("- C")) constraints[op].insert(op + "_c" + line.substr(3, line.find(' ', 3) - 3));
    }
  }
  return constraints;
}

TEST(VectorCoverage, EveryOperatorHasAFile) {
  const auto files = AllVectors();
  for (const OpInfo& op : AllOps()) {
    EXPECT_NE(files.contains(op.name), kWithoutVectors.contains(op.name))
        << "ops/" << op.family << "/vectors/" << op.name << ".json is missing, or its exception is obsolete";
  }
}

TEST(VectorCoverage, EveryLoweringHasAFileWithAnAcceptedCase) {
  const auto files = AllVectors();
  for (const LoweringInfo& lowering : AllLowerings()) {
    const auto file = files.find(lowering.name);
    ASSERT_NE(file, files.end()) << "ops/" << lowering.family << "/vectors/" << lowering.name
                                 << ".json is missing";
    EXPECT_TRUE(std::ranges::any_of(file->second.cases, [](const VectorCase& test) {
      return test.error.empty();
    })) << lowering.name;
  }
}

TEST(VectorCoverage, EveryOperatorHasAnAcceptedCaseInEachOfItsProfiles) {
  for (const auto& [name, file] : AllVectors()) {
    if (file.op == nullptr) continue;
    for (const Profile profile : kAllProfiles) {
      if (profile == Profile::kCvm && file.op->profile != Profile::kCvm) continue;
      EXPECT_TRUE(std::ranges::any_of(
          file.cases, [&](const VectorCase& test) { return test.error.empty() && test.profile == profile; }))
          << name << " has no accepted case in profile " << ProfileName(profile);
    }
  }
}

TEST(VectorCoverage, EveryConstraintHasACaseAndNoCaseAnUndocumentedOne) {
  const auto documented = DocumentedConstraints();
  for (const auto& [name, file] : AllVectors()) {
    if (file.op == nullptr) continue;
    std::set<std::string> raised;
    for (const VectorCase& test : file.cases) {
      if (test.error.starts_with(std::string(name) + "_c")) raised.insert(test.error);
    }
    const auto expected = documented.find(std::string(name));
    EXPECT_EQ(raised, expected == documented.end() ? std::set<std::string>() : expected->second)
        << "cases of " << name << " against its constraints in ops/" << file.op->family << "/spec.md";
  }
}

}  // namespace
}  // namespace tally
