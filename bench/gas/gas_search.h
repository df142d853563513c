// The search for calls that take longer for one gas than the benchmark's own: mutation with time as feedback.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/gas/gas_table.h"

namespace tally::bench {

// The dearest probes of an operator that were found, as bytes for DrawProbe, and how many were tried.
struct FoundProbes {
  Opcode op;
  int tried = 0;
  std::vector<std::vector<uint8_t>> dearest;
};

// Changes the bytes of probes that took long for one gas a little and tries them again, for `seconds` of this
// thread. `table` says what is long at each level, and `seed` which bytes are tried first. A busy machine
// misleads the search, but decides nothing: MeasureFound does.
FoundProbes SearchDearest(Opcode op, const GasTable& table, double seconds, uint64_t seed);

// The probes found, each the least of several measurements at each level, as a row of class "searched".
absl::StatusOr<GasRow> MeasureFound(const FoundProbes& found, const GasTable& table);

}  // namespace tally::bench
