// Modules that break two rules at once: they pin which of the two is reported.
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>

#include "tests/vectors/vector_file.h"

namespace tally {

// The modules that break the same two rules.
struct BrokenPair {
  std::map<std::string, int>
      labels;        // how often each label came back, "" where the module is valid after all
  std::string name;  // `module`'s: "operand 0 one axis more, attribute axis = 7"
  Module module;     // the first that is refused with the label of the first rule
};

// Changes accepted cases of `op` in one place so that a rule breaks, then in two places that each break a
// rule alone. By the labels of both rules, in the order of docs/spec/validation.md.
//
// A second change may mend the first fault, so a label of the second rule is no proof of a wrong order. Where
// the order is wrong, most modules of a pair show it.
std::map<std::pair<std::string, std::string>, BrokenPair> BreakTwoRules(const OpInfo& op,
                                                                        std::span<const VectorCase> cases);

}  // namespace tally
