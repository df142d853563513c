#include <utility>

#include "base/strings.h"
#include "serializer/decode.h"
#include "serializer/encode.h"
#include "tests/vectors/broken_rules.h"
#include "tests/vectors/case_module.h"
#include "tests/vectors/suites.h"

namespace tally {
namespace {

// The size of a module with two faults: more are those with tables of 1025 entries, whose order
// order_of_rules_test knows.
constexpr size_t kMostBytes = 2048;

// The binary form has no place for another number of operands than the row says.
bool HasBytes(const Module& module) {
  const auto decoded = Decode(Encode(module));
  return decoded.ok() && *decoded == module;
}

}  // namespace

SuiteFile OperatorSuite(const std::string& family, const std::vector<VectorFile>& files) {
  SuiteFile suite = {
      absl::StrCat("operators/", family, ".json"),
      absl::StrCat("The operators of ops/", family, "/spec.md: accepted calls and each constraint."),
      {}};
  for (const VectorFile& file : files) {
    for (const VectorCase& test : file.cases) {
      const Module module = ModuleOfCase(*file.op, test);
      if (!HasBytes(module)) continue;
      SuiteCase one = {absl::StrCat(ToAbsl(file.op->name), ": ", test.name), Encode(module), test.error, {}};
      if (test.error.empty()) {
        SuiteRun& run = one.runs.emplace_back();
        for (const VectorTensor& operand : test.operands) {
          if (!operand.constant) run.inputs.push_back(operand.tensor);
        }
      }
      suite.cases.push_back(std::move(one));
    }
  }
  return suite;
}

SuiteFile PairSuite(const std::string& family, const std::vector<VectorFile>& files) {
  SuiteFile suite = {absl::StrCat("pairs/", family, ".json"),
                     absl::StrCat("Calls of the operators of ops/", family,
                                  "/spec.md with two faults: the first is reported."),
                     {}};
  for (const VectorFile& file : files) {
    for (const auto& [labels, pair] : BreakTwoRules(*file.op, file.cases)) {
      if (!pair.labels.contains(labels.first)) continue;
      std::vector<uint8_t> bytes = Encode(pair.module);
      if (bytes.size() > kMostBytes) continue;
      suite.cases.push_back({absl::StrCat(ToAbsl(file.op->name), ": ", labels.first, " before ",
                                          labels.second, ", ", pair.name),
                             std::move(bytes),
                             labels.first,
                             {}});
    }
  }
  return suite;
}

}  // namespace tally
