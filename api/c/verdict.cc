#include "api/c/verdict.h"

#include <algorithm>

#include "api/c/objects.h"
#include "proof/certificate/certificate.h"
#include "proof/labels.h"
#include "proof/receipt/origin.h"

namespace tally::api {

std::optional<Digest> DigestAt(const uint8_t* bytes) {
  if (bytes == nullptr) return std::nullopt;
  Digest digest;
  std::copy_n(bytes, digest.size(), digest.begin());
  return digest;
}

uint32_t BitsOf(const Compared& compared) {
  const auto bit = [](bool is, uint32_t value) { return is ? value : 0u; };
  return bit(compared.module, TALLY_COMPARED_MODULE) | bit(compared.inputs, TALLY_COMPARED_INPUTS) |
         bit(compared.results, TALLY_COMPARED_RESULTS) | bit(compared.trace, TALLY_COMPARED_TRACE) |
         bit(compared.certificate, TALLY_COMPARED_CERTIFICATE);
}

absl::StatusOr<Evidence> ReadEvidence(const tally_evidence* given) {
  ASSIGN_OR_RETURN(const tally_evidence read, ReadStruct(given));
  Evidence evidence = {.nonce = DigestAt(read.nonce), .results = DigestAt(read.results)};
  if (read.key.handle != 0) {
    ASSIGN_OR_RETURN(const auto key, ObjectOf<PublicKeyObject>(read.key));
    evidence.key = key->key;
  }
  if (read.origin != nullptr) {
    ASSIGN_OR_RETURN(evidence.origin, OriginFromJson({read.origin, read.origin_size}));
  }
  if (read.certificate != nullptr) {
    if (read.certificate_size > kMaxCertificateBytes)
      return MakeError(label::certificate_size, "the certificate has more bytes than any may have");
    evidence.certificate.emplace(read.certificate, read.certificate + read.certificate_size);
  }
  evidence.expansion = DigestAt(read.expansion);
  return evidence;
}

}  // namespace tally::api
