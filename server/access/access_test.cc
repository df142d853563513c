#include "server/access/access.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "base/error.h"
#include "base/hash/sha256.h"
#include "base/io/file.h"

namespace tally::server {
namespace {

std::string LineOf(const std::string& token, const std::string& rest) {
  return ToHex(Sha256Hash(AsBytes(token))) + " " + rest + "\n";
}

class AccessTest : public testing::Test {
 protected:
  void Write(const std::string& text) { ASSERT_TRUE(WriteFileAtomically(path_, AsBytes(text)).ok()); }
  std::string LabelOf(Access& access, const std::string& authorization, Scope scope) {
    return ErrorLabel(access.Check(authorization, "127.0.0.1", scope));
  }
  const std::string path_ = testing::TempDir() + "/tokens";
};

TEST_F(AccessTest, ATokenHasItsScopes) {
  Write("# clients\n\n" + LineOf("i", "infer app") + LineOf("a", "audit,infer auditor") +
        LineOf("o", "admin op"));
  const auto access = *Access::Open(path_, 0);
  EXPECT_EQ(LabelOf(*access, "", Scope::kOpen), "");
  for (const Scope scope : {Scope::kInfer, Scope::kAudit, Scope::kAdmin}) {
    EXPECT_EQ(LabelOf(*access, "", scope), "access_token");
    EXPECT_EQ(LabelOf(*access, "Bearer x", scope), "access_token");
    EXPECT_EQ(LabelOf(*access, "i", scope), "access_token");
    EXPECT_EQ(LabelOf(*access, "Bearer o", scope), "");
  }
  EXPECT_EQ(LabelOf(*access, "Bearer i", Scope::kInfer), "");
  EXPECT_EQ(LabelOf(*access, "Bearer i", Scope::kAudit), "access_scope");
  EXPECT_EQ(LabelOf(*access, "Bearer a", Scope::kAudit), "");
  EXPECT_EQ(LabelOf(*access, "Bearer a", Scope::kInfer), "");
  EXPECT_EQ(LabelOf(*access, "Bearer a", Scope::kAdmin), "access_scope");
}

TEST_F(AccessTest, AFileOfAnotherFormIsRefusedAndChangesNothing) {
  Write(LineOf("i", "infer app"));
  const auto access = *Access::Open(path_, 0);
  for (const std::string& text :
       {std::string("abc infer app\n"), LineOf("x", "infer"), LineOf("x", "root app"),
        LineOf("x", "infer,,audit app"), LineOf("x", "infer app more"), LineOf("x", "")}) {
    Write(text);
    EXPECT_EQ(ErrorLabel(access->Reload()), "access_file") << text;
  }
  EXPECT_EQ(LabelOf(*access, "Bearer i", Scope::kInfer), "");
  Write(LineOf("j", "infer app"));
  EXPECT_TRUE(access->Reload().ok());
  EXPECT_EQ(LabelOf(*access, "Bearer i", Scope::kInfer), "access_token");
}

TEST(RateLimitTest, ABucketFillsAtItsRate) {
  RateLimit limit(10);
  const RateLimit::Time start{std::chrono::hours(1)};
  const auto after = [&](int ms) { return start + std::chrono::milliseconds(ms); };
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(limit.Take("a", start));
  EXPECT_FALSE(limit.Take("a", start));
  EXPECT_TRUE(limit.Take("b", start)) << "each client has its own";
  EXPECT_FALSE(limit.Take("a", after(99)));
  EXPECT_TRUE(limit.Take("a", after(150)));
  EXPECT_FALSE(limit.Take("a", after(151)));
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(limit.Take("a", after(100'000)));
  EXPECT_FALSE(limit.Take("a", after(100'000)));
}

TEST(RateLimitTest, ManyClientsTakeLittleMemory) {
  RateLimit limit(1);
  const RateLimit::Time start{std::chrono::hours(1)};
  int taken = 0;
  for (int i = 0; i < 100'000; ++i) taken += limit.Take(std::to_string(i), start) ? 1 : 0;
  EXPECT_LE(taken, 20'001);
  EXPECT_TRUE(limit.Take("new", start + std::chrono::seconds(2))) << "those that are full are dropped";
}

}  // namespace
}  // namespace tally::server
