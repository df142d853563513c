// The bounds of a module: what validation proved of it, so that nothing of it has to be trusted
// (docs/spec/claim.md#bounds).
//
//   const Digest digest = BoundsDigest(BoundsOf(module));
//
// Every loader computes them anew; two validators that disagree about gas, memory or one bound give different
// claims. With the program, they say of every value which storage and which shape it has.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "base/hash/digest.h"
#include "base/interval.h"
#include "vm/valid_module.h"

namespace tally {

struct InstructionBounds {
  Interval accumulator;  // bounds every partial sum, in any order; [0, 0] if it does not accumulate
  std::vector<TensorType> results;

  friend bool operator==(const InstructionBounds&, const InstructionBounds&) = default;
};

struct ModuleBounds {
  uint64_t gas = 0;          // a run's
  uint64_t arena_bytes = 0;  // a run's, beside constants, inputs and results
  std::vector<std::vector<InstructionBounds>> functions;

  friend bool operator==(const ModuleBounds&, const ModuleBounds&) = default;
};

ModuleBounds BoundsOf(const ValidModule& module);

// CBOR {1: gas, 2: arena bytes, 3: [for each function [for each instruction [lo, hi, [for each result
// [storage, [dim, ...], lo, hi]]]]]}
std::vector<uint8_t> EncodeBounds(const ModuleBounds& bounds);

// Errors: those of CborReader and of Shape; bounds_interval (an interval that is empty), bounds_storage (a
// storage that is not the narrowest which holds the interval).
absl::StatusOr<ModuleBounds> DecodeBounds(std::span<const uint8_t> bytes);

// SHA256(12 || CBOR)
Digest BoundsDigest(const ModuleBounds& bounds);

}  // namespace tally
