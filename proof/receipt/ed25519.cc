#include "proof/receipt/ed25519.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "base/error.h"
#include "base/hash/sha256.h"
#include "proof/labels.h"

namespace tally {
namespace {

using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;
using Context = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

// The check of calls that fail only without memory, or if the library is broken: neither may pass for a
// signature.
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

// Whether the encoding of a point is one that strict verifiers take: canonical (y < p = 2^255 - 19), and
// not of small order. By a key of small order one signature can verify for every message. The points of order
// 1, 2, 4 and 8 have these y; the sign of x, in the last bit, is either (RFC 8032, 5.1.2 and 5.1.7).
bool IsStrict(const std::array<uint8_t, 32>& encoded) {
  using Bytes = std::array<uint8_t, 32>;
  Bytes y = encoded;
  y[31] &= 0x7f;
  Bytes p;
  p.fill(0xff);
  p[0] = 0xed;
  p[31] = 0x7f;
  Bytes minus_one = p, zero = {}, one = {};
  minus_one[0] = 0xec;
  one[0] = 1;
  constexpr Bytes kOfOrder8 = {0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4,
                               0x89, 0xf2, 0xef, 0x98, 0xf0, 0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6,
                               0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05};
  constexpr Bytes kOtherOfOrder8 = {0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b,
                                    0x76, 0x0d, 0x10, 0x67, 0x0f, 0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39,
                                    0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a};
  for (const Bytes& small : {zero, one, minus_one, kOfOrder8, kOtherOfOrder8}) {
    if (y == small) return false;
  }
  return std::lexicographical_compare(y.rbegin(), y.rend(), p.rbegin(), p.rend());
}

using Decode = EVP_PKEY* (*)(EVP_PKEY**, const uint8_t**, long);

// The key of a PEM block of that name, whose bytes are all of the key's.
EVP_PKEY* DecodePem(BIO* bio, std::string_view name, Decode decode) {
  char *found = nullptr, *header = nullptr;
  uint8_t* der = nullptr;
  long size = 0;
  EVP_PKEY* key = nullptr;
  if (PEM_read_bio(bio, &found, &header, &der, &size) == 1 && found == name && *header == 0) {
    const uint8_t* end = der;
    key = decode(nullptr, &end, size);
    if (key != nullptr && end != der + size) {
      EVP_PKEY_free(key);
      key = nullptr;
    }
  }
  OPENSSL_free(found);
  OPENSSL_free(header);
  OPENSSL_clear_free(der, static_cast<size_t>(size));
  return key;
}

absl::StatusOr<std::shared_ptr<EVP_PKEY>> Checked(EVP_PKEY* key, std::string_view what) {
  std::shared_ptr<EVP_PKEY> owned(key, &EVP_PKEY_free);
  if (key != nullptr && EVP_PKEY_id(key) == EVP_PKEY_ED25519) return owned;
  return MakeError(label::key_format, what);
}

// A text with one key, and nothing after it: whoever reads on would see another.
absl::StatusOr<std::shared_ptr<EVP_PKEY>> ReadPem(std::string_view pem, std::string_view name, Decode decode,
                                                  std::string_view what) {
  const Bio bio = Reader(pem);
  auto key = Checked(DecodePem(bio.get(), name, decode), what);
  if (!key.ok()) return key.status();
  char* rest = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &rest);
  const std::string_view after(rest, static_cast<size_t>(size));
  if (after.find_first_not_of(" \t\r\n") == std::string_view::npos) return key;
  return MakeError(label::key_format, "the file goes on after the key: one key belongs in a file");
}

}  // namespace

absl::StatusOr<PublicKey> PublicKey::FromPem(std::string_view pem) {
  auto key = ReadPem(pem, PEM_STRING_PUBLIC, d2i_PUBKEY,
                     "the file is not a public Ed25519 key in PEM (BEGIN PUBLIC KEY)");
  if (!key.ok()) return key.status();
  PublicKey read(*std::move(key));
  if (!IsStrict(read.encoded())) {
    return MakeError(label::key_format,
                     "the key is a point of small order, or not canonical: no secret belongs to it");
  }
  return read;
}

std::array<uint8_t, 32> PublicKey::encoded() const {
  std::array<uint8_t, 32> encoded;
  size_t size = encoded.size();
  Require(EVP_PKEY_get_raw_public_key(key_.get(), encoded.data(), &size) == 1 && size == encoded.size());
  return encoded;
}

std::string PublicKey::ToPem() const {
  return Written([&](BIO* bio) { return PEM_write_bio_PUBKEY(bio, key_.get()); });
}

PublicKey::PublicKey(std::shared_ptr<EVP_PKEY> key) : key_(std::move(key)) {
  std::vector<uint8_t> der(static_cast<size_t>(i2d_PUBKEY(key_.get(), nullptr)));
  uint8_t* out = der.data();
  Require(i2d_PUBKEY(key_.get(), &out) == static_cast<int>(der.size()));
  id_ = Sha256Hash(der);
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
  auto key =
      ReadPem(pem, PEM_STRING_PKCS8INF, d2i_AutoPrivateKey,
              "the file is not a private Ed25519 key in PEM (BEGIN PRIVATE KEY), or it has a password");
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
