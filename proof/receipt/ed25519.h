// Ed25519 keys (RFC 8032) and their PEM files, as `openssl genpkey -algorithm ed25519` writes them.
//
//   ASSIGN_OR_RETURN(const SigningKey key, SigningKey::FromPem(text));
//   const Signature signature = key.Sign(message);
//   key.public_key().Verifies(message, signature);  // true
//
// The arithmetic is libcrypto's.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/hash/digest.h"

struct evp_pkey_st;  // EVP_PKEY of libcrypto

namespace tally {

using Signature = std::array<uint8_t, 64>;

class PublicKey {
 public:
  // SubjectPublicKeyInfo in PEM. Error key_format, also for points of small order and encodings that are not
  // canonical.
  static absl::StatusOr<PublicKey> FromPem(std::string_view pem);
  std::string ToPem() const;

  // SHA-256 of SubjectPublicKeyInfo in DER: what receipts name a key by.
  const Digest& id() const { return id_; }

  // The point: 32 bytes (RFC 8032, 5.1.2).
  std::array<uint8_t, 32> encoded() const;

  bool Verifies(std::span<const uint8_t> message, const Signature& signature) const;

 private:
  friend class SigningKey;
  explicit PublicKey(std::shared_ptr<evp_pkey_st> key);

  std::shared_ptr<evp_pkey_st> key_;
  Digest id_;  // made once: it takes longer than a signature
};

class SigningKey {
 public:
  // From the random numbers of the system.
  static absl::StatusOr<SigningKey> Generate();

  // PKCS #8 in PEM, without a password. Error key_format.
  static absl::StatusOr<SigningKey> FromPem(std::string_view pem);
  std::string ToPem() const;

  // The same message has the same signature.
  Signature Sign(std::span<const uint8_t> message) const;

  const PublicKey& public_key() const { return public_key_; }

 private:
  explicit SigningKey(const std::shared_ptr<evp_pkey_st>& key) : key_(key), public_key_(key) {}

  std::shared_ptr<evp_pkey_st> key_;
  PublicKey public_key_;
};

}  // namespace tally
