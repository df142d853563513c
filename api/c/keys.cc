// Keys.
#include "api/c/call.h"
#include "api/c/objects.h"

namespace tally::api {
namespace {

// A key of `size` bytes of PEM.
template <typename Object, typename Key, typename Handle>
absl::Status ReadPem(const char* pem, size_t size, Handle* handle) {
  RETURN_IF_ERROR(NewHandle(handle, "key"));
  RETURN_IF_ERROR(NotNull(pem, "pem"));
  ASSIGN_OR_RETURN(Key key, Key::FromPem({pem, size}));
  Give(std::make_shared<const Object>(Object{std::move(key)}), handle);
  return absl::OkStatus();
}

}  // namespace
}  // namespace tally::api

using namespace tally;       // NOLINT: the functions are outside any namespace
using namespace tally::api;  // NOLINT

tally_status tally_key_generate(tally_key* key, tally_error* error) {
  return Call(error, [&]() -> absl::Status {
    RETURN_IF_ERROR(NewHandle(key, "key"));
    ASSIGN_OR_RETURN(SigningKey made, SigningKey::Generate());
    Give(std::make_shared<const SigningKeyObject>(SigningKeyObject{std::move(made)}), key);
    return absl::OkStatus();
  });
}

tally_status tally_key_from_pem(const char* pem, size_t size, tally_key* key, tally_error* error) {
  return Call(error, [&] { return ReadPem<SigningKeyObject, SigningKey>(pem, size, key); });
}

tally_status tally_key_close(tally_key key) { return Close<SigningKeyObject>(key); }

tally_status tally_key_public(tally_key key, tally_public_key* public_key, tally_error* error) {
  return Call(error, [&]() -> absl::Status {
    RETURN_IF_ERROR(NewHandle(public_key, "public key"));
    ASSIGN_OR_RETURN(const auto signing, ObjectOf<SigningKeyObject>(key));
    Give(std::make_shared<const PublicKeyObject>(PublicKeyObject{signing->key.public_key()}), public_key);
    return absl::OkStatus();
  });
}

tally_status tally_public_key_from_pem(const char* pem, size_t size, tally_public_key* key,
                                       tally_error* error) {
  return Call(error, [&] { return ReadPem<PublicKeyObject, PublicKey>(pem, size, key); });
}

tally_status tally_public_key_close(tally_public_key key) { return Close<PublicKeyObject>(key); }

tally_status tally_public_key_id(tally_public_key key, uint8_t id[32], tally_error* error) {
  return Call(error, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const auto found, ObjectOf<PublicKeyObject>(key));
    return WriteDigest(found->key.id(), id);
  });
}

tally_status tally_key_pem(tally_key key, char* text, size_t capacity, size_t* size, tally_error* error) {
  return Call(error, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const auto found, ObjectOf<SigningKeyObject>(key));
    return WriteText(found->key.ToPem(), text, capacity, size);
  });
}

tally_status tally_public_key_pem(tally_public_key key, char* text, size_t capacity, size_t* size,
                                  tally_error* error) {
  return Call(error, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const auto found, ObjectOf<PublicKeyObject>(key));
    return WriteText(found->key.ToPem(), text, capacity, size);
  });
}
