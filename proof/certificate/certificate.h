// The certificate of a module: what validation proved of it, so that nothing of it has to be trusted
// (docs/spec/claim.md#certificates).
//
//   const Digest digest = CertificateDigest(CertificateOf(module));
//
// Every loader computes it anew; two validators that disagree about gas, memory or one bound give different
// claims.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "base/digest.h"
#include "base/interval.h"
#include "vm/valid_module.h"

namespace tally {

struct InstructionBounds {
  Interval accumulator;           // bounds every partial sum, in any order; [0, 0] if it does not accumulate
  std::vector<Interval> results;  // for the elements of each result

  friend bool operator==(const InstructionBounds&, const InstructionBounds&) = default;
};

struct Certificate {
  uint64_t gas = 0;          // a run's
  uint64_t arena_bytes = 0;  // a run's, beside constants, inputs and results
  std::vector<std::vector<InstructionBounds>> functions;

  friend bool operator==(const Certificate&, const Certificate&) = default;
};

Certificate CertificateOf(const ValidModule& module);

// CBOR {1: gas, 2: arena bytes, 3: [for each function [for each instruction [lo, hi, [for each result [lo,
// hi]]]]]}
std::vector<uint8_t> EncodeCertificate(const Certificate& certificate);

// Errors: those of CborReader; certificate_bounds (an interval that is empty).
absl::StatusOr<Certificate> DecodeCertificate(std::span<const uint8_t> bytes);

// SHA256(12 || CBOR)
Digest CertificateDigest(const Certificate& certificate);

}  // namespace tally
