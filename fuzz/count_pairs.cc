// Prints what plans of drawn modules are made of (fuzz/plan_pairs.h).
//
//   count_pairs                       the list, fuzz/plan_pairs.txt: LEVEL KERNEL: NOTE NOTE ..
//   count_pairs COUNT [FIRST]         the same of modules FIRST .. FIRST + COUNT - 1 (FIRST: 0), with the numbers of steps
//   count_pairs COUNT FIRST "PAIR"    the numbers of those modules that have this pair
#include <cstdlib>
#include <iostream>
#include <string>

#include "fuzz/plan_pairs.h"

int main(int argc, char** argv) {
  const auto number = [&](int i) { return i < argc ? std::strtoull(argv[i], nullptr, 10) : 0; };
  const uint64_t count = number(1), first = number(2);
  if (argc < 2) {
    std::string last;
    for (const auto& [pair, steps] : tally::PairsOfDrawnModules(tally::kModulesOfPairs)) {
      const size_t note = pair.rfind(' ');
      if (const std::string kernel = pair.substr(0, note); kernel != last) {
        std::cout << (last.empty() ? "" : "\n") << kernel << ":";
        last = kernel;
      }
      std::cout << pair.substr(note);
    }
    std::cout << "\n";
  } else if (argc < 4) {
    for (const auto& [pair, steps] : tally::PairsOfDrawnModules(count, first))
      std::cout << steps << " " << pair << "\n";
  } else {
    for (uint64_t n = first; n < first + count; ++n) {
      if (tally::PairsOfDrawnModules(1, n).contains(argv[3])) std::cout << n << std::endl;
    }
  }
}
