// Certificates against an honest run, spoilt and with some bytes changed: none convicts its claim and its
// trace, and the judge of any program ends.
#include <algorithm>
#include <random>
#include <vector>

#include "base/strings.h"
#include "fuzz/targets/check.h"
#include "ops/reference.h"
#include "proof/certificate/check_certificate.h"
#include "proof/trace/trace.h"
#include "tests/disputes/forged_certificate.h"

namespace tally {
namespace {

constexpr size_t kNoiseOfModule = 2048;

absl::Status CheckForged(std::span<const uint8_t> bytes) {
  const DrawnRun drawn(bytes.first(std::min(bytes.size(), kNoiseOfModule)));
  AccusedRun parts(drawn.run);
  std::seed_seq seed(bytes.begin(), bytes.end());
  std::mt19937_64 random(seed);
  absl::StatusOr<Certificate> certificate = Forge(drawn, parts, random);
  if (!certificate.ok()) return certificate.status();
  const auto choice = random() % 3;
  if (choice == 0) SpoilProgram(*certificate, random);
  if (choice == 1) Spoil(*certificate, random);
  std::vector<uint8_t> file = EncodeCertificate(*certificate);
  if (random() % 2 == 0) file[random() % file.size()] ^= static_cast<uint8_t>(1 << random() % 8);
  const auto conviction = CheckCertificate<TrappingInt>(file);
  if (!conviction.ok() || conviction->claim != ClaimId(drawn.run.claim)) return absl::OkStatus();
  if (conviction->trace && *conviction->trace != TraceDigest(drawn.run.trace)) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("an honest run is convicted: ", conviction->what));
}

}  // namespace
}  // namespace tally

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tally::Check(tally::CheckForged({data, size}));
  return 0;
}
