// Nanoseconds for one gas by operator and shape class, on every engine and level.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "bench/gas/probe.h"

namespace tally::bench {

// No module may take longer for one gas than so many times the median of the benchmark (docs/spec/gas.md).
inline constexpr double kGasFactor = 8;

// Some probes of one operator and shape class. By level: their median, and the worst with its text.
struct GasRow {
  Opcode op;
  std::string shape_class;
  int probes = 0;
  std::vector<double> median, worst;
  std::string worst_text;                                // for the level that is furthest beyond the others
  std::shared_ptr<const ValidModule> dearest = nullptr;  // that text's module, of a search
};

struct GasTable {
  std::vector<Level> levels;
  std::vector<GasRow> rows;
  std::vector<double> medians;  // by level, of the rows' medians

  // How many times the median of its level `row` takes at its worst, and at which level.
  std::pair<double, size_t> WorstOf(const GasRow& row) const;
};

struct GasTableOptions {
  int draws = 24;                // per operator
  std::vector<std::string> ops;  // all of them, if none are named
};

std::vector<Opcode> OpsOf(const GasTableOptions& options);

// Calls progress(done, all) now and then. Errors: those of the engines.
absl::StatusOr<GasTable> MeasureGas(const GasTableOptions& options,
                                    const std::function<void(int, int)>& progress);

}  // namespace tally::bench
