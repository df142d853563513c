#include "server/chain/account.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

#include "base/error.h"
#include "base/io/file.h"
#include "server/chain/abi.h"
#include "server/chain/hex.h"
#include "server/chain/keccak.h"
#include "server/chain/rlp.h"

namespace tally::server {
namespace {

// The examples of the yellow paper, and the hashes that every client knows.
TEST(Keccak256, IsTheHashOfChains) {
  EXPECT_EQ(ToHex(Keccak256({})), "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470");
  EXPECT_EQ(ToHex(Keccak256(AsBytes("transfer(address,uint256)"))).substr(0, 8), "a9059cbb");
  // One byte less than a block, a block, and one more: those of @noble/hashes.
  EXPECT_EQ(ToHex(Keccak256(std::vector<uint8_t>(135, 'a'))),
            "34367dc248bbd832f4e3e69dfaac2f92638bd0bbd18f2912ba4ef454919cf446");
  EXPECT_EQ(ToHex(Keccak256(std::vector<uint8_t>(136, 'a'))),
            "a6c4d403279fe3e0af03729caada8374b5ca54d8065329a3ebcaeb4b60aa386e");
  EXPECT_EQ(ToHex(Keccak256(std::vector<uint8_t>(137, 'a'))),
            "d869f639c7046b4929fc92a4d988a8b22c55fbadb802c0c66ebcd484f1915f39");
}

constexpr const char* kOne = "0000000000000000000000000000000000000000000000000000000000000001";

TEST(Account, HasTheAddressOfItsKey) {
  const auto account = Account::Of(kOne);
  ASSERT_TRUE(account.ok());
  EXPECT_EQ(HexOf(account->address()), "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf");
  EXPECT_EQ(*ParseAddress("0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf"), account->address());
}

TEST(Account, RefusesWhatIsNoKey) {
  const std::string order = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";
  for (const std::string& key : {std::string(64, '0'), order, std::string(62, '1'), std::string(64, 'g'),
                                 std::string(), std::string("0x")})
    EXPECT_EQ(ErrorLabel(Account::Of(key).status()), "chain_account") << key;
  for (const char* address :
       {"", "0x", "7e5f4552091a69125d5dfcb7b8c2659029395bdf", "0x7e5f4552091a69125d5dfcb7b8c2659029395bd"})
    EXPECT_EQ(ErrorLabel(ParseAddress(address).status()), "chain_account") << address;
}

TEST(Account, IsReadFromAFileOfItsOwner) {
  const std::string path = testing::TempDir() + "/account.key";
  ASSERT_TRUE(WriteFileAtomically(path, AsBytes(std::string("0x") + kOne + "\n")).ok());
  ASSERT_EQ(chmod(path.c_str(), 0644), 0);
  EXPECT_EQ(ErrorLabel(Account::Open(path).status()), "key_mode");
  ASSERT_EQ(chmod(path.c_str(), 0600), 0);
  EXPECT_TRUE(Account::Open(path).ok());
}

// RFC 6979's nonce: the signature that @noble/curves makes of this key and message.
TEST(Account, SignsAsOthersDo) {
  const AccountSignature signature = Account::Of(kOne)->Sign(Keccak256(AsBytes("Satoshi Nakamoto")));
  EXPECT_EQ(ToHex(signature.r), "13f3c69fad2f18208f7fc379de4052e982d2cc76aaec6bf962338d6ebcd6fed6");
  EXPECT_EQ(ToHex(signature.s), "65af5e417ee953b071c041150044a79a201fc02e9f075f2260de1599389a7f58");
  EXPECT_EQ(signature.parity, 1);
}

// The yellow paper's appendix B.
TEST(Rlp, EncodesAsThePaperSays) {
  RlpList list;
  list.AddBytes(AsBytes("dog"));
  list.AddNumber(0);
  list.AddNumber(15);
  list.AddNumber(1024);
  list.AddList(RlpList());
  EXPECT_EQ(HexOf(list.Encode()), "0xca83646f67800f820400c0");
  RlpList long_list;
  long_list.AddBytes(std::vector<uint8_t>(56, 0x41));
  EXPECT_EQ(HexOf(long_list.Encode()).substr(0, 12), "0xf83ab83841");
}

TEST(Abi, EncodesWordsAndBytes) {
  const std::vector<uint8_t> bytes = {1, 2, 3};
  const auto call = AbiCall("f(uint256,bytes)").Add(5).Add(bytes).Encode();
  EXPECT_EQ(call.size(), 4u + 4 * 32);
  const AbiValues values(std::span<const uint8_t>(call).subspan(4));
  EXPECT_EQ(values.NumberAt(0), 5u);
  EXPECT_EQ(values.BytesAt(1), bytes);
}

// A node may answer with anything.
TEST(Abi, ReadsNothingBeyondTheEnd) {
  for (const uint64_t at : {uint64_t{31}, uint64_t{32}, uint64_t{64}, ~uint64_t{0}}) {
    std::vector<uint8_t> data(64);
    const Word word = WordOf(at);
    std::copy(word.begin(), word.end(), data.begin());
    data[63] = 0xff;
    EXPECT_EQ(AbiValues(data).BytesAt(0), std::nullopt) << at;
  }
  EXPECT_EQ(AbiValues({}).WordAt(0), std::nullopt);
  EXPECT_EQ(AbiValues(std::vector<uint8_t>(31)).NumberAt(0), std::nullopt);
  EXPECT_EQ(AbiValues(std::vector<uint8_t>(32, 0xff)).NumberAt(0), std::nullopt);
  EXPECT_EQ(AbiValues(std::vector<uint8_t>(32, 0xff)).AddressAt(0), std::nullopt);
}

TEST(Hex, ReadsDigitsAlone) {
  EXPECT_EQ(BytesOfHex("0x0aFF"), (std::vector<uint8_t>{0x0a, 0xff}));
  for (const char* text : {"0x0", "0xgg", "0x-1", "0x+1", "0x 1"})
    EXPECT_EQ(BytesOfHex(text), std::nullopt) << text;
  EXPECT_EQ(NumberOfHex("0x1f"), 31u);
  for (const char* text : {"", "0x", "1f", "0x1g", "0x-1", "0x10000000000000000"})
    EXPECT_EQ(NumberOfHex(text), std::nullopt) << text;
}

}  // namespace
}  // namespace tally::server
