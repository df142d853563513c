// docs/coverage/*.tsv against the lists of names beside them, and against what exists. What the column
// `import` says is checked where files of the format are imported.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "ops/lowerings.h"
#include "ops/op_table.h"
#include "ops/table/recipe/recipe.h"
#include "quant/graph/op.h"

namespace tally {
namespace {

const std::set<std::string> kStatuses = {"exact", "half_lsb", "bound", "import", "not_possible"};

const std::set<std::string> kImports = {"none", "floats", "exact", "floats, exact"};

struct Row {
  std::string name, lowering, status, import, note;
  bool needs_instructions() const { return status != "import" && status != "not_possible"; }
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
  EXPECT_EQ(lines.at(0), "operator\tlowering\tstatus\timport\tnote");
  for (size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> fields = Split(lines[i], '\t');
    EXPECT_EQ(fields.size(), 5u) << document << ": " << lines[i];
    if (fields.size() == 5) rows.push_back({fields[0], fields[1], fields[2], fields[3], fields[4]});
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
    EXPECT_TRUE(kImports.contains(row.import)) << GetParam() << ", " << row.name;
    if (row.needs_instructions()) {
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

// The float operators, the compositions of frontends/graph, and what is neither.
std::set<std::string> NamesOfFloatGraph() {
  std::set<std::string> names = {"quantizer", "import"};
  [&]<typename... Ops>(std::type_identity<std::variant<Ops...>>) {
    (names.insert(std::string(Ops::kTraits.name)), ...);
  }(std::type_identity<quant::Op>());
  const std::regex composition(R"(([A-Z]\w+)\(Emitter& emitter)");
  for (const auto& entry : std::filesystem::directory_iterator("frontends/graph/compositions")) {
    if (entry.path().extension() != ".h") continue;
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const std::string header = text.str();
    for (std::sregex_iterator it(header.begin(), header.end(), composition), end; it != end; ++it) {
      names.insert((*it)[1]);
    }
  }
  return names;
}

// Every row of the four documents whose files are imported as floats has a way into the float graph: each
// lowering that it names has a line in float_graph.tsv, which names only what exists, and nothing that no row
// needs.
TEST(FloatGraph, EveryRowOfTheFourDocumentsHasAWayIntoIt) {
  const std::set<std::string> exists = NamesOfFloatGraph();
  EXPECT_GT(exists.size(), 100u);
  std::map<std::string, bool> is_needed;
  for (const std::string& line : Lines("docs/coverage/float_graph.tsv")) {
    if (line.starts_with("#") || line == "lowering\tfloat graph") continue;
    const std::vector<std::string> fields = Split(line, '\t');
    ASSERT_EQ(fields.size(), 2u) << line;
    EXPECT_TRUE(is_needed.emplace(fields[0], false).second) << "twice: " << line;
    EXPECT_FALSE(fields[1].empty()) << line;
    for (const std::string& name : Split(fields[1], ' '))
      EXPECT_TRUE(exists.contains(name)) << line << ": no " << name;
  }
  for (const char* document : {"openvino_opset1", "coreml", "ncnn", "nhwc_onnx"}) {
    for (const Row& row : ReadRows(document)) {
      if (!row.needs_instructions()) continue;
      for (const std::string& lowering : Split(row.lowering, ' ')) {
        const auto found = is_needed.find(lowering);
        ASSERT_NE(found, is_needed.end()) << document << ", " << row.name << ": no way for " << lowering;
        found->second = true;
      }
    }
  }
  for (const auto& [lowering, needed] : is_needed) EXPECT_TRUE(needed) << "no row names " << lowering;
}

INSTANTIATE_TEST_SUITE_P(Documents, CoverageTest,
                         testing::Values("openvino_opset1", "coreml", "ncnn", "nhwc_onnx", "onnx",
                                         "tosa_int"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace tally
