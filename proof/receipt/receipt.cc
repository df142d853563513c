#include "proof/receipt/receipt.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "base/io/file.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "proof/labels.h"
#include "proof/receipt/dsse.h"

namespace tally {
namespace {

using Json = nlohmann::ordered_json;

absl::Status Malformed(std::string_view what) {
  return MakeError(label::receipt_form, absl::StrCat("the receipt ", ToAbsl(what)));
}

// The text at a path of members, or null where there is none.
const std::string* TextAt(const Json& json, std::initializer_list<const char*> path) {
  const Json* at = &json;
  for (const char* name : path) {
    if (!at->is_object() || !at->contains(name)) return nullptr;
    at = &(*at)[name];
  }
  return at->get_ptr<const std::string*>();
}

absl::StatusOr<Json> Parsed(std::string_view text) {
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return Malformed("is not JSON");
  return json;
}

absl::StatusOr<std::vector<uint8_t>> BytesAt(const Json& json, std::initializer_list<const char*> path) {
  const std::string* text = TextAt(json, path);
  if (text == nullptr) return Malformed(absl::StrCat("has no text '", *(path.end() - 1), "'"));
  std::optional<std::vector<uint8_t>> bytes = FromBase64(*text);
  if (!bytes) return Malformed(absl::StrCat("has a '", *(path.end() - 1), "' that is not base64"));
  return *std::move(bytes);
}

}  // namespace

std::string StatementOf(const Claim& claim, const ReceiptCore& core) {
  Json predicate = {{"claim", ToBase64(EncodeClaim(claim))},
                    {"core", ToBase64(EncodeReceiptCore(core))},
                    {"module", ToHex(claim.module)},
                    {"inputs", ToHex(claim.inputs)},
                    {"status", claim.status},
                    {"gas", claim.gas},
                    {"issuedAt", core.issued_at}};
  if (core.nonce) predicate["nonce"] = ToHex(*core.nonce);
  if (core.trace) predicate["trace"] = ToHex(*core.trace);
  if (core.origin) predicate["origin"] = ToHex(*core.origin);
  // The digests have names of their own: SHA-256 of in-toto would be one of the bytes of a file.
  const Json subject = claim.results
                           ? Json{{"name", "results"}, {"digest", {{"tallyIoMap", ToHex(*claim.results)}}}}
                           : Json{{"name", "claim"}, {"digest", {{"tallyClaim", ToHex(ClaimId(claim))}}}};
  const Json statement = {{"_type", "https://in-toto.io/Statement/v1"},
                          {"subject", Json::array({subject})},
                          {"predicateType", kReceiptPredicateType},
                          {"predicate", std::move(predicate)}};
  return statement.dump();
}

std::string SignedBytes(const Claim& claim, const ReceiptCore& core) {
  return PreAuthenticationEncoding(kReceiptPayloadType, StatementOf(claim, core));
}

Receipt SignReceipt(const Claim& claim, ReceiptCore core, const SigningKey& key) {
  // A key at hand does not fail.
  return *SignReceipt(claim, core, key.public_key().id(), [&](auto message) { return key.Sign(message); });
}

absl::StatusOr<Receipt> SignReceipt(const Claim& claim, ReceiptCore core, const Digest& key_id,
                                    const SignBytes& sign) {
  core.claim = ClaimId(claim);
  core.key = key_id;
  ASSIGN_OR_RETURN(const Signature signature, sign(AsBytes(SignedBytes(claim, core))));
  return Receipt{claim, core, signature};
}

std::string ToJson(const Receipt& receipt) {
  const Json signature = {{"keyid", ToHex(receipt.core.key)}, {"sig", ToBase64(receipt.signature)}};
  const Json envelope = {{"payloadType", kReceiptPayloadType},
                         {"payload", ToBase64(AsBytes(StatementOf(receipt.claim, receipt.core)))},
                         {"signatures", Json::array({signature})}};
  return envelope.dump() + "\n";
}

absl::StatusOr<Receipt> ReceiptFromJson(std::string_view text) {
  if (text.size() > kMaxReceiptBytes) return Malformed("is larger than 64 KiB");
  ASSIGN_OR_RETURN(const Json envelope, Parsed(text));
  ASSIGN_OR_RETURN(const std::vector<uint8_t> payload, BytesAt(envelope, {"payload"}));
  ASSIGN_OR_RETURN(const Json statement, Parsed(AsText(payload)));
  ASSIGN_OR_RETURN(const std::vector<uint8_t> claim, BytesAt(statement, {"predicate", "claim"}));
  ASSIGN_OR_RETURN(const std::vector<uint8_t> core, BytesAt(statement, {"predicate", "core"}));
  const Json signatures = envelope.value("signatures", Json());
  if (!signatures.is_array() || signatures.size() != 1) return Malformed("has not one signature");
  ASSIGN_OR_RETURN(const std::vector<uint8_t> signature, BytesAt(signatures[0], {"sig"}));
  Receipt receipt;
  if (signature.size() != receipt.signature.size()) return Malformed("has a signature of another length");
  std::ranges::copy(signature, receipt.signature.begin());
  ASSIGN_OR_RETURN(receipt.claim, DecodeClaim(claim));
  ASSIGN_OR_RETURN(receipt.core, DecodeReceiptCore(core));
  if (ToJson(receipt) != text) return Malformed("is not the text that its claim and core make");
  return receipt;
}

}  // namespace tally
