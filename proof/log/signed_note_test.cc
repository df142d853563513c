#include "proof/log/signed_note.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "proof/log/checkpoint.h"
#include "proof/log/log_proof.h"

namespace tally {
namespace {

class SignedNoteTest : public testing::Test {
 protected:
  static std::string ParseLabel(const std::string& text) { return ErrorLabel(ParseNote(text).status()); }
  std::string OpenLabel(const std::string& text, const NoteKey& key) {
    const auto note = ParseNote(text);
    EXPECT_TRUE(note.ok()) << note.status();
    return ErrorLabel(OpenCheckpoint(*note, key).status());
  }

  const SigningKey key_ = *SigningKey::Generate(), other_ = *SigningKey::Generate();
  const NoteKey log_ = {"example.com/log", key_.public_key()};
  const Checkpoint checkpoint_ = {.origin = "example.com/log", .size = 7, .root = {1, 2, 3}};
  const std::string text_ = CheckpointText(checkpoint_);
  const std::string note_ = SignNote(text_, log_.name, key_);
};

TEST_F(SignedNoteTest, ACheckpointIsReadBack) {
  const SignedNote note = *ParseNote(note_);
  EXPECT_EQ(note.text, text_);
  EXPECT_EQ(*OpenCheckpoint(note, log_), checkpoint_);
  EXPECT_EQ(*ParseCheckpoint(text_ + "an extension\n"), checkpoint_);
}

TEST_F(SignedNoteTest, OnlyTheLogsSignatureCounts) {
  EXPECT_EQ(OpenLabel(note_, {log_.name, other_.public_key()}), "log_signature");
  EXPECT_EQ(OpenLabel(SignNote(text_, "another", key_), log_), "log_signature");
  EXPECT_EQ(OpenLabel(note_, {"another", key_.public_key()}), "log_signature");
  std::string forged = note_;
  forged.replace(forged.find("\n7\n"), 3, "\n8\n");
  EXPECT_EQ(OpenLabel(forged, log_), "log_signature");
  // A cosignature is of another message, and is no signature of the log.
  EXPECT_EQ(OpenLabel(text_ + "\n" + Cosign(text_, log_.name, 5, key_), log_), "log_signature");
}

TEST_F(SignedNoteTest, WitnessesSignWithTheirTime) {
  const NoteKey witness = {"witness", other_.public_key()};
  const std::string cosigned = note_ + Cosign(text_, "witness", 1700000000, other_);
  const SignedNote note = *ParseNote(cosigned);
  EXPECT_EQ(*OpenCheckpoint(note, log_), checkpoint_);
  EXPECT_EQ(*CheckCosignature(note, witness), 1700000000u);
  EXPECT_EQ(ErrorLabel(CheckCosignature(note, {"witness", key_.public_key()}).status()), "log_signature");
  EXPECT_EQ(ErrorLabel(CheckCosignature(*ParseNote(note_), witness).status()), "log_signature");
  SignedNote later = note;
  ++later.signatures[1].signature[7];  // the time
  EXPECT_EQ(ErrorLabel(CheckCosignature(later, witness).status()), "log_signature");
}

TEST_F(SignedNoteTest, OtherFormsAreRefused) {
  for (const std::string& text :
       {std::string(), std::string("\n"), text_, text_ + "\n", note_.substr(0, note_.size() - 1),
        note_ + "x\n", text_ + "\n\xe2\x80\x94 name\n", text_ + "\n\xe2\x80\x94 name ???\n",
        text_ + "\n\xe2\x80\x94 a+b AAAAAAAA\n", text_ + "\n- name AAAAAAAA\n"})
    EXPECT_EQ(ParseLabel(text), "log_form") << text;
  for (const char* text :
       {"", "a\n", "a\n1\n", "a\n01\nAQIDAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n", "a\n-1\nAQ==\n",
        "a\n1\nAQ==\n", "a b\n1\nAQIDAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n",
        "a\n9223372036854775808\nAQIDAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n"})
    EXPECT_EQ(ErrorLabel(ParseCheckpoint(text).status()), "log_form") << text;
}

TEST_F(SignedNoteTest, ProofsAreReadBackAndOtherFormsRefused) {
  const InclusionText proof = {.index = 3, .path = {{1}, {2}}, .checkpoint = note_};
  const std::string text = ToText(proof);
  const InclusionText read = *ParseInclusion(text);
  EXPECT_EQ(read.index, 3u);
  EXPECT_EQ(read.path, proof.path);
  EXPECT_EQ(read.checkpoint, note_);
  std::string extra = text;
  EXPECT_TRUE(ParseInclusion(extra.insert(text.find("index"), "extra AAAA\n")).ok());
  for (const std::string& bad :
       {std::string(), "x" + text, text.substr(0, text.find("index")), text.substr(0, text.find("\n\n"))})
    EXPECT_EQ(ErrorLabel(ParseInclusion(bad).status()), "log_form") << bad;
  std::string long_path = "c2sp.org/tlog-proof@v1\nindex 0\n";
  for (int i = 0; i < 65; ++i) long_path += "AQIDAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n";
  EXPECT_EQ(ErrorLabel(ParseInclusion(long_path + "\n" + note_).status()), "log_form");
  const ConsistencyText growth = {.old_size = 2, .proof = {{4}}, .checkpoint = note_};
  EXPECT_EQ(ToText(*ParseConsistency(ToText(growth))), ToText(growth));
  EXPECT_EQ(ErrorLabel(ParseConsistency("old x\n\n").status()), "log_form");
  EXPECT_EQ(ErrorLabel(CheckConsistency(growth, {.origin = log_.name, .size = 2, .root = {}}, log_).status()),
            "log_history");
  EXPECT_EQ(ErrorLabel(CheckConsistency(growth, {.origin = log_.name, .size = 8, .root = {}}, log_).status()),
            "log_history");
  const uint8_t entry[] = {1};
  EXPECT_EQ(ErrorLabel(CheckInclusion(proof, entry, log_).status()), "log_inclusion");
}

}  // namespace
}  // namespace tally
