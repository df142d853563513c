// write_verdicts FOLDER: certificates against altered runs of random modules, the smallest of each kind of
// lie, and some that are spoilt; with verdicts.txt, which says what the judge makes of each.
#include <cstdio>
#include <fstream>
#include <map>
#include <random>
#include <string>

#include "base/error.h"
#include "base/io/file.h"
#include "fuzz/generators/module_generator.h"
#include "ops/reference.h"
#include "proof/certificate/check_certificate.h"
#include "proof/certificate/convict.h"
#include "proof/dispute/play.h"
#include "tests/disputes/altered_run.h"
#include "tests/disputes/forged_certificate.h"

namespace tally {
namespace {

constexpr uint64_t kModules = 60;
constexpr int kAlterations = 30;

using Files = std::map<std::string, std::vector<uint8_t>>;

// Keeps the smallest of each name.
void Keep(Files& files, std::string name, std::vector<uint8_t> file) {
  std::ranges::replace(name, ' ', '_');
  const auto [kept, added] = files.try_emplace(name, file);
  if (!added && file.size() < kept->second.size()) kept->second = std::move(file);
}

Files MakeFiles() {
  Files files;
  for (uint64_t seed = 0; seed < kModules; ++seed) {
    const DrawnRun drawn(NoiseBytes(seed, 2048));
    std::mt19937_64 random(seed);
    for (int i = 0; i < kAlterations; ++i) {
      const AlteredRun altered = Alter(*drawn.module, drawn.run, random);
      const auto certificate = Convict(*drawn.claimed, drawn.run, altered.run);
      if (!certificate.ok() || !*certificate) continue;
      Keep(files, altered.what, EncodeCertificate(**certificate));
      Certificate spoilt = **certificate;
      Spoil(spoilt, random);
      const std::vector<uint8_t> file = EncodeCertificate(spoilt);
      const auto verdict = CheckCertificate<TrappingInt>(file);
      if (!verdict.ok()) Keep(files, "spoilt_" + ErrorLabel(verdict.status()), file);
      if (altered.run.claim.inputs != drawn.run.claim.inputs) continue;
      const auto played = PlayDispute(*drawn.claimed, drawn.run, altered.run, nullptr, -1);
      const bool by_steps =
          played.ok() && played->end && played->end->conviction && played->end->conviction->columns;
      if (by_steps) Keep(files, "an expansion", played->certificate);
    }
  }
  return files;
}

int Main(const std::string& folder) {
  std::ofstream list(folder + "/verdicts.txt");
  for (const auto& [name, file] : MakeFiles()) {
    if (!WriteFileAtomically(folder + "/" + name + ".certificate", file).ok()) return 1;
    const auto verdict = CheckCertificate<FormalInt>(file);
    list << name << "\t" << (verdict.ok() ? "convicted: " + verdict->what : ErrorLabel(verdict.status()))
         << "\n";
  }
  return list.good() ? 0 : 1;
}

}  // namespace
}  // namespace tally

int main(int argc, char** argv) {
  if (argc == 2) return tally::Main(argv[1]);
  std::fprintf(stderr, "usage: write_verdicts FOLDER\n");
  return 2;
}
