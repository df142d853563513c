// Every false claim is convicted, and no honest one: on random modules, with anything in a trace changed.
#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <string>

#include "base/error.h"
#include "fuzz/generators/module_generator.h"
#include "proof/certificate/accused_run.h"
#include "proof/certificate/check_certificate.h"
#include "proof/certificate/convict.h"
#include "proof/dispute/play.h"
#include "proof/receipt/bounds.h"
#include "tests/disputes/altered_run.h"
#include "tests/disputes/forged_certificate.h"
#include "vm/trace_order.h"
#include "vm/validator.h"

namespace tally {
namespace {

constexpr int kModules = 400;
constexpr int kAlterations = 20;  // to each run
constexpr int kForged = 260;      // against each honest run
constexpr int kSpoilt = 50;       // programs, for each run

size_t messages = 0;  // that an asserter has sent, at most
int by_columns = 0;   // disputes that ended in an expansion

bool SameCommitments(const RecordedRun& a, const RecordedRun& b) {
  return a.claim == b.claim && a.trace == b.trace;
}

// The game ends in a certificate too, unless other inputs are claimed, which a challenger has no run of.
void Play(const DrawnRun& drawn, const AlteredRun& altered, uint64_t seed) {
  if (altered.run.claim.inputs != drawn.run.claim.inputs) return;
  // Now and then all elements are judged by their expansions.
  const int64_t most_direct = seed % 4 == 0 ? -1 : kMostLeafBytes;
  const auto played = PlayDispute(*drawn.claimed, drawn.run, altered.run, nullptr, most_direct);
  ASSERT_TRUE(played.ok()) << "seed " << seed << ", " << altered.what << ": " << played.status();
  ASSERT_TRUE(played->end) << "seed " << seed << ", " << altered.what << ": no end";
  ASSERT_TRUE(played->end->conviction) << "seed " << seed << ", " << altered.what << ": " << played->end->why;
  messages = std::max(messages, played->messages());
  if (played->end->conviction->columns) ++by_columns;
}

TEST(Soundness, EveryLieIsConvicted) {
  std::map<std::string, int> convicted;
  std::map<Charge, int> charges;
  int equal = 0;
  size_t largest = 0;
  for (uint64_t seed = 0; seed < kModules; ++seed) {
    const DrawnRun drawn(NoiseBytes(seed, 2048));
    std::mt19937_64 random(seed);
    for (int i = 0; i < kAlterations; ++i) {
      const AlteredRun altered = Alter(*drawn.module, drawn.run, random);
      const auto certificate = Convict(*drawn.claimed, drawn.run, altered.run);
      ASSERT_TRUE(certificate.ok()) << "seed " << seed << ", " << altered.what << ": "
                                    << certificate.status();
      ASSERT_EQ(!certificate->has_value(), SameCommitments(drawn.run, altered.run)) << seed << altered.what;
      if (!*certificate) {
        ++equal;
        continue;
      }
      const std::vector<uint8_t> file = EncodeCertificate(**certificate);
      largest = std::max(largest, file.size());
      const auto conviction = CheckCertificate<TrappingInt>(file);
      ASSERT_TRUE(conviction.ok()) << "seed " << seed << ", " << altered.what << ": " << conviction.status();
      ASSERT_EQ(conviction->claim, ClaimId(altered.run.claim));
      const Digest trace = TraceDigest(altered.run.trace);
      ASSERT_EQ(conviction->trace.value_or(trace), trace);
      const auto formal = CheckCertificate<FormalInt>(file);
      ASSERT_TRUE(formal.ok()) << formal.status();
      ASSERT_EQ(*conviction, *formal);
      ASSERT_NO_FATAL_FAILURE(Play(drawn, altered, seed));
      ++convicted[altered.what];
      ++charges[(*certificate)->charge];
    }
  }
  for (const auto& [what, count] : convicted) std::cout << count << " convicted: " << what << "\n";
  std::cout << equal << " changes that changed nothing; the largest certificate has " << largest
            << " bytes\n";
  std::cout << messages << " messages of an asserter at most; " << by_columns << " disputes by expansions\n";
  EXPECT_EQ(convicted.size(), 17u);
  EXPECT_GT(by_columns, 50);
  EXPECT_EQ(charges.size(), 4u);
}

TEST(Soundness, NobodyHonestIsConvicted) {
  std::map<std::string, int> refused;
  int forged = 0, of_others = 0;
  for (uint64_t seed = 0; seed < kModules; ++seed) {
    const DrawnRun drawn(NoiseBytes(seed, 2048));
    const Digest claim = ClaimId(drawn.run.claim), trace = TraceDigest(drawn.run.trace);
    AccusedRun parts(drawn.run);
    std::mt19937_64 random(seed);
    for (int i = 0; i < kForged; ++i) {
      absl::StatusOr<Certificate> certificate = Forge(drawn, parts, random);
      ASSERT_TRUE(certificate.ok()) << certificate.status();
      if (random() % 2 == 0) Spoil(*certificate, random);
      std::vector<uint8_t> file = EncodeCertificate(*certificate);
      if (random() % 4 == 0) file[random() % file.size()] ^= static_cast<uint8_t>(1 << random() % 8);
      const auto conviction = CheckCertificate<TrappingInt>(file);
      ++forged;
      if (conviction.ok()) {
        // A claim with other gas, say, that the flipped bit has made.
        ASSERT_TRUE(conviction->claim != claim || (conviction->trace && *conviction->trace != trace))
            << "seed " << seed << ": " << conviction->what;
        ++of_others;
        continue;
      }
      ++refused[std::string(ErrorLabel(conviction.status()))];
    }
  }
  std::cout << forged << " forged certificates; " << of_others
            << " convict a claim that nobody has made, the others are refused:\n";
  for (const auto& [label, count] : refused) std::cout << count << " " << label << "\n";
  EXPECT_GE(forged, 100'000);
  EXPECT_GT(refused["certificate_right"], forged / 4);
}

// A claim of a program that nobody has validated, which the judge cannot know: whatever is in it, the judge
// ends, soon and with a label or a conviction of that claim.
TEST(Soundness, ProgramsThatNobodyHasValidatedAreJudgedToo) {
  std::map<std::string, int> ends;
  int validated = 0;
  for (uint64_t seed = 0; seed < kModules; ++seed) {
    const DrawnRun drawn(NoiseBytes(seed, 2048));
    AccusedRun parts(drawn.run);
    std::mt19937_64 random(seed);
    for (int i = 0; i < kSpoilt; ++i) {
      absl::StatusOr<Certificate> certificate = Forge(drawn, parts, random);
      ASSERT_TRUE(certificate.ok()) << certificate.status();
      SpoilProgram(*certificate, random);
      const auto conviction = CheckCertificate<TrappingInt>(EncodeCertificate(*certificate));
      ++ends[conviction.ok() ? "convicted" : std::string(ErrorLabel(conviction.status()))];
    }
  }
  for (const auto& [end, count] : ends) {
    if (end == "convicted" || end == "certificate_right") validated += count;
  }
  std::cout << ends.size() << " ends of " << kModules * kSpoilt << " certificates; " << validated
            << " were valid programs\n";
  EXPECT_GT(ends.size(), 20u);
  EXPECT_GT(validated, 1000);
}

// Each entry of an honest trace is the one that the order names after those before it.
TEST(Soundness, TheOrderOfATraceIsAFactOfProgramAndConditions) {
  int64_t entries = 0, inside = 0;
  for (uint64_t seed = 0; seed < 2 * kModules; ++seed) {
    const DrawnRun drawn(NoiseBytes(seed, 2048));
    Dossier dossier(*drawn.claimed, drawn.run);
    Referee<TrappingInt> referee(*drawn.module, dossier.committed(), dossier);
    const TraceOrder order(*drawn.module, dossier.committed(),
                           [&](const ValuePlace& flag) -> absl::StatusOr<bool> {
                             const auto element = referee.ElementOf(flag, 0);
                             if (!element.ok()) return element.status();
                             return *element != TrappingInt(int64_t{0});
                           });
    auto expected = order.First();
    for (const TraceEntry& entry : drawn.run.trace) {
      ASSERT_TRUE(expected.ok()) << expected.status();
      const ValuePlace place = {entry.path, entry.id};
      ASSERT_EQ(*expected, place) << "seed " << seed;
      ASSERT_TRUE(order.Contains(place));
      ++entries;
      if (!entry.path.empty()) ++inside;
      expected = order.After(place);
    }
    ASSERT_TRUE(expected.ok()) << expected.status();
    ASSERT_EQ(*expected, std::nullopt) << "seed " << seed;
  }
  std::cout << entries << " entries in order, " << inside << " of them in functions that instructions run\n";
  EXPECT_GT(inside, 200);
}

// The same module without its constants: shapes, gas and memory are those of validation.
TEST(Soundness, AProgramWithItsBoundsIsWhatItsModuleIs) {
  for (uint64_t seed = 0; seed < 2 * kModules; ++seed) {
    const DrawnRun drawn(NoiseBytes(seed, 2048));
    ResultTypes types;
    for (const auto& function : BoundsOf(*drawn.module).functions) {
      auto& of_function = types.emplace_back();
      for (const auto& instruction : function) of_function.push_back(instruction.results);
    }
    Module program = drawn.module->module();
    const size_t constants = program.constants.size();
    program.constants.clear();
    program.recipes.clear();
    const auto valid = ValidateProgram(std::move(program), constants, types);
    ASSERT_TRUE(valid.ok()) << "seed " << seed << ": " << valid.status();
    EXPECT_EQ(valid->gas(), drawn.module->gas());
    EXPECT_EQ(valid->arena_bytes(), drawn.module->arena_bytes());
    for (size_t f = 0; f < types.size(); ++f) {
      EXPECT_EQ(valid->functions()[f].types, drawn.module->functions()[f].types);
    }
  }
}

}  // namespace
}  // namespace tally
