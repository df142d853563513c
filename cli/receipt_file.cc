#include "cli/receipt_file.h"

#include <optional>
#include <utility>

#include "base/error.h"
#include "base/hash/digest.h"
#include "base/io/file.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/labels.h"

namespace tally::cli {
namespace {

constexpr uint64_t kMaxKeyBytes = 1 << 16;

template <typename Key>
absl::StatusOr<Key> ReadKey(const std::string& path) {
  ASSIGN_OR_RETURN(const std::vector<uint8_t> pem, ReadFile(path, kMaxKeyBytes));
  auto key = Key::FromPem(AsText(pem));
  if (key.ok()) return key;
  return WithMessage(key.status(), absl::StrCat(path, ": ", key.status().message()));
}

}  // namespace

absl::StatusOr<SigningKey> ReadSigningKey(const std::string& path) { return ReadKey<SigningKey>(path); }

absl::StatusOr<PublicKey> ReadPublicKey(const std::string& path) { return ReadKey<PublicKey>(path); }

absl::StatusOr<std::optional<Digest>> ParseDigestOption(std::string_view option, const std::string& text) {
  if (text.empty()) return std::optional<Digest>();
  const std::optional<Digest> digest = ParseDigest(text);
  if (digest) return digest;
  return MakeError(label::option_syntax,
                   absl::StrCat(ToAbsl(option), ": 64 lowercase hexadecimal digits belong here"));
}

absl::StatusOr<Receipt> ReadReceiptFile(const std::string& path) {
  ASSIGN_OR_RETURN(const std::vector<uint8_t> text, ReadFile(path, kMaxReceiptBytes));
  return ReceiptFromJson(AsText(text));
}

absl::StatusOr<std::optional<Nonce>> ParseNonce(const std::string& text) {
  return ParseDigestOption("--nonce", text);
}

absl::StatusOr<std::string> SignRun(const ClaimedModule& claimed, const std::vector<Tensor>& inputs,
                                    const absl::StatusOr<Outcome>& outcome, const ExecuteOptions& how,
                                    const SigningKey& key, ReceiptCore core) {
  std::vector<TensorView> views;
  for (const Tensor& input : inputs) views.push_back(input.view());
  ASSIGN_OR_RETURN(const Claim claim, ClaimOfRun(claimed, views, outcome, how));
  core.issued_at = SecondsSince1970();
  return ToJson(SignReceipt(claim, core, key));
}

}  // namespace tally::cli
