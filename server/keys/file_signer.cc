#include <utility>

#include "base/io/file.h"
#include "base/status_macros.h"
#include "server/keys/private_file.h"
#include "server/keys/signer.h"

namespace tally::server {
namespace {

constexpr uint64_t kMostKeyBytes = 1 << 16;

class FileSigner final : public Signer {
 public:
  explicit FileSigner(SigningKey key) : key_(std::move(key)) {}
  const PublicKey& public_key() const override { return key_.public_key(); }
  absl::StatusOr<Signature> Sign(std::span<const uint8_t> message) const override {
    return key_.Sign(message);
  }

 private:
  const SigningKey key_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<const Signer>> OpenFileSigner(const std::string& path) {
  ASSIGN_OR_RETURN(const std::vector<uint8_t> pem, ReadPrivateFile(path, kMostKeyBytes));
  ASSIGN_OR_RETURN(SigningKey key, SigningKey::FromPem(AsText(pem)));
  return std::make_unique<const FileSigner>(std::move(key));
}

absl::StatusOr<std::unique_ptr<const Signer>> OpenSigner(const std::string& key) {
  return key.starts_with("pkcs11:") ? OpenTokenSigner(key) : OpenFileSigner(key);
}

}  // namespace tally::server
