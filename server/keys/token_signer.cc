// Keys of tokens, by PKCS #11.
#include <p11-kit/p11-kit.h>
#include <p11-kit/uri.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/io/file.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "proof/receipt/dsse.h"
#include "server/keys/signer.h"
#include "server/labels.h"

namespace tally::server {
namespace {

absl::Status TokenFailed(std::string_view what, CK_RV code = CKR_OK) {
  const std::string why = code == CKR_OK ? "" : absl::StrCat(": ", p11_kit_strerror(code));
  return MakeError(label::key_token, Printable(absl::StrCat(ToAbsl(what), why)));
}

using Uri = std::unique_ptr<P11KitUri, decltype(&p11_kit_uri_free)>;

// The PIN that a URI says, or that is the first line of the file which it names.
absl::StatusOr<std::string> PinOf(P11KitUri* uri) {
  if (const char* value = p11_kit_uri_get_pin_value(uri)) return std::string(value);
  const char* source = p11_kit_uri_get_pin_source(uri);
  if (source == nullptr) return TokenFailed("the URI of a key has neither pin-source nor pin-value");
  ASSIGN_OR_RETURN(const std::vector<uint8_t> text, ReadFile(source, 1 << 10));
  const std::string_view pin = AsText(text);
  return std::string(pin.substr(0, pin.find_first_of("\r\n")));
}

// A session with a token, logged in.
class TokenSession {
 public:
  explicit TokenSession(CK_FUNCTION_LIST* module) : module_(module) {}
  TokenSession(const TokenSession&) = delete;
  TokenSession& operator=(const TokenSession&) = delete;
  ~TokenSession() {
    if (open_) module_->C_CloseSession(session_);
    if (initialized_) p11_kit_module_finalize(module_);
    p11_kit_module_release(module_);
  }

  absl::Status Open(P11KitUri* uri, const std::string& pin) {
    if (const CK_RV code = p11_kit_module_initialize(module_); code != CKR_OK)
      return TokenFailed("the token's module does not start", code);
    initialized_ = true;
    CK_ULONG count = 0;
    module_->C_GetSlotList(CK_TRUE, nullptr, &count);
    std::vector<CK_SLOT_ID> slots(count);
    if (count > 0) module_->C_GetSlotList(CK_TRUE, slots.data(), &count);
    const auto slot = std::ranges::find_if(slots, [&](CK_SLOT_ID id) {
      CK_TOKEN_INFO info;
      return module_->C_GetTokenInfo(id, &info) == CKR_OK && p11_kit_uri_match_token_info(uri, &info) == 1;
    });
    if (slot == slots.end()) return TokenFailed("there is no such token");
    if (const CK_RV code = module_->C_OpenSession(*slot, CKF_SERIAL_SESSION, nullptr, nullptr, &session_);
        code != CKR_OK)
      return TokenFailed("the token opens no session", code);
    open_ = true;
    std::vector<CK_UTF8CHAR> bytes(pin.begin(), pin.end());
    const CK_RV code = module_->C_Login(session_, CKU_USER, bytes.data(), bytes.size());
    if (code != CKR_OK && code != CKR_USER_ALREADY_LOGGED_IN)
      return TokenFailed("the token refuses the PIN", code);
    return absl::OkStatus();
  }

  // The object of that class that the URI names.
  absl::StatusOr<CK_OBJECT_HANDLE> Find(P11KitUri* uri, CK_OBJECT_CLASS of_class) {
    CK_ULONG named = 0;
    CK_ATTRIBUTE* attributes = p11_kit_uri_get_attributes(uri, &named);
    CK_KEY_TYPE type = CKK_EC_EDWARDS;
    std::vector<CK_ATTRIBUTE> wanted = {{CKA_CLASS, &of_class, sizeof of_class},
                                        {CKA_KEY_TYPE, &type, sizeof type}};
    for (CK_ULONG i = 0; i < named; ++i) {
      if (attributes[i].type != CKA_CLASS) wanted.push_back(attributes[i]);
    }
    std::vector<CK_OBJECT_HANDLE> found(2);
    CK_ULONG count = 0;
    if (module_->C_FindObjectsInit(session_, wanted.data(), wanted.size()) == CKR_OK) {
      module_->C_FindObjects(session_, found.data(), found.size(), &count);
      module_->C_FindObjectsFinal(session_);
    }
    if (count != 1) return TokenFailed("the token has not one such Ed25519 key");
    return found[0];
  }

  absl::StatusOr<PublicKey> PublicKeyOf(CK_OBJECT_HANDLE object) {
    std::vector<uint8_t> point(256);
    CK_ATTRIBUTE attribute = {CKA_EC_POINT, point.data(), point.size()};
    const CK_RV code = module_->C_GetAttributeValue(session_, object, &attribute, 1);
    if (code != CKR_OK || attribute.ulValueLen < 32)
      return TokenFailed("the token does not show the public key", code);
    // In DER or as it is, the point is at the end.
    const std::vector<uint8_t> encoded(point.begin() + attribute.ulValueLen - 32,
                                       point.begin() + attribute.ulValueLen);
    std::vector<uint8_t> der = {0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00};
    der.insert(der.end(), encoded.begin(), encoded.end());
    return PublicKey::FromPem(
        absl::StrCat("-----BEGIN PUBLIC KEY-----\n", ToBase64(der), "\n-----END PUBLIC KEY-----\n"));
  }

  absl::StatusOr<Signature> Sign(CK_OBJECT_HANDLE object, std::span<const uint8_t> message) {
    CK_MECHANISM mechanism = {CKM_EDDSA, nullptr, 0};
    std::vector<uint8_t> bytes(message.begin(), message.end());
    Signature signature;
    CK_ULONG size = signature.size();
    CK_RV code = module_->C_SignInit(session_, &mechanism, object);
    if (code == CKR_OK) code = module_->C_Sign(session_, bytes.data(), bytes.size(), signature.data(), &size);
    if (code != CKR_OK || size != signature.size()) return TokenFailed("the token does not sign", code);
    return signature;
  }

 private:
  CK_FUNCTION_LIST* const module_;
  bool initialized_ = false, open_ = false;
  CK_SESSION_HANDLE session_ = 0;
};

class TokenSigner final : public Signer {
 public:
  TokenSigner(std::unique_ptr<TokenSession> session, CK_OBJECT_HANDLE key, PublicKey public_key)
      : session_(std::move(session)), key_(key), public_key_(std::move(public_key)) {}

  const PublicKey& public_key() const override { return public_key_; }
  absl::StatusOr<Signature> Sign(std::span<const uint8_t> message) const override {
    const std::lock_guard lock(mutex_);  // a session does one thing at a time
    return session_->Sign(key_, message);
  }

 private:
  mutable std::mutex mutex_;
  const std::unique_ptr<TokenSession> session_;
  const CK_OBJECT_HANDLE key_;
  const PublicKey public_key_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<const Signer>> OpenTokenSigner(const std::string& text) {
  const Uri uri(p11_kit_uri_new(), &p11_kit_uri_free);
  if (p11_kit_uri_parse(text.c_str(), P11_KIT_URI_FOR_ANY, uri.get()) != P11_KIT_URI_OK)
    return TokenFailed("the URI of a key is not of RFC 7512");
  const char* path = p11_kit_uri_get_module_path(uri.get());
  if (path == nullptr) return TokenFailed("the URI of a key has no module-path, the token's library");
  ASSIGN_OR_RETURN(const std::string pin, PinOf(uri.get()));
  CK_FUNCTION_LIST* module = p11_kit_module_load(path, 0);
  if (module == nullptr) return TokenFailed(absl::StrCat("'", path, "' is not the library of a token"));
  auto session = std::make_unique<TokenSession>(module);
  RETURN_IF_ERROR(session->Open(uri.get(), pin));
  ASSIGN_OR_RETURN(const CK_OBJECT_HANDLE of_public, session->Find(uri.get(), CKO_PUBLIC_KEY));
  ASSIGN_OR_RETURN(PublicKey public_key, session->PublicKeyOf(of_public));
  ASSIGN_OR_RETURN(const CK_OBJECT_HANDLE key, session->Find(uri.get(), CKO_PRIVATE_KEY));
  return std::make_unique<const TokenSigner>(std::move(session), key, std::move(public_key));
}

}  // namespace tally::server
