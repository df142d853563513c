// Disputes about long traces and large values take few messages.
#include <gtest/gtest.h>

#include <iostream>
#include <memory>
#include <string>

#include "engines/engine.h"
#include "proof/dispute/play.h"
#include "vm/text/assembler.h"
#include "vm/validator.h"

namespace tally {
namespace {

constexpr size_t kMostMessages = 10;

// A loop of 3,000 trips with a state of 40 KiB: two entries for each trip.
const std::string kLoop =
    "tally 1\nprofile core\n"
    "param %0 \"x\" [40960] in [-100, 100]\n"
    "%1 = loop %0 {body = 1, trips = 3000, states = 1, scanned = 0, condition = false}\n"
    "result %1 \"y\"\n"
    "function 1\n"
    "param %0 [] in [0, 2999]\n"
    "param %1 [40960] in [-100, 100]\n"
    "%2 = broadcast_add %1, %0\n"
    "%3 = clip %2 {a_min = -100, a_max = 100}\n"
    "result %3\n";

TEST(LongDispute, ALoopOfThousandsOfTripsTakesFewMessages) {
  auto module = Assemble(kLoop);
  ASSERT_TRUE(module.ok()) << module.status();
  auto valid = Validate(*std::move(module));
  ASSERT_TRUE(valid.ok()) << valid.status();
  const auto shared = std::make_shared<const ValidModule>(*std::move(valid));
  const ClaimedModule claimed(*shared);
  const Tensor x(*Shape::Create({40960}), Storage::kI8);
  const TensorView inputs[] = {x.view()};
  const RecordedRun honest = *RecordedRun::Of(claimed, **MakePlan("cpu", shared), inputs);
  std::cout << honest.trace.size() << " entries\n";
  ASSERT_GT(honest.trace.size(), 2999u);
  for (const size_t entry : {size_t{0}, size_t{1777}, honest.trace.size() - 1}) {
    RecordedRun accused = honest;
    accused.values[entry].mutable_bytes()[30000] ^= 1;
    accused.CommitToTensors();
    const auto played = PlayDispute(claimed, honest, accused);
    ASSERT_TRUE(played.ok()) << played.status();
    ASSERT_TRUE(played->end && played->end->conviction);
    EXPECT_LE(played->messages(), kMostMessages) << entry;
    std::cout << played->messages() << " messages: " << played->end->conviction->what << "\n";
  }
}

}  // namespace
}  // namespace tally
