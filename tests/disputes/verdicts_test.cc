// Certificates that are files, each with its verdict: the same over int64_t and over integers of any size, on
// every machine that this test is built for. //tests/disputes:write_verdicts makes them.
#include <gtest/gtest.h>

#include <iostream>
#include <sstream>
#include <string>

#include "base/error.h"
#include "base/io/file.h"
#include "base/testing/ran.h"
#include "ops/reference.h"
#include "proof/certificate/check_certificate.h"

namespace tally {
namespace {

const std::string kFolder = "tests/disputes/verdicts/";

template <typename Int>
std::string VerdictOf(std::span<const uint8_t> file) {
  const auto conviction = CheckCertificate<Int>(file);
  if (!conviction.ok()) return ErrorLabel(conviction.status());
  return "convicted: " + conviction->what;
}

TEST(Verdicts, AreTheSameOverAllIntegersOnAllMachines) {
  const auto list = ReadFile(kFolder + "verdicts.txt");
  ASSERT_TRUE(list.ok()) << list.status();
  std::istringstream lines{std::string(AsText(*list))};
  int convicted = 0, refused = 0;
  for (std::string name, verdict; std::getline(lines, name, '\t') && std::getline(lines, verdict);) {
    const auto file = ReadFile(kFolder + name + ".certificate");
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_EQ(VerdictOf<TrappingInt>(*file), verdict) << name;
    EXPECT_EQ(VerdictOf<FormalInt>(*file), verdict) << name;
    ++(verdict.starts_with("convicted: ") ? convicted : refused);
  }
  std::cout << convicted << " certificates convict, " << refused << " are refused\n";
  EXPECT_GE(convicted, 17);
  EXPECT_GE(refused, 5);
  SayRan("certificates", std::endian::native == std::endian::big ? "big-endian" : "little-endian", kHere);
}

}  // namespace
}  // namespace tally
