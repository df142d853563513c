#include "server/keys/signer.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/error.h"
#include "base/io/file.h"

namespace tally::server {
namespace {

std::string Temporary(const std::string& name) { return testing::TempDir() + "/" + name; }

TEST(Signer, AFileThatOthersMayReadIsRefused) {
  const std::string path = Temporary("node.key");
  const SigningKey key = *SigningKey::Generate();
  ASSERT_TRUE(WriteFileAtomically(path, AsBytes(key.ToPem())).ok());
  ASSERT_EQ(chmod(path.c_str(), 0640), 0);
  EXPECT_EQ(ErrorLabel(OpenSigner(path).status()), "key_mode");
  ASSERT_EQ(chmod(path.c_str(), 0600), 0);
  const auto signer = *OpenSigner(path);
  EXPECT_EQ(signer->public_key().id(), key.public_key().id());
  EXPECT_TRUE(key.public_key().Verifies(AsBytes("message"), *signer->Sign(AsBytes("message"))));
}

TEST(Signer, OtherFilesAndUrisAreRefused) {
  EXPECT_EQ(ErrorLabel(OpenSigner(Temporary("missing")).status()), "file_open");
  for (const std::string uri : {"pkcs11:%", "pkcs11:object=a", "pkcs11:object=a?module-path=/missing.so",
                                "pkcs11:object=a?module-path=/missing.so&pin-value=1"}) {
    EXPECT_EQ(ErrorLabel(OpenSigner(uri).status()), "key_token") << uri;
  }
}

constexpr char kSoftHsm[] = "/usr/lib/softhsm/libsofthsm2.so";

TEST(Signer, AKeyOfATokenSigns) {
  if (!std::filesystem::exists(kSoftHsm) || !std::filesystem::exists("/usr/bin/softhsm2-util"))
    GTEST_SKIP() << "softhsm2 is not installed (./dev setup server)";
  const std::string folder = Temporary("tokens"), config = Temporary("softhsm.conf"),
                    pem = Temporary("token.pem");
  std::filesystem::create_directories(folder);
  ASSERT_TRUE(WriteFileAtomically(config, AsBytes("directories.tokendir = " + folder + "\n")).ok());
  setenv("SOFTHSM2_CONF", config.c_str(), 1);
  const SigningKey key = *SigningKey::Generate();
  ASSERT_TRUE(WriteFileAtomically(pem, AsBytes(key.ToPem())).ok());
  ASSERT_TRUE(WriteFileAtomically(Temporary("pin"), AsBytes("1234\n")).ok());
  const std::string util = "/usr/bin/softhsm2-util";
  ASSERT_EQ(
      std::system((util + " --init-token --free --label node --pin 1234 --so-pin 4321 > /dev/null").c_str()),
      0);
  ASSERT_EQ(std::system(
                (util + " --import " + pem + " --token node --label receipts --id 07 --pin 1234 > /dev/null")
                    .c_str()),
            0);
  const std::string of_module = std::string("?module-path=") + kSoftHsm;
  const auto signer =
      OpenSigner("pkcs11:token=node;object=receipts" + of_module + "&pin-source=" + Temporary("pin"));
  ASSERT_TRUE(signer.ok()) << signer.status();
  EXPECT_EQ((*signer)->public_key().id(), key.public_key().id());
  for (const std::string message : {"a", "message"}) {
    const auto signature = (*signer)->Sign(AsBytes(message));
    ASSERT_TRUE(signature.ok()) << signature.status();
    EXPECT_EQ(*signature, key.Sign(AsBytes(message)));
  }
  for (const std::string& uri : {"pkcs11:token=other;object=receipts" + of_module + "&pin-value=1234",
                                 "pkcs11:token=node;object=other" + of_module + "&pin-value=1234"}) {
    EXPECT_EQ(ErrorLabel(OpenSigner(uri).status()), "key_token") << uri;
  }
}

}  // namespace
}  // namespace tally::server
