#include "proof/keys/ed25519.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <cstdlib>
#include <vector>

#include "base/error.h"
#include "base/sha256.h"
#include "proof/labels.h"

namespace tally {
namespace {

using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;
using Context = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

// Of calls that fail only without memory, or if the library is broken: neither may pass for a signature.
void Require(bool done) {
  if (!done) std::abort();
}

Bio Reader(std::string_view text) {
  Bio bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), &BIO_free);
  Require(bio != nullptr);
  return bio;
}

template <typename Write>
std::string Written(const Write& write) {
  const Bio bio(BIO_new(BIO_s_mem()), &BIO_free);
  Require(bio != nullptr && write(bio.get()) == 1);
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return std::string(data, static_cast<size_t>(size));
}

// No password: without this the library asks the terminal for one.
int NoPassword(char*, int, int, void*) { return 0; }

absl::StatusOr<std::shared_ptr<EVP_PKEY>> Checked(EVP_PKEY* key, std::string_view what) {
  std::shared_ptr<EVP_PKEY> owned(key, &EVP_PKEY_free);
  if (key != nullptr && EVP_PKEY_id(key) == EVP_PKEY_ED25519) return owned;
  return MakeError(label::key_format, what);
}

}  // namespace

absl::StatusOr<PublicKey> PublicKey::FromPem(std::string_view pem) {
  auto key = Checked(PEM_read_bio_PUBKEY(Reader(pem).get(), nullptr, NoPassword, nullptr),
                     "the file is no public Ed25519 key in PEM (BEGIN PUBLIC KEY)");
  if (!key.ok()) return key.status();
  return PublicKey(*std::move(key));
}

std::string PublicKey::ToPem() const {
  return Written([&](BIO* bio) { return PEM_write_bio_PUBKEY(bio, key_.get()); });
}

Digest PublicKey::id() const {
  std::vector<uint8_t> der(static_cast<size_t>(i2d_PUBKEY(key_.get(), nullptr)));
  uint8_t* out = der.data();
  Require(i2d_PUBKEY(key_.get(), &out) == static_cast<int>(der.size()));
  return Sha256Hash(der);
}

bool PublicKey::Verifies(std::span<const uint8_t> message, const Signature& signature) const {
  const Context context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  Require(context != nullptr &&
          EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key_.get()) == 1);
  return EVP_DigestVerify(context.get(), signature.data(), signature.size(), message.data(),
                          message.size()) == 1;
}

absl::StatusOr<SigningKey> SigningKey::Generate() {
  auto key = Checked(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"), "the system gives no random numbers");
  if (!key.ok()) return key.status();
  return SigningKey(*std::move(key));
}

absl::StatusOr<SigningKey> SigningKey::FromPem(std::string_view pem) {
  auto key = Checked(PEM_read_bio_PrivateKey(Reader(pem).get(), nullptr, NoPassword, nullptr),
                     "the file is no private Ed25519 key in PEM (BEGIN PRIVATE KEY), or it has a password");
  if (!key.ok()) return key.status();
  return SigningKey(*std::move(key));
}

std::string SigningKey::ToPem() const {
  return Written([&](BIO* bio) {
    return PEM_write_bio_PKCS8PrivateKey(bio, key_.get(), nullptr, nullptr, 0, nullptr, nullptr);
  });
}

Signature SigningKey::Sign(std::span<const uint8_t> message) const {
  const Context context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  Signature signature;
  size_t size = signature.size();
  Require(context != nullptr &&
          EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key_.get()) == 1);
  Require(EVP_DigestSign(context.get(), signature.data(), &size, message.data(), message.size()) == 1 &&
          size == signature.size());
  return signature;
}

}  // namespace tally
