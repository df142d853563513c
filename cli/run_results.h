// The results of runs as files, and in the report of `tally run`.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/tensor.h"
#include "cli/json_output.h"
#include "cli/output_files.h"
#include "vm/module.h"

namespace tally::cli {

struct ResultOptions {
  std::string output;   // folder
  bool floats = false;  // write results that have a grid as the reals that they stand for
  int64_t top = 0;      // report so many of the largest elements of each row
};

// Plans a file for each result, and returns the report of them. `runs` are by result and then by sample;
// `labels` name the elements of a row.
absl::StatusOr<Json> AddResults(const ResultOptions& options, const Metadata& metadata,
                                const std::vector<std::string>& labels,
                                const std::vector<std::vector<Tensor>>& runs, OutputFiles& files);

// One result of that report, for people.
void PrintResult(const Json& result, std::ostream& out);

}  // namespace tally::cli
