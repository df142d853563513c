// docs/coverage/*.tsv against the lists of names beside them, and against what exists.
#include <gtest/gtest.h>

#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "ops/lowerings.h"
#include "ops/op_table.h"
#include "ops/table/recipe/recipe.h"

namespace tally {
namespace {

const std::set<std::string> kStatuses = {"exact", "half_lsb", "bound", "import", "not_possible"};

struct Row {
  std::string name, lowering, status, note;
};

std::vector<std::string> Lines(const std::string& path) {
  std::ifstream stream(path);
  EXPECT_TRUE(stream.good()) << path;
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> Split(const std::string& line, char separator) {
  std::vector<std::string> fields;
  std::istringstream stream(line + separator);
  for (std::string field; std::getline(stream, field, separator);) fields.push_back(field);
  return fields;
}

std::vector<Row> ReadRows(const std::string& document) {
  std::vector<Row> rows;
  const std::vector<std::string> lines = Lines("docs/coverage/" + document + ".tsv");
  EXPECT_EQ(lines.at(0), "operator\tlowering\tstatus\tnote");
  for (size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> fields = Split(lines[i], '\t');
    EXPECT_EQ(fields.size(), 4u) << document << ": " << lines[i];
    if (fields.size() == 4) rows.push_back({fields[0], fields[1], fields[2], fields[3]});
  }
  return rows;
}

bool Exists(const std::string& name) {
  constexpr std::string_view kRecipe = "recipe:";
  if (name.starts_with(kRecipe)) return FindRecipeFunction(name.substr(kRecipe.size())).has_value();
  return FindOp(name) != nullptr || FindLowering(name) != nullptr;
}

class CoverageTest : public testing::TestWithParam<const char*> {};

TEST_P(CoverageTest, HasARowForEveryOperatorOfItsDocumentAndNoOther) {
  std::vector<std::string> names;
  for (const Row& row : ReadRows(GetParam())) names.push_back(row.name);
  EXPECT_EQ(names, Lines("docs/coverage/" + std::string(GetParam()) + ".names"));
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size()) << "a name twice";
}

TEST_P(CoverageTest, NamesOnlyWhatExists) {
  for (const Row& row : ReadRows(GetParam())) {
    for (const std::string& name : Split(row.lowering, ' ')) {
      if (!name.empty()) {
        EXPECT_TRUE(Exists(name)) << GetParam() << ", " << row.name << ": no operator, lowering or recipe "
                                  << name;
      }
    }
  }
}

TEST_P(CoverageTest, SaysHowFarEveryRowGoes) {
  std::map<std::string, int> counts;
  for (const Row& row : ReadRows(GetParam())) {
    EXPECT_TRUE(kStatuses.contains(row.status)) << GetParam() << ", " << row.name;
    const bool needs_instructions = row.status != "import" && row.status != "not_possible";
    if (needs_instructions) {
      EXPECT_FALSE(row.lowering.empty()) << GetParam() << ", " << row.name;
    }
    if (row.status == "not_possible" || row.status == "bound") {
      EXPECT_FALSE(row.note.empty()) << GetParam() << ", " << row.name
                                     << ": the reason or the page is missing";
    }
    ++counts[row.status];
  }
  std::cout << GetParam();
  for (const auto& [status, count] : counts) std::cout << ", " << status << " " << count;
  std::cout << "\n";
}

INSTANTIATE_TEST_SUITE_P(Documents, CoverageTest,
                         testing::Values("openvino_opset1", "coreml", "ncnn", "nhwc_onnx", "onnx",
                                         "tosa_int"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace tally
