// No valid module is without a certificate: on random modules, a wrong element of any value ends a dispute in
// a conviction, and so does one of any result.
//
//   bazel run -c opt //tests/disputes:coverage_test -- --modules=100000
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <random>
#include <string_view>

#include "fuzz/generators/module_generator.h"
#include "proof/dispute/play.h"
#include "tests/disputes/forged_certificate.h"

namespace tally {
namespace {

uint64_t modules = 2000;

// Another value of the storage, in one element.
void AlterOne(Tensor& tensor, std::mt19937_64& random) {
  std::span<uint8_t> bytes = tensor.mutable_bytes();
  bytes[random() % bytes.size()] ^= static_cast<uint8_t>(1 << random() % 8);
}

TEST(Coverage, EveryModuleHasItsCertificate) {
  uint64_t disputes = 0, by_columns = 0;
  for (uint64_t seed = 0; seed < modules; ++seed) {
    // Seeds of their own: those of soundness_test are the first ones of another stream.
    const DrawnRun drawn(NoiseBytes(seed + (uint64_t{1} << 32), 2048));
    std::mt19937_64 random(seed);
    for (int i = 0; i < 3; ++i) {
      RecordedRun accused = drawn.run;
      std::vector<Tensor>& tensors = i == 0 || accused.values.empty() ? accused.results : accused.values;
      AlterOne(tensors[random() % tensors.size()], random);
      accused.CommitToTensors();
      const int64_t most_direct = i == 2 ? -1 : kMostLeafBytes;
      const auto played = PlayDispute(*drawn.claimed, drawn.run, accused, nullptr, most_direct);
      ASSERT_TRUE(played.ok()) << "seed " << seed << ": " << played.status();
      ASSERT_TRUE(played->end) << "seed " << seed << ": no end";
      ASSERT_TRUE(played->end->conviction) << "seed " << seed << ": " << played->end->why;
      ++disputes;
      if (played->end->conviction->columns) ++by_columns;
    }
  }
  std::cout << disputes << " disputes about " << modules << " modules, " << by_columns << " by expansions\n";
  EXPECT_GT(by_columns, 0u);
}

}  // namespace
}  // namespace tally

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  constexpr std::string_view kModules = "--modules=";
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]).starts_with(kModules))
      tally::modules = std::strtoull(argv[i] + kModules.size(), nullptr, 10);
  }
  return RUN_ALL_TESTS();
}
