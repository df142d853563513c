#include "bench/gas/gas_table.h"

#include <algorithm>
#include <map>

#include "base/status_macros.h"

namespace tally::bench {
namespace {

constexpr int kTableMeasurements = 4;  // per probe

double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct Samples {
  std::vector<std::vector<double>> by_level;
  std::vector<std::string> texts;
};

GasRow RowOf(Opcode op, const std::string& shape_class, const Samples& samples) {
  GasRow row = {.op = op, .shape_class = shape_class, .probes = static_cast<int>(samples.texts.size())};
  double furthest = 0;
  for (const std::vector<double>& ns : samples.by_level) {
    const auto worst = std::max_element(ns.begin(), ns.end());
    row.median.push_back(Median(ns));
    row.worst.push_back(*worst);
    if (*worst / row.median.back() <= furthest) continue;
    furthest = *worst / row.median.back();
    row.worst_text = samples.texts[static_cast<size_t>(worst - ns.begin())];
  }
  return row;
}

}  // namespace

std::pair<double, size_t> GasTable::WorstOf(const GasRow& row) const {
  std::pair<double, size_t> worst = {0, 0};
  for (size_t l = 0; l < levels.size(); ++l) worst = std::max(worst, {row.worst[l] / medians[l], l});
  return worst;
}

std::vector<Opcode> OpsOf(const GasTableOptions& options) {
  std::vector<Opcode> ops;
  for (const OpInfo& op : AllOps()) {
    if (options.ops.empty() || std::ranges::find(options.ops, op.name) != options.ops.end())
      ops.push_back(op.code);
  }
  return ops;
}

absl::StatusOr<GasTable> MeasureGas(const GasTableOptions& options,
                                    const std::function<void(int, int)>& progress) {
  GasTable table = {.levels = LevelsHere()};
  std::map<std::pair<Opcode, std::string>, Samples> samples;
  const auto measure = [&](Opcode op, const std::string& shape_class, const Probe& probe) -> absl::Status {
    Samples& s = samples[{op, shape_class}];
    s.by_level.resize(table.levels.size());
    for (size_t l = 0; l < table.levels.size(); ++l) {
      ASSIGN_OR_RETURN(const double ns, LeastNanosecondsPerGas(kTableMeasurements, probe, table.levels[l]));
      s.by_level[l].push_back(ns);
    }
    s.texts.push_back(probe.Describe());
    return absl::OkStatus();
  };
  const std::vector<Opcode> ops = OpsOf(options);
  const int all = static_cast<int>(KernelCases().size() + ops.size());
  int done = 0;
  for (const KernelCase& given : KernelCases()) {
    progress(done++, all);
    if (std::ranges::find(ops, given.op) == ops.end()) continue;
    if (const auto probe = ProbeOfCase(given)) RETURN_IF_ERROR(measure(given.op, "real", *probe));
  }
  for (const Opcode op : ops) {
    progress(done++, all);
    for (int seed = 0; seed < options.draws; ++seed) {
      const auto noise = static_cast<uint64_t>(seed) * 977 + static_cast<uint64_t>(op);
      const auto probe = DrawProbe(op, NoiseBytes(noise, kBytesOfProbe));
      if (probe) RETURN_IF_ERROR(measure(op, probe->ShapeClass(), *probe));
    }
  }
  for (const auto& [key, s] : samples) table.rows.push_back(RowOf(key.first, key.second, s));
  for (size_t l = 0; l < table.levels.size(); ++l) {
    std::vector<double> medians;
    for (const GasRow& row : table.rows) medians.push_back(row.median[l]);
    table.medians.push_back(medians.empty() ? 1 : Median(medians));
  }
  return table;
}

}  // namespace tally::bench
