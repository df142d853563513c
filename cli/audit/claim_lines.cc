#include "cli/audit/claim_lines.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/printable.h"
#include "base/strings.h"
#include "cli/json_output.h"
#include "cli/labels.h"
#include "proof/receipt/dsse.h"

namespace tally::cli {
namespace {

constexpr size_t kMostOfALine = 200;  // in a message

absl::Status Refused(std::string_view line, std::string_view what) {
  return MakeError(label::audit_lines, absl::StrCat("'", Printable(std::string(line.substr(0, kMostOfALine))),
                                                    "' is not the line of ", ToAbsl(what)));
}

std::string TextAt(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}
bool TrueAt(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_boolean() && found->get<bool>();
}

// An object, or null.
Json ObjectOf(std::string_view line) {
  Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  return json.is_object() ? json : Json();
}

}  // namespace

Json HexOrNull(const std::optional<Digest>& digest) { return digest ? Json(ToHex(*digest)) : Json(); }

std::string ClaimLine(const OpenClaim& open) {
  return JsonLine({{"claim_id", ToHex(open.id)},
                   {"module_id", ToHex(open.claim.module)},
                   {"claim", ToBase64(EncodeClaim(open.claim))},
                   {"traced", open.traced}});
}

absl::StatusOr<OpenClaim> ParseClaimLine(std::string_view line) {
  const Json json = ObjectOf(line);
  const auto bytes = FromBase64(TextAt(json, "claim"));
  if (!bytes) return Refused(line, "a claim");
  absl::StatusOr<Claim> claim = DecodeClaim(*bytes);
  if (!claim.ok() || TextAt(json, "claim_id") != ToHex(ClaimId(*claim))) return Refused(line, "a claim");
  const Digest id = ClaimId(*claim);
  return OpenClaim{.claim = *std::move(claim), .id = id, .path = "", .traced = TrueAt(json, "traced")};
}

std::string FoundLine(const FoundClaim& found) {
  return JsonLine({{"claim_id", ToHex(found.id)},
                   {"run",
                    {{"verdict", std::string(NameOf(found.run))},
                     {"reason", found.label.empty() ? Json() : Json(found.label)}}},
                   {"message", found.message},
                   {"traced", found.traced},
                   {"trace", HexOrNull(found.trace)},
                   {"micros", found.micros},
                   {"may_pass", found.may_pass}});
}

absl::StatusOr<FoundClaim> ParseFoundLine(std::string_view line) {
  const Json json = ObjectOf(line);
  const auto id = ParseDigest(TextAt(json, "claim_id"));
  const auto run = json.is_object() && json.contains("run") ? json["run"] : Json();
  const auto word = RecomputationOf(TextAt(run, "verdict"));
  if (!id || !word) return Refused(line, "a finding");
  FoundClaim found = {.id = *id,
                      .run = *word,
                      .label = TextAt(run, "reason"),
                      .message = TextAt(json, "message"),
                      .trace = ParseDigest(TextAt(json, "trace")),
                      .traced = TrueAt(json, "traced"),
                      .may_pass = TrueAt(json, "may_pass")};
  // A reason is given for each verdict that does not hold, and for no other.
  if ((found.run == Recomputation::kReproduced) != found.label.empty()) return Refused(line, "a finding");
  if (const auto micros = json.find("micros"); micros != json.end() && micros->is_number_unsigned())
    found.micros = micros->get<int64_t>();
  return found;
}

}  // namespace tally::cli
