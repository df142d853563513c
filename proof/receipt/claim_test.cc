#include "proof/receipt/claim.h"

#include <gtest/gtest.h>

#include <set>

#include "base/error.h"

namespace tally {
namespace {

Claim Ran() {
  Claim claim{.gas = 7, .results = Digest{4}, .limit = {}};
  claim.module = {1};
  claim.inputs = {2};
  claim.bounds = {3};
  return claim;
}

Claim Refused(std::string status, std::optional<uint64_t> limit) {
  Claim claim = Ran();
  claim.gas = 0;
  claim.status = std::move(status);
  claim.results.reset();
  claim.limit = limit;
  return claim;
}

TEST(Claim, ComesBackFromItsBytes) {
  for (const Claim& claim :
       {Ran(), Refused("gas_limit", 0), Refused("memory_limit", uint64_t{1} << 63),
        Refused("input_count", {}), Refused("input_shape", {}), Refused("input_interval", {})}) {
    const auto decoded = DecodeClaim(EncodeClaim(claim));
    ASSERT_TRUE(decoded.ok()) << decoded.status();
    EXPECT_EQ(*decoded, claim);
  }
}

// Every byte counts: another one is refused, or says something else under another id.
TEST(Claim, EveryBitOfItsBytesChangesTheIdOrIsRefused) {
  for (const Claim& claim : {Ran(), Refused("gas_limit", 99)}) {
    const std::vector<uint8_t> bytes = EncodeClaim(claim);
    for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      std::vector<uint8_t> other = bytes;
      other[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
      const auto decoded = DecodeClaim(other);
      if (!decoded.ok()) {
        EXPECT_NE(ErrorLabel(decoded.status()), "");
        continue;
      }
      EXPECT_EQ(EncodeClaim(*decoded), other);
      EXPECT_NE(ClaimId(*decoded), ClaimId(claim));
    }
  }
}

TEST(Claim, EveryTruncationIsRefused) {
  const std::vector<uint8_t> bytes = EncodeClaim(Ran());
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(DecodeClaim(std::span(bytes).first(size)).ok()) << size;
}

TEST(Claim, EveryFieldIsInTheId) {
  std::vector<Claim> claims(6, Ran());
  claims[1].module = {9};
  claims[2].inputs = {9};
  claims[3].bounds = {9};
  claims[4].results = Digest{9};
  claims[5].gas = 8;
  for (const char* status : {"input_count", "input_shape", "input_interval"})
    claims.push_back(Refused(status, {}));
  for (const uint64_t limit : {1, 2}) {
    claims.push_back(Refused("gas_limit", limit));
    claims.push_back(Refused("memory_limit", limit));
  }
  std::set<Digest> ids;
  for (const Claim& claim : claims) ids.insert(ClaimId(claim));
  EXPECT_EQ(ids.size(), claims.size());
}

}  // namespace
}  // namespace tally
