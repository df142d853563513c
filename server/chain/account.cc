#include "server/chain/account.h"

#include <secp256k1.h>
#include <secp256k1_recovery.h>

#include <algorithm>

#include "base/error.h"
#include "base/io/file.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "server/chain/hex.h"
#include "server/chain/keccak.h"
#include "server/keys/private_file.h"
#include "server/labels.h"

namespace tally::server {
namespace {

constexpr uint64_t kMostKeyBytes = 256;

// One for all threads: it is only read.
const secp256k1_context* Curve() {
  static const secp256k1_context* const context = secp256k1_context_create(SECP256K1_CONTEXT_SIGN);
  return context;
}

}  // namespace

absl::StatusOr<Address> ParseAddress(std::string_view text) {
  const auto bytes = BytesOfHex(text);
  Address address;
  if (!text.starts_with("0x") || !bytes || bytes->size() != address.size())
    return MakeError(label::chain_account, "an address is 0x and 40 hexadecimal digits");
  std::ranges::copy(*bytes, address.begin());
  return address;
}

absl::StatusOr<Account> Account::Of(std::string_view hex) {
  const auto bytes = BytesOfHex(hex.substr(0, hex.find_first_of("\r\n")));
  Account account;
  secp256k1_pubkey point;
  if (!bytes || bytes->size() != account.key_.size() ||
      secp256k1_ec_pubkey_create(Curve(), &point, bytes->data()) != 1)
    return MakeError(label::chain_account, "a private key is 64 hexadecimal digits, below the curve's order");
  std::ranges::copy(*bytes, account.key_.begin());
  std::array<uint8_t, 65> encoded;  // 4, x, y
  size_t size = encoded.size();
  secp256k1_ec_pubkey_serialize(Curve(), encoded.data(), &size, &point, SECP256K1_EC_UNCOMPRESSED);
  const Digest hash = Keccak256(std::span(encoded).subspan(1));
  std::copy(hash.begin() + 12, hash.end(), account.address_.begin());
  return account;
}

absl::StatusOr<Account> Account::Open(const std::string& path) {
  ASSIGN_OR_RETURN(const std::vector<uint8_t> text, ReadPrivateFile(path, kMostKeyBytes));
  return Of(AsText(text));
}

AccountSignature Account::Sign(const Digest& hash) const {
  secp256k1_ecdsa_recoverable_signature signature;
  // It fails for a key that is none, and Of has seen to that.
  secp256k1_ecdsa_sign_recoverable(Curve(), &signature, hash.data(), key_.data(), nullptr, nullptr);
  std::array<uint8_t, 64> bytes;
  AccountSignature found;
  secp256k1_ecdsa_recoverable_signature_serialize_compact(Curve(), bytes.data(), &found.parity, &signature);
  std::copy_n(bytes.begin(), 32, found.r.begin());
  std::copy_n(bytes.begin() + 32, 32, found.s.begin());
  return found;
}

}  // namespace tally::server
