// The key that a node signs receipts with.
//
//   ASSIGN_OR_RETURN(const auto signer, OpenSigner("node.key"));
//   ASSIGN_OR_RETURN(const Signature signature, signer->Sign(message));
#pragma once

#include <memory>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "proof/receipt/ed25519.h"

namespace tally::server {

// May be used by many threads at once.
class Signer {
 public:
  virtual ~Signer() = default;
  virtual const PublicKey& public_key() const = 0;
  virtual absl::StatusOr<Signature> Sign(std::span<const uint8_t> message) const = 0;
};

// A file in PEM that nobody else may read, or a key of a token, named by a URI (RFC 7512) with the attributes
// object, token or others, and the query attributes module-path and pin-source (a file) or pin-value. Errors:
// key_mode, key_format, those of ReadFile; key_token.
absl::StatusOr<std::unique_ptr<const Signer>> OpenSigner(const std::string& key);

absl::StatusOr<std::unique_ptr<const Signer>> OpenFileSigner(const std::string& path);
absl::StatusOr<std::unique_ptr<const Signer>> OpenTokenSigner(const std::string& uri);

}  // namespace tally::server
