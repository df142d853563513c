// Where a module comes from: the files that it was made of, and the tool that made it
// (docs/spec/origin.md).
//
//   const std::string text = ToJson(Origin{.module = id, .producer = "tally quantize", ...});  // a file
//   const Digest digest = OriginDigest(*OriginFromJson(text));                                 // in a receipt
//
// It is what the producer says, not a proof: whoever has the files and the tool makes the module again and
// compares ids.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/hash/digest.h"

namespace tally {

inline constexpr uint64_t kMaxOriginBytes = 1 << 16;

struct Origin {
  Digest module = {};           // its id
  std::string producer;         // "tally quantize"
  std::string version;          // the producer's
  std::vector<Digest> sources;  // SHA-256 of each file of the model, in the order in which it was read
  std::optional<Digest>
      calibration;              // SHA-256 of the text of the calibration file, whether it was saved or not
  std::optional<Digest> notes;  // SHA-256 of MODULE.notes: labels, and how inputs are prepared

  friend bool operator==(const Origin&, const Origin&) = default;
};

// SHA256(1d || CBOR {1: 1, 2: module, 3: producer, 4: version, 5: [source, ...], 6: calibration,
// 7: notes}), without what there is not.
Digest OriginDigest(const Origin& origin);

// A file: JSON with the members "module", "producer", "version", "sources", "calibration" (which may be
// null) and, where there are any, "notes", in this order, two blanks for each level, one line break at its
// end.
std::string ToJson(const Origin& origin);

// Exactly such a file. Error origin_form.
absl::StatusOr<Origin> OriginFromJson(std::string_view text);

}  // namespace tally
