#include "proof/receipt/origin.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "proof/labels.h"
#include "serializer/cbor_writer.h"
#include "serializer/hash_domain.h"

namespace tally {
namespace {

using Json = nlohmann::ordered_json;

absl::Status Malformed(std::string_view what) {
  return MakeError(label::origin_form, absl::StrCat("the file of the origin ", ToAbsl(what)));
}

absl::StatusOr<std::string> TextAt(const Json& json, const char* name) {
  const Json at = json.value(name, Json());
  if (!at.is_string()) return Malformed(absl::StrCat("has no text '", name, "'"));
  return at.get<std::string>();
}

absl::StatusOr<Digest> DigestIn(const Json& json) {
  const std::optional<Digest> digest =
      json.is_string() ? ParseDigest(json.get<std::string>()) : std::optional<Digest>();
  if (!digest) return Malformed("has something else where a digest of 64 digits belongs");
  return *digest;
}

}  // namespace

Digest OriginDigest(const Origin& origin) {
  CborWriter writer;
  writer.WriteMap(size_t{5} + (origin.calibration ? 1 : 0) + (origin.notes ? 1 : 0));
  writer.WriteUnsigned(1);
  writer.WriteUnsigned(1);
  writer.WriteUnsigned(2);
  writer.WriteBytes(origin.module);
  writer.WriteUnsigned(3);
  writer.WriteText(origin.producer);
  writer.WriteUnsigned(4);
  writer.WriteText(origin.version);
  writer.WriteUnsigned(5);
  writer.WriteArray(origin.sources.size());
  for (const Digest& source : origin.sources) writer.WriteBytes(source);
  if (origin.calibration) {
    writer.WriteUnsigned(6);
    writer.WriteBytes(*origin.calibration);
  }
  if (origin.notes) {
    writer.WriteUnsigned(7);
    writer.WriteBytes(*origin.notes);
  }
  return HashInDomain(HashDomain::kOrigin, writer.Take());
}

std::string ToJson(const Origin& origin) {
  Json sources = Json::array();
  for (const Digest& source : origin.sources) sources.push_back(ToHex(source));
  Json json = {{"module", ToHex(origin.module)},
               {"producer", origin.producer},
               {"version", origin.version},
               {"sources", std::move(sources)},
               {"calibration", origin.calibration ? Json(ToHex(*origin.calibration)) : Json()}};
  if (origin.notes) json["notes"] = ToHex(*origin.notes);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

absl::StatusOr<Origin> OriginFromJson(std::string_view text) {
  if (text.size() > kMaxOriginBytes) return Malformed("is larger than 64 KiB");
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return Malformed("is not a JSON object");
  Origin origin;
  ASSIGN_OR_RETURN(origin.producer, TextAt(json, "producer"));
  ASSIGN_OR_RETURN(origin.version, TextAt(json, "version"));
  ASSIGN_OR_RETURN(origin.module, DigestIn(json.value("module", Json())));
  for (const Json& source : json.value("sources", Json())) {
    ASSIGN_OR_RETURN(origin.sources.emplace_back(), DigestIn(source));
  }
  if (const Json calibration = json.value("calibration", Json()); !calibration.is_null()) {
    ASSIGN_OR_RETURN(origin.calibration, DigestIn(calibration));
  }
  if (json.contains("notes")) {
    ASSIGN_OR_RETURN(origin.notes, DigestIn(json["notes"]));
  }
  if (ToJson(origin) != text) return Malformed("is not spelled as ToJson does");
  return origin;
}

}  // namespace tally
