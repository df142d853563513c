// That drawn modules make the compiler put together everything that it can: //fuzz:modules then executes
// all of it.
#include "fuzz/plan_pairs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>
#include <string>

#include "ops/cpu/registry.h"
#include "vm/step_notes.h"

namespace tally {
namespace {

constexpr int64_t kRare = 3;  // so few steps that the next change of the generator may lose the pair

// "LEVEL KERNEL NOTE" for each note of a line "LEVEL KERNEL: NOTE NOTE ..". Those of WebAssembly's level
// are for tests/wasm/programs.test.mjs.
std::set<std::string> ReadList() {
  std::ifstream file("fuzz/plan_pairs.txt");
  std::set<std::string> list;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("simd128 ")) continue;
    const size_t colon = line.find(':');
    std::istringstream notes(line.substr(colon + 1));
    for (std::string note; notes >> note;) list.insert(line.substr(0, colon) + " " + note);
  }
  return list;
}

class PlanPairsTest : public testing::Test {
 protected:
  void SetUp() override {
#if !defined(__x86_64__)
    GTEST_SKIP() << "fuzz/plan_pairs.txt is of levels of x86";
#endif
    ASSERT_FALSE(list_.empty());
  }
  const std::set<std::string> list_ = ReadList();
};

TEST_F(PlanPairsTest, AreThoseOfTheList) {
  const PlanPairs met = PairsOfDrawnModules(kModulesOfPairs);
  int64_t rare = 0;
  for (const auto& [pair, steps] : met) {
    rare += steps < kRare ? 1 : 0;
    EXPECT_TRUE(list_.contains(pair)) << pair << " is not on fuzz/plan_pairs.txt: add it, by\n"
                                      << "  bazel run //fuzz:count_pairs > fuzz/plan_pairs.txt";
  }
  for (const std::string& pair : list_) {
    EXPECT_TRUE(met.contains(pair))
        << pair << " was met in none of " << kModulesOfPairs
        << " modules. Where plans cannot have it any more, take it off\n"
        << "the list. Else no module tests it: have fuzz/generators draw it more often. Whether others do:\n"
        << "  bazel run //fuzz:count_pairs -- 1000000 " << kModulesOfPairs << " '" << pair << "'";
  }
  std::cout << met.size() << " pairs met in " << kModulesOfPairs << " modules, " << rare
            << " of them in fewer than " << kRare << " steps; " << list_.size() << " on the list\n";
}

// The lines that the list must have whatever is drawn.
TEST_F(PlanPairsTest, HaveEveryKernelAndEveryNote) {
  std::set<std::string> kernels, notes, both;
  for (const std::string& pair : list_) {
    const size_t kernel = pair.find(' ') + 1, note = pair.rfind(' ') + 1;
    kernels.insert(pair.substr(kernel, note - 1 - kernel));
    notes.insert(pair.substr(note));
    both.insert(pair.substr(kernel));
  }
  for (const KernelEntry& row : AllKernels()) {
    // Without operands nothing says that channels are side by side.
    if (InfoOf(row.op).max_operands == 0 && row.layout == Layout::kChannelsLast) continue;
    EXPECT_TRUE(kernels.contains(std::string(row.name))) << row.name;
    EXPECT_TRUE(!row.in_place || both.contains(std::string(row.name) + " in_place")) << row.name;
  }
  for (const StepNoteRow& row : kStepNotes) EXPECT_TRUE(notes.contains(std::string(row.name))) << row.name;
}

}  // namespace
}  // namespace tally
