// One instruction of a module, repeated until a run takes a while: what one gas of it takes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/aligned_vector.h"
#include "bench/kernels/kernel_cases.h"
#include "ops/op_table.h"
#include "vm/valid_module.h"

namespace tally::bench {

inline constexpr size_t kBytesOfProbe = 1024;  // that a probe is drawn from

struct Probe {
  std::shared_ptr<const ValidModule> module;
  std::vector<AlignedVector<uint8_t>> inputs;

  int64_t gas() const { return module->gas(); }
  // The last instruction: its name, the types that it reads and writes, its gas.
  std::string Describe() const;
  // The class of its first result: "tiny", "narrow" (runs of at most 8 elements) or "wide".
  std::string ShapeClass() const;
};

// Nothing when what the bytes stand for does not validate. The same bytes are the same probe on every
// machine.
std::optional<Probe> DrawProbe(Opcode op, std::span<const uint8_t> bytes);

// On the shape of a real model.
std::optional<Probe> ProbeOfCase(const KernelCase& given);

// An engine, and what of the processor it may use ("" for engines that do not ask).
struct Level {
  std::string engine, level;

  std::string name() const { return level.empty() ? engine : engine + " " + level; }
};

// The engines that run on the host, at every level of this machine.
std::vector<Level> LevelsHere();

// Nanoseconds that the calling thread takes for one gas of the module: the least of some runs.
absl::StatusOr<double> NanosecondsPerGas(const Probe& probe, const Level& level);

// The least of `measurements`, which end early at what is no more than `enough`: a neighbour on the core
// makes one of them long, hardly all.
absl::StatusOr<double> LeastNanosecondsPerGas(int measurements, const Probe& probe, const Level& level,
                                              double enough = 0);

}  // namespace tally::bench
