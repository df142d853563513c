// The judge of certificates: offline, from one file, without an engine.
//
//   const absl::StatusOr<Conviction> convicted = CheckCertificate<TrappingInt>(file);
//   if (convicted.ok()) ...  // no honest run makes convicted->claim with convicted->trace
//
// Int is TrappingInt or FormalInt: of a claim whose module is valid, both have the same verdict.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "base/hash/digest.h"
#include "base/shape.h"
#include "base/storage.h"
#include "base/trapping_int.h"

namespace tally {

// The element that is wrong, where a certificate charges one: for people to look at in its tensor.
struct WrongElement {
  std::string value;  // in words
  Shape shape;
  Storage storage = Storage::kI8;
  int64_t element = 0;  // its row-major number
  int64_t claimed = 0;
  std::string right;  // the integer in decimal, or the interval that it should be in

  friend bool operator==(const WrongElement&, const WrongElement&) = default;
};

// Who is convicted: whoever has signed these.
struct Conviction {
  Digest claim = {};              // its id
  std::optional<Digest> trace;    // its TraceDigest; none where the claim is wrong with any trace
  std::optional<Digest> columns;  // ColumnsDigest of an expansion, where it is part of the evidence
  std::string what;               // in words, for people
  std::optional<WrongElement> wrong;

  friend bool operator==(const Conviction&, const Conviction&) = default;
};

// Errors: those of DecodeCertificate and of OpenedCertificate::Of; certificate_form (what is accused is not
// there); certificate_right (the accused is right); those of Referee::Judge, where what is opened does not
// suffice.
template <typename Int>
absl::StatusOr<Conviction> CheckCertificate(std::span<const uint8_t> file);

}  // namespace tally
