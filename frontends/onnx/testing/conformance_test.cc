// Each case of ONNX gives the expected output, or is refused with the label that its line in
// conformance_cases.tsv states, and with a reason where the exact importer does not pass it either.
#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <set>
#include <string>

#include "frontends/onnx/testing/node_case.h"

namespace tally::onnx {
namespace {

// All node cases that ONNX has, and those of its other folders that the table lists.
TEST(Conformance, EveryCaseGivesTheExpectedOutputsOrTheStatedRefusal) {
  const std::map<std::string, std::string> table = ReadCases("frontends/onnx/testing/conformance_cases.tsv");
  const std::map<std::string, std::string> exact = ReadCases("frontends/onnx/exact/node_cases.tsv");
  std::set<std::string> cases;
  for (const auto& [name, outcome] : table) cases.insert(name);
  for (const std::string& name : AllNodeCases()) cases.insert(name);
  std::map<std::string, int> counts;
  for (const std::string& name : cases) {
    const std::string outcome = OutcomeOf(name);
    ++counts[outcome];
    const auto row = table.find(name);
    if (row == table.end()) {
      ADD_FAILURE() << "not listed:\t" << name << "\t" << outcome;
      continue;
    }
    const size_t tab = row->second.find('\t');
    EXPECT_EQ(row->second.substr(0, tab), outcome) << "case\t" << name << "\t" << outcome;
    const auto exactly = exact.find(name.substr(name.find('/') + 1));
    const bool is_exact = exactly != exact.end() && exactly->second == "pass";
    const bool needs_reason = outcome == "differs" || (outcome != "pass" && !is_exact);
    EXPECT_EQ(needs_reason, tab != std::string::npos)
        << name << (needs_reason ? ": no reason is given" : ": a reason for what needs none");
  }
  for (const auto& [outcome, count] : counts) std::cout << count << "  " << outcome << "\n";
}

}  // namespace
}  // namespace tally::onnx
