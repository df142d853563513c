// An account of a chain: a key of secp256k1, and its address.
//
//   ASSIGN_OR_RETURN(const Account account, Account::Open("asserter.key"));
//   const AccountSignature signature = account.Sign(Keccak256(transaction));
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/hash/digest.h"

namespace tally::server {

using Address = std::array<uint8_t, 20>;

// 40 hexadecimal digits, with 0x before them. Error chain_account.
absl::StatusOr<Address> ParseAddress(std::string_view text);

// ECDSA with a nonce by RFC 6979, and the lower of both s.
struct AccountSignature {
  Digest r = {}, s = {};
  int parity = 0;  // the y of the point has it: with r and s, a chain finds the address
};

class Account {
 public:
  // A file of mode 600 with 64 hexadecimal digits, with or without 0x before them. Errors: key_mode;
  // chain_account (another form, or no key of the curve); those of ReadFile.
  static absl::StatusOr<Account> Open(const std::string& path);
  static absl::StatusOr<Account> Of(std::string_view hex);

  // The last 20 bytes of the hash of the public key.
  const Address& address() const { return address_; }

  AccountSignature Sign(const Digest& hash) const;

 private:
  Account() = default;

  Digest key_ = {};
  Address address_ = {};
};

}  // namespace tally::server
