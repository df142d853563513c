#include "proof/receipt/dsse.h"

#include <gtest/gtest.h>

namespace tally {
namespace {

// The example of DSSE's protocol.
TEST(PreAuthenticationEncoding, IsThatOfTheProtocol) {
  EXPECT_EQ(PreAuthenticationEncoding("http://example.com/HelloWorld", "hello world"),
            "DSSEv1 29 http://example.com/HelloWorld 11 hello world");
}

std::vector<uint8_t> Bytes(std::string_view text) { return {text.begin(), text.end()}; }

// RFC 4648, section 10.
TEST(Base64, IsThatOfTheStandard) {
  const std::pair<const char*, const char*> vectors[] = {{"", ""},
                                                         {"f", "Zg=="},
                                                         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},
                                                         {"foob", "Zm9vYg=="},
                                                         {"fooba", "Zm9vYmE="},
                                                         {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : vectors) {
    EXPECT_EQ(ToBase64(Bytes(bytes)), text);
    EXPECT_EQ(FromBase64(text), Bytes(bytes));
  }
}

TEST(Base64, HasOneSpelling) {
  for (const char* text :
       {"Zg", "Zg=", "Zg==\n", "Zg ==", "Zh==", "Z===", "Zm9=", "Zm9v=", "-_==", "Zg==Zg=="})
    EXPECT_EQ(FromBase64(text), std::nullopt) << text;
}

}  // namespace
}  // namespace tally
