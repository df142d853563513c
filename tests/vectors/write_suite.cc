// write_suite FOLDER: the conformance suite, from the vectors of ops/ in the working directory. Lists what it
// wrote.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "absl/status/status.h"
#include "absl/strings/str_join.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "tests/vectors/suites.h"

namespace tally {
namespace {

class Writer {
 public:
  explicit Writer(std::filesystem::path folder) : folder_(std::move(folder)) {}

  absl::Status Write(const SuiteFile& file) {
    std::vector<std::string> cases;
    for (const SuiteCase& test : file.cases) {
      ASSIGN_OR_RETURN(SuiteLine line, LineOf(test));
      cases.push_back(std::move(line.of_case));
      if (line.of_gas.empty()) continue;
      gas_.push_back(nlohmann::json(file.path + ": " + test.name).dump() + ": " + line.of_gas);
    }
    return WriteLines(file.path, file.about, "\"cases\": [", cases, "]");
  }

  absl::Status WriteGas() {
    return WriteLines("gas.json",
                      "Of every accepted module: gas of each function, gas of each of its instructions.",
                      "\"gas\": {", gas_, "}");
  }

 private:
  absl::Status WriteLines(const std::string& path, const std::string& about, const char* open,
                          const std::vector<std::string>& lines, const char* close) {
    const std::string text = absl::StrCat("{\"about\": ", nlohmann::json(about).dump(), ",\n", open, "\n",
                                          absl::StrJoin(lines, ",\n"), "\n", close, "}\n");
    std::filesystem::create_directories((folder_ / path).parent_path());
    std::ofstream out(folder_ / path);
    out << text << std::flush;
    if (!out.good()) return absl::InternalError(absl::StrCat(path, " cannot be written"));
    std::cout << path << ": " << lines.size() << " lines, " << text.size() << " bytes\n";
    return absl::OkStatus();
  }

  std::filesystem::path folder_;
  std::vector<std::string> gas_;
};

absl::Status WriteSuite(const std::filesystem::path& folder) {
  std::map<std::string, std::vector<VectorFile>> families;
  for (const std::string& path : AllVectorFiles()) {
    ASSIGN_OR_RETURN(VectorFile file, ReadVectorFile(path));
    if (file.op != nullptr) families[std::string(file.op->family)].push_back(std::move(file));
  }
  Writer writer(folder);
  for (const auto& [family, files] : families) RETURN_IF_ERROR(writer.Write(OperatorSuite(family, files)));
  for (const auto& [family, files] : families) RETURN_IF_ERROR(writer.Write(PairSuite(family, files)));
  for (const auto& suite : {MalformedSuite, InvalidSuite, GraphSuite, RecipeSuite, RefusedRunSuite}) {
    RETURN_IF_ERROR(writer.Write(suite()));
  }
  return writer.WriteGas();
}

}  // namespace
}  // namespace tally

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: write_suite FOLDER\n";
    return 2;
  }
  const absl::Status status = tally::WriteSuite(argv[1]);
  if (!status.ok()) std::cerr << status << "\n";
  return status.ok() ? 0 : 1;
}
