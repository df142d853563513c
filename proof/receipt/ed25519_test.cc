#include "proof/receipt/ed25519.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace tally {
namespace {

std::vector<uint8_t> Bytes(std::string_view text) { return {text.begin(), text.end()}; }

// RFC 8032, section 7.1, tests 1 and 2: the seeds, in PKCS #8.
SigningKey KeyOfRfc(int test) {
  const std::string base64 = test == 1 ? "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g"
                                       : "MC4CAQAwBQYDK2VwBCIEIEzNCJso/5banbbDRuwRTg9bijGfNaumJNqM9u1PuKb7";
  auto key = SigningKey::FromPem("-----BEGIN PRIVATE KEY-----\n" + base64 + "\n-----END PRIVATE KEY-----\n");
  EXPECT_TRUE(key.ok()) << key.status();
  return *key;
}

TEST(Ed25519, SignsAsTheStandardSays) {
  EXPECT_EQ(ToHex(KeyOfRfc(1).Sign({})),
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
            "d25bf5f0595bbe24655141438e7a100b");
  const std::vector<uint8_t> message = {0x72};
  EXPECT_EQ(ToHex(KeyOfRfc(2).Sign(message)),
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c"
            "387b2eaeb4302aeeb00d291612bb0c00");
}

TEST(Ed25519, VerifiesItsOwnSignatureAndNoOther) {
  const SigningKey key = *SigningKey::Generate();
  const std::vector<uint8_t> message = Bytes("a run");
  const Signature signature = key.Sign(message);
  EXPECT_TRUE(key.public_key().Verifies(message, signature));
  EXPECT_FALSE(SigningKey::Generate()->public_key().Verifies(message, signature));
  EXPECT_FALSE(key.public_key().Verifies(Bytes("a rum"), signature));
  for (size_t bit = 0; bit < 8 * signature.size(); ++bit) {
    Signature other = signature;
    other[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    EXPECT_FALSE(key.public_key().Verifies(message, other)) << bit;
  }
}

TEST(Ed25519, KeysComeBackFromTheirFiles) {
  const SigningKey key = *SigningKey::Generate();
  const SigningKey again = *SigningKey::FromPem(key.ToPem());
  EXPECT_EQ(again.Sign({}), key.Sign({}));
  const PublicKey public_key = *PublicKey::FromPem(key.public_key().ToPem());
  EXPECT_EQ(public_key.id(), key.public_key().id());
  EXPECT_NE(public_key.id(), SigningKey::Generate()->public_key().id());
}

// By the point of order 1 the signature (R = identity, S = 0) verifies for every message.
TEST(Ed25519, RefusesKeysOfSmallOrderAndOthersThatAreNotCanonical) {
  const auto label = [](std::string_view base64) {
    return std::string(ErrorLabel(PublicKey::FromPem("-----BEGIN PUBLIC KEY-----\n" + std::string(base64) +
                                                     "\n-----END PUBLIC KEY-----\n")
                                      .status()));
  };
  for (const char* y : {
           "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",  // 1, of order 1
           "7P///////////////////////////////////////38=",  // p - 1, of order 2
           "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",  // 0, of order 4
           "JuiVj8KyJ7BFw/SJ8u+Y8NXfrAXTxjM5sTgCiG1T/AU=",  // a point of order 8
           "xxdqcD1N2E+6PAt2DRBnDyogU/osOczGTsf9d5KsA3o=",  // a point of order 8
           "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIA=",  // 1 with the sign of x
           "7v///////////////////////////////////////38=",  // p + 1
           "8P///////////////////////////////////////38=",  // p + 3, a point whose y is 3
       }) {
    // SubjectPublicKeyInfo: 12 bytes, and the point.
    EXPECT_EQ(label(std::string("MCowBQYDK2VwAyEA") + y), "key_format") << y;
  }
}

TEST(Ed25519, RefusesWhatIsNoSuchKey) {
  const SigningKey key = *SigningKey::Generate();
  const auto private_label = [](std::string_view pem) {
    return ErrorLabel(SigningKey::FromPem(pem).status());
  };
  const auto public_label = [](std::string_view pem) { return ErrorLabel(PublicKey::FromPem(pem).status()); };
  EXPECT_EQ(private_label(""), "key_format");
  EXPECT_EQ(private_label(key.public_key().ToPem()), "key_format");
  EXPECT_EQ(public_label(key.ToPem()), "key_format");
  const std::string pem = key.ToPem();
  EXPECT_EQ(private_label(pem.substr(0, pem.size() / 2)), "key_format");
  // A second key, or bytes in the block that are none of the key's.
  const std::string twice = pem + SigningKey::Generate()->ToPem();
  EXPECT_EQ(private_label(twice), "key_format");
  const std::string public_pem = key.public_key().ToPem();
  EXPECT_EQ(public_label(public_pem + public_pem), "key_format");
  EXPECT_EQ(public_label(public_pem + "x"), "key_format");
  EXPECT_EQ(public_label(public_pem + " \r\n"), "");
  EXPECT_EQ(public_label("-----BEGIN PUBLIC KEY-----\n"
                         "MCowBQYDK2VwAyEAhSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmoAAAAA\n"
                         "-----END PUBLIC KEY-----\n"),
            "key_format");
  // X25519 of the same length, and a key with a password, for which nobody is asked.
  EXPECT_EQ(public_label("-----BEGIN PUBLIC KEY-----\n"
                         "MCowBQYDK2VuAyEAhSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo=\n"
                         "-----END PUBLIC KEY-----\n"),
            "key_format");
  EXPECT_EQ(private_label("-----BEGIN ENCRYPTED PRIVATE KEY-----\n"
                          "MIGbMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAjKvRkQ6ZtkRQICCAAw\n"
                          "DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEAAAAAAAAAAAAAAAAAAAAAAEQAAA\n"
                          "-----END ENCRYPTED PRIVATE KEY-----\n"),
            "key_format");
}

}  // namespace
}  // namespace tally
