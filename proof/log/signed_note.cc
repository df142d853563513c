#include "proof/log/signed_note.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/hash/sha256.h"
#include "base/io/file.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "proof/labels.h"
#include "proof/receipt/dsse.h"

namespace tally {
namespace {

constexpr std::string_view kDash = "\xe2\x80\x94 ";  // U+2014 and a space
constexpr uint8_t kEd25519 = 0x01, kCosignature = 0x04;
constexpr size_t kTimeBytes = 8;

absl::Status MalformedNote(std::string_view what) {
  return MakeError(label::log_form, absl::StrCat("the note ", ToAbsl(what)));
}

std::array<uint8_t, 4> KeyHash(std::string_view name, uint8_t kind, const PublicKey& key) {
  Sha256 hash;
  hash.Update(AsBytes(name));
  const uint8_t between[] = {'\n', kind};
  hash.Update(between);
  hash.Update(key.encoded());
  const Digest digest = hash.Finish();
  return {digest[0], digest[1], digest[2], digest[3]};
}

std::string SignatureLine(std::string_view name, std::span<const uint8_t> key_hash,
                          std::span<const uint8_t> signature) {
  std::vector<uint8_t> bytes(key_hash.begin(), key_hash.end());
  bytes.insert(bytes.end(), signature.begin(), signature.end());
  return absl::StrCat(ToAbsl(kDash), ToAbsl(name), " ", ToBase64(bytes), "\n");
}

std::string Cosigned(std::string_view text, uint64_t seconds) {
  return absl::StrCat("cosignature/v1\ntime ", seconds, "\n", ToAbsl(text));
}

absl::StatusOr<NoteSignature> ParseSignature(std::string_view line) {
  if (!line.starts_with(kDash)) return MalformedNote("has a line among its signatures that is no signature");
  line.remove_prefix(kDash.size());
  const size_t blank = line.find(' ');
  if (blank == std::string_view::npos) return MalformedNote("has a signature without a name");
  NoteSignature signature = {.name = std::string(line.substr(0, blank))};
  const auto bytes = FromBase64(line.substr(blank + 1));
  if (!IsNoteName(signature.name) || !bytes || bytes->size() < signature.key_hash.size())
    return MalformedNote("has a signature of another form");
  const auto end = bytes->begin() + static_cast<ptrdiff_t>(signature.key_hash.size());
  std::copy(bytes->begin(), end, signature.key_hash.begin());
  signature.signature.assign(end, bytes->end());
  return signature;
}

// The signature of a key, or error log_signature.
absl::StatusOr<const NoteSignature*> SignatureOf(const SignedNote& note, const NoteKey& key, uint8_t kind,
                                                 size_t bytes) {
  const std::array<uint8_t, 4> hash = KeyHash(key.name, kind, key.key);
  for (const NoteSignature& signature : note.signatures) {
    if (signature.name != key.name || signature.key_hash != hash) continue;
    if (signature.signature.size() == bytes) return &signature;
  }
  return MakeError(label::log_signature, absl::StrCat("the note has no signature of '", Printable(key.name),
                                                      "' with the key at hand"));
}

absl::Status Check(const NoteKey& key, std::string_view message, std::span<const uint8_t> signature) {
  Signature bytes;
  std::ranges::copy(signature, bytes.begin());
  if (key.key.Verifies(AsBytes(message), bytes)) return absl::OkStatus();
  return MakeError(label::log_signature, absl::StrCat("the signature of '", Printable(key.name), "' fails"));
}

}  // namespace

bool IsNoteName(std::string_view name) {
  return !name.empty() && std::ranges::none_of(name, [](char c) {
    return static_cast<uint8_t>(c) <= ' ' || c == '+' || static_cast<uint8_t>(c) >= 0x7f;
  });
}

std::string VerifierKey(const NoteKey& key) {
  std::vector<uint8_t> bytes = {kEd25519};
  const auto encoded = key.key.encoded();
  bytes.insert(bytes.end(), encoded.begin(), encoded.end());
  return absl::StrCat(key.name, "+", ToHex(KeyHash(key.name, kEd25519, key.key)), "+", ToBase64(bytes));
}

std::string SignNote(std::string_view text, std::string_view name, const SigningKey& key) {
  const Signature signature = key.Sign(AsBytes(text));
  return absl::StrCat(ToAbsl(text), "\n",
                      SignatureLine(name, KeyHash(name, kEd25519, key.public_key()), signature));
}

std::string Cosign(std::string_view text, std::string_view name, uint64_t seconds, const SigningKey& key) {
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i < kTimeBytes; ++i)
    bytes.push_back(static_cast<uint8_t>(seconds >> (8 * (kTimeBytes - 1 - i))));
  const Signature signature = key.Sign(AsBytes(Cosigned(text, seconds)));
  bytes.insert(bytes.end(), signature.begin(), signature.end());
  return SignatureLine(name, KeyHash(name, kCosignature, key.public_key()), bytes);
}

absl::StatusOr<SignedNote> ParseNote(std::string_view note) {
  // The last empty line: a text may have others.
  const size_t end = note.rfind("\n\n");
  if (end == std::string_view::npos) return MalformedNote("has no empty line between text and signatures");
  if (!note.ends_with('\n')) return MalformedNote("ends within a line");
  SignedNote parsed = {.text = std::string(note.substr(0, end + 1)), .signatures = {}};
  std::string_view lines = note.substr(end + 2);
  while (!lines.empty()) {
    const size_t stop = lines.find('\n');
    ASSIGN_OR_RETURN(NoteSignature signature, ParseSignature(lines.substr(0, stop)));
    parsed.signatures.push_back(std::move(signature));
    lines.remove_prefix(stop + 1);
  }
  if (parsed.signatures.empty()) return MalformedNote("has no signature");
  return parsed;
}

absl::Status CheckSignature(const SignedNote& note, const NoteKey& key) {
  ASSIGN_OR_RETURN(const NoteSignature* signature, SignatureOf(note, key, kEd25519, sizeof(Signature)));
  return Check(key, note.text, signature->signature);
}

absl::StatusOr<uint64_t> CheckCosignature(const SignedNote& note, const NoteKey& witness) {
  ASSIGN_OR_RETURN(const NoteSignature* signature,
                   SignatureOf(note, witness, kCosignature, kTimeBytes + sizeof(Signature)));
  const std::span<const uint8_t> bytes = signature->signature;
  uint64_t seconds = 0;
  for (const uint8_t byte : bytes.first(kTimeBytes)) seconds = seconds << 8 | byte;
  RETURN_IF_ERROR(Check(witness, Cosigned(note.text, seconds), bytes.subspan(kTimeBytes)));
  return seconds;
}

}  // namespace tally
