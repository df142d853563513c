// A case of the conformance suite: a module as bytes, and the label or the proof and the runs that it has.
// The format is in conformance/README.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/tensor.h"
#include "vm/module.h"

namespace tally {

struct SuiteRun {
  std::vector<Tensor> inputs;
  std::optional<int64_t> gas_limit, memory_limit;
  std::string error = {};  // the label that the run has to be refused with
};

struct SuiteCase {
  std::string name;
  std::vector<uint8_t> module;
  // The label that the module has to be refused with; "" for none; nothing: any.
  std::optional<std::string> error = {};
  std::vector<SuiteRun> runs = {};
};

// A case as the suite has it. Gas is apart from everything else that is proven, so that another price of
// an operator changes no other file.
struct SuiteLine {
  std::string of_case;  // {"name": .., "module": .., "error": .. or "proof": .., "runs": ..}
  // [[gas of a function, [gas of each of its instructions]], ..]; empty for a refused module.
  std::string of_gas;
};

// Error, where decoding, validation or a run (engine `formal`) has another label than the case says.
absl::StatusOr<SuiteLine> LineOf(const SuiteCase& test);

// A file of the suite.
struct SuiteFile {
  std::string path;   // in the folder of the suite
  std::string about;  // for people
  std::vector<SuiteCase> cases;
};

}  // namespace tally
