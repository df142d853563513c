#include "proof/certificate/certificate.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "serializer/testing/golden_module.h"
#include "vm/validator.h"

namespace tally {
namespace {

TEST(Certificate, SaysWhatValidationProved) {
  const ValidModule module = *Validate(GoldenModule());  // x + [10, 300], x in [-5, 5]
  const Certificate certificate = CertificateOf(module);
  EXPECT_EQ(certificate.gas, static_cast<uint64_t>(module.gas()));
  EXPECT_EQ(certificate.arena_bytes, static_cast<uint64_t>(module.arena_bytes()));
  ASSERT_EQ(certificate.functions.size(), 1u);
  ASSERT_EQ(certificate.functions[0].size(), 2u);
  EXPECT_EQ(certificate.functions[0][0].results, std::vector<Interval>({{10, 300}}));
  EXPECT_EQ(certificate.functions[0][1].results, std::vector<Interval>({{5, 305}}));
}

TEST(Certificate, ComesBackFromItsBytesAndEveryBitCounts) {
  const Certificate certificate = CertificateOf(*Validate(GoldenModule()));
  const std::vector<uint8_t> bytes = EncodeCertificate(certificate);
  EXPECT_EQ(*DecodeCertificate(bytes), certificate);
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::vector<uint8_t> other = bytes;
    other[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    const auto decoded = DecodeCertificate(other);
    if (decoded.ok()) {
      EXPECT_EQ(EncodeCertificate(*decoded), other);
      EXPECT_NE(CertificateDigest(*decoded), CertificateDigest(certificate));
    } else {
      EXPECT_NE(ErrorLabel(decoded.status()), "");
    }
  }
}

}  // namespace
}  // namespace tally
