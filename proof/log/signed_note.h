// Signed notes (C2SP signed-note): a text with signatures under it, as logs and their witnesses write them.
//
//   const std::string note = SignNote("example.com/log\n5\n..\n", "example.com/log", key);
//   ASSIGN_OR_RETURN(const SignedNote read, ParseNote(note));
//   read.text;                                                      // signed by whom?
//   RETURN_IF_ERROR(CheckSignature(read, {"example.com/log", key.public_key()}));
//
// A note has signatures of many keys; readers pass over those that they do not know.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "proof/receipt/ed25519.h"

namespace tally {

// Whose signature it is: a name, which has no spaces, no plus sign and no control characters, and a key.
struct NoteKey {
  std::string name;
  PublicKey key;
};
bool IsNoteName(std::string_view name);

// "name+00a1b2c3+AZ..": the line that other tools know a log's key by (Go's note.NewVerifier).
std::string VerifierKey(const NoteKey& key);

// A line under a note: "— name base64(key hash, signature)". In a cosignature of a witness, a time comes
// before the signature.
struct NoteSignature {
  std::string name;
  std::array<uint8_t, 4> key_hash = {};
  std::vector<uint8_t> signature;
};
struct SignedNote {
  std::string text;  // ends with a line end
  std::vector<NoteSignature> signatures;
};

// The note of a text with one signature.
std::string SignNote(std::string_view text, std::string_view name, const SigningKey& key);
// The line of a cosignature (C2SP tlog-cosignature): by a witness, who has seen that a log only grows.
std::string Cosign(std::string_view text, std::string_view name, uint64_t seconds, const SigningKey& key);

// Errors: log_form.
absl::StatusOr<SignedNote> ParseNote(std::string_view note);

// Errors: log_signature, where no signature of the note is the key's, or one is that fails.
absl::Status CheckSignature(const SignedNote& note, const NoteKey& key);
// The same for a cosignature; returns its time, in seconds since 1970.
absl::StatusOr<uint64_t> CheckCosignature(const SignedNote& note, const NoteKey& witness);

}  // namespace tally
