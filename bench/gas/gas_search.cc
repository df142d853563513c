#include "bench/gas/gas_search.h"

#include <algorithm>
#include <ctime>

#include "base/status_macros.h"

namespace tally::bench {
namespace {

constexpr size_t kKept = 12;
// The measurements of what a search tries, and of what it says in the end.
constexpr int kMeasurements = 6, kFinalMeasurements = 30;

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  std::vector<uint8_t> Bytes(size_t count) { return NoiseBytes(state_++, count); }
  uint64_t Below(uint64_t bound) {
    uint64_t number = 0;
    for (const uint8_t byte : Bytes(8)) number = number << 8 | byte;
    return number % bound;
  }

 private:
  uint64_t state_;
};

}  // namespace

FoundProbes SearchDearest(Opcode op, const GasTable& table, double seconds, uint64_t seed) {
  constexpr size_t kMutated = 128;  // the bytes that decide shapes and attributes come first
  struct Kept {
    std::vector<uint8_t> bytes;
    double ratio;
  };
  std::vector<Kept> kept;
  FoundProbes found = {.op = op};
  double top = 0;
  Random random(seed << 32 | static_cast<uint64_t>(op));
  const std::clock_t start = std::clock();
  while (static_cast<double>(std::clock() - start) < seconds * CLOCKS_PER_SEC) {
    std::vector<uint8_t> bytes;
    if (kept.size() < kKept || random.Below(3) == 0) {
      bytes = random.Bytes(kBytesOfProbe);
    } else {
      bytes = kept[random.Below(kept.size())].bytes;
      for (uint64_t n = 1 + random.Below(6); n > 0; --n)
        bytes[random.Below(kMutated)] = static_cast<uint8_t>(random.Below(256));
    }
    const auto probe = DrawProbe(op, bytes);
    if (!probe) continue;
    ++found.tried;
    double ratio = 0;
    for (size_t l = 0; l < table.levels.size(); ++l) {
      const auto ns = LeastNanosecondsPerGas(kMeasurements, *probe, table.levels[l],
                                             std::max(top, ratio) * table.medians[l]);
      if (ns.ok()) ratio = std::max(ratio, *ns / table.medians[l]);
    }
    top = std::max(top, ratio);
    kept.push_back({std::move(bytes), ratio});
    std::ranges::sort(kept, std::greater(), &Kept::ratio);
    if (kept.size() > kKept) kept.resize(kKept);
  }
  for (Kept& k : kept) found.dearest.push_back(std::move(k.bytes));
  return found;
}

absl::StatusOr<GasRow> MeasureFound(const FoundProbes& found, const GasTable& table) {
  GasRow row = {.op = found.op, .shape_class = "searched", .probes = found.tried};
  row.worst.resize(table.levels.size());
  double top = 0;
  for (const std::vector<uint8_t>& bytes : found.dearest) {
    const auto probe = DrawProbe(found.op, bytes);
    for (size_t l = 0; l < table.levels.size(); ++l) {
      ASSIGN_OR_RETURN(const double ns,
                       LeastNanosecondsPerGas(kFinalMeasurements, *probe, table.levels[l], row.worst[l]));
      row.worst[l] = std::max(row.worst[l], ns);
      if (ns / table.medians[l] <= top) continue;
      top = ns / table.medians[l];
      row.worst_text = probe->Describe();
      row.dearest = probe->module;
    }
  }
  row.median = row.worst;
  return row;
}

}  // namespace tally::bench
