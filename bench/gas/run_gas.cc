// The time of one gas: a table by operator, shape class and level, and the worst that a search finds.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/status_macros.h"
#include "bench/gas/gas_search.h"
#include "bench/harness/machine.h"
#include "serializer/encode.h"

namespace tally::bench {
namespace {

struct Options {
  GasTableOptions table;
  double search_seconds = 0;
  uint64_t seed = 0;
  std::string medians;
  std::string json;
  std::string keep;
};

void Progress(int done, int all) {
  std::fprintf(stderr, "\rgas: %d of %d", done, all);
  if (done + 1 == all) std::fprintf(stderr, "\r%40s\r", "");
}

void Print(const GasTable& table, const GasRow& row) {
  const auto [ratio, level] = table.WorstOf(row);
  std::printf("%-28s %-8s", std::string(InfoOf(row.op).name).c_str(), row.shape_class.c_str());
  for (size_t l = 0; l < table.levels.size(); ++l) std::printf(" %9.4f", row.median[l]);
  std::printf("  %6.1f %s %s  %s\n", ratio, ratio > kGasFactor ? "BEYOND" : "      ",
              table.levels[level].name().c_str(), ratio > kGasFactor ? row.worst_text.c_str() : "");
}

nlohmann::json JsonOf(const GasTable& table) {
  nlohmann::json rows = nlohmann::json::array(), levels = nlohmann::json::array();
  for (const Level& level : table.levels) levels.push_back(level.name());
  for (const GasRow& row : table.rows) {
    rows.push_back({{"operator", std::string(InfoOf(row.op).name)},
                    {"class", row.shape_class},
                    {"probes", row.probes},
                    {"median_ns_per_gas", row.median},
                    {"worst_ns_per_gas", row.worst},
                    {"worst", row.worst_text},
                    {"ratio", table.WorstOf(row).first}});
  }
  return {{"factor", kGasFactor}, {"levels", levels}, {"median_ns_per_gas", table.medians}, {"rows", rows}};
}

// Rows of few operators alone say nothing of the median of all.
absl::Status UseMediansOf(const std::string& path, GasTable& table) {
  std::ifstream file(path);
  const nlohmann::json report = nlohmann::json::parse(file, nullptr, false);
  if (report.is_discarded() || report.value("levels", nlohmann::json()) != JsonOf(table)["levels"]) {
    return absl::InvalidArgumentError(path + " is no report on the levels of this machine");
  }
  table.medians = report["median_ns_per_gas"].get<std::vector<double>>();
  return absl::OkStatus();
}

absl::StatusOr<GasTable> MeasureRows(const Options& options) {
  ASSIGN_OR_RETURN(GasTable table, MeasureGas(options.table, Progress));
  if (!options.medians.empty()) RETURN_IF_ERROR(UseMediansOf(options.medians, table));
  return table;
}

// Searches, and then measures what was found beside the benchmark's rows: of a long search the last minutes
// alone want a machine without other work.
absl::StatusOr<GasTable> Measure(const Options& options) {
  ASSIGN_OR_RETURN(GasTable table, MeasureRows(options));
  if (options.search_seconds <= 0) return table;
  std::vector<FoundProbes> found;
  const std::vector<Opcode> ops = OpsOf(options.table);
  const int all = static_cast<int>(ops.size());
  for (const Opcode op : ops) {
    Progress(static_cast<int>(found.size()), all);
    found.push_back(SearchDearest(op, table, options.search_seconds / all, options.seed));
  }
  ASSIGN_OR_RETURN(table, MeasureRows(options));
  for (const FoundProbes& probes : found) {
    ASSIGN_OR_RETURN(GasRow row, MeasureFound(probes, table));
    table.rows.push_back(std::move(row));
  }
  return table;
}

// The module of each row that a search found, FOLDER/OPERATOR.tally.
bool KeepFound(const GasTable& table, const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  for (const GasRow& row : table.rows) {
    if (row.dearest == nullptr) continue;
    const std::vector<uint8_t> bytes = Encode(row.dearest->module());
    std::ofstream file(folder / (std::string(InfoOf(row.op).name) + ".tally"), std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (!file.flush()) return false;
  }
  return true;
}

int Run(const Options& options) {
  std::printf("%s", DescribeMachine(DetectCpuFlags()).c_str());
  std::fflush(stdout);
  const absl::StatusOr<GasTable> table = Measure(options);
  if (!table.ok()) {
    std::fprintf(stderr, "gas: %s\n", table.status().ToString().c_str());
    return 1;
  }
  std::printf("%-28s %-8s", "ns for one gas, median of", "class");
  for (const Level& level : table->levels)
    std::printf(" %9.9s", (level.level.empty() ? level.engine : level.level).c_str());
  std::printf("  worst, in medians of all\n");
  for (const GasRow& row : table->rows) Print(*table, row);
  std::printf("%-37s", "median of all");
  for (const double median : table->medians) std::printf(" %9.4f", median);
  const auto beyond = std::ranges::count_if(
      table->rows, [&](const GasRow& row) { return table->WorstOf(row).first > kGasFactor; });
  std::printf("\n%zu rows, %td beyond %.0f medians\n", table->rows.size(), beyond, kGasFactor);
  if (!options.keep.empty() && !KeepFound(*table, options.keep)) {
    std::fprintf(stderr, "gas: cannot write to %s\n", options.keep.c_str());
    return 1;
  }
  if (options.json.empty()) return 0;
  std::ofstream file(options.json);
  file << JsonOf(*table).dump(1) << "\n";
  if (file.flush()) return 0;
  std::fprintf(stderr, "gas: cannot write %s\n", options.json.c_str());
  return 1;
}

}  // namespace
}  // namespace tally::bench

int main(int argc, char** argv) {
  tally::bench::Options options;
  CLI::App app("Measures what one gas takes, on every engine and level.");
  app.add_option("--op", options.table.ops, "operators; else all");
  app.add_option("--draws", options.table.draws, "random calls of each operator")->capture_default_str();
  app.add_option("--search", options.search_seconds,
                 "seconds of the processor, shared by the operators, to search for the worst");
  app.add_option("--seed", options.seed, "of the search: another one tries other calls")
      ->capture_default_str();
  app.add_option("--medians", options.medians,
                 "compare with the medians of this report of --json, not with those of today");
  app.add_option("--json", options.json, "write the results here");
  app.add_option("--keep", options.keep,
                 "write the worst module of each operator that the search found to this folder");
  CLI11_PARSE(app, argc, argv);
  return tally::bench::Run(options);
}
