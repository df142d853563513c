// Expansions on random modules: whatever has one is what the run has, and each of its integers is what a
// referee makes of those before it.
#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <random>
#include <string>

#include "base/error.h"
#include "fuzz/generators/module_generator.h"
#include "ops/op_rules.h"
#include "proof/trace/judged_run.h"
#include "vm/element_steps.h"
#include "vm/validator.h"

namespace tally {
namespace {

constexpr int kModules = 400;
constexpr int kElements = 3;  // that are judged of each value

TEST(Expansions, AreWhatRunsHaveOnRandomModules) {
  int64_t elements = 0, expanded = 0;
  for (uint64_t seed = 0; seed < kModules; ++seed) {
    const std::vector<uint8_t> noise = NoiseBytes(seed, 2048);
    EntropySource e(noise);
    const auto module = std::make_shared<const ValidModule>(*Validate(GenerateModule(e, kSmallModules)));
    const auto run = JudgedRun::Of("reference", module, GenerateInputs(e, module->entry()));
    ASSERT_TRUE(run.ok()) << run.status();
    std::mt19937_64 random(seed);
    for (const auto& [place, value] : (*run)->values()) {
      for (int i = 0; i < kElements; ++i) {
        const auto element = static_cast<int64_t>(random() % value.shape().num_elements());
        // By the rows of the expansions, and gathered.
        for (const int64_t most_gathered : {int64_t{-1}, kMostLeafBytes}) {
          const auto judged =
              (*run)->Judge(place, element, {.most_direct = -1, .most_gathered = most_gathered});
          ASSERT_TRUE(judged.ok()) << "seed " << seed << ": " << judged.status();
          ASSERT_EQ(judged->value, value.view().at(element));
          ++elements;
          if (judged->columns > 0) ++expanded;
        }
      }
    }
  }
  std::cout << elements << " elements, " << expanded << " of them by steps\n";
  EXPECT_GT(expanded, 1000);
}

// Columns that somebody claims, with some integers changed.
class WrongColumns final : public KnownColumns {
 public:
  WrongColumns(const Columns& columns, uint64_t seed) : columns_(columns), seed_(seed) {}

  absl::StatusOr<int64_t> Read(int column, int64_t i) override {
    const int64_t honest = columns_[static_cast<size_t>(column)][static_cast<size_t>(i)];
    std::mt19937_64 random(seed_ + (static_cast<uint64_t>(column) << 32) + static_cast<uint64_t>(i));
    const auto drawn = static_cast<int64_t>(random());
    switch (drawn & 7) {
      case 0: return drawn;        // any of 64 bits
      case 1: return drawn >> 52;  // a small one, often a position
      case 2: return ~honest;
      default: return honest;
    }
  }

 private:
  const Columns& columns_;
  const uint64_t seed_;
};

TEST(Expansions, OfWrongIntegersEndInAValueOrALabel) {
  std::map<std::string, int64_t> ends;
  for (uint64_t seed = 0; seed < kModules; ++seed) {
    const std::vector<uint8_t> noise = NoiseBytes(seed, 2048);
    EntropySource e(noise);
    const auto module = std::make_shared<const ValidModule>(*Validate(GenerateModule(e, kSmallModules)));
    const auto run = *JudgedRun::Of("reference", module, GenerateInputs(e, module->entry()));
    Referee<FormalInt> referee(*module, run->committed(), *run);
    const Function& entry = module->module().functions[0];
    for (size_t step = 0; step < entry.body.size(); ++step) {
      const Instruction& instruction = entry.body[step];
      if (InfoOf(instruction.op).results == kResultsOfFunction) continue;
      if (!ReadsMany(instruction.op, instruction.operands.size())) continue;
      const ValuePlace place = {{}, module->functions()[0].instructions[step].first_result};
      for (const int64_t most_gathered : {int64_t{-1}, kMostLeafBytes}) {
        const ElementSteps<FormalInt> steps(referee, place, 0, most_gathered);
        const auto columns = steps.Run();
        ASSERT_TRUE(columns.ok()) << columns.status();
        WrongColumns wrong(*columns, seed << 40);
        for (size_t k = 0; k < columns->size(); ++k) {
          const auto length = std::ssize((*columns)[k]);
          for (int64_t i = 0; i < length; i += 1 + length / 8) {
            const auto judged = steps.Judge(static_cast<int>(k), i, wrong);
            ++ends[judged.ok() ? "a value" : ErrorLabel(judged.status())];
          }
        }
      }
    }
  }
  for (const auto& [end, count] : ends) std::cout << end << ": " << count << "\n";
  EXPECT_GT(ends["a value"], 0);
  EXPECT_GT(ends["step_order"], 0);
  ends.erase("a value");
  for (const auto& [end, count] : ends) {
    EXPECT_TRUE(end == "step_order" || end == "element_interval" || end == "element_overflow") << end;
  }
}

}  // namespace
}  // namespace tally
