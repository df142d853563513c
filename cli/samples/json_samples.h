// Samples in JSON lines: token ids above all.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/samples/open_samples.h"
#include "cli/samples/stored_bytes.h"

namespace tally::cli {

// Whether the file starts as one: with '{' or '[', after blanks. Error file_read.
absl::StatusOr<bool> IsJsonLines(StoredBytes& file);

// The names in the first line, where it is an object. Errors: json_lines, file_*.
absl::StatusOr<std::vector<std::string>> JsonNames(const std::string& path);

// A sample for each line that is not blank: a list of numbers, or an object with such a list of the input's
// name. Lists in the list are read one after the other; a sample that is shorter than the input ends with
// zeros. Errors: json_lines, the form's wrong_shape (a line is longer than the input), file_*.
absl::StatusOr<std::unique_ptr<Samples>> OpenJsonLines(const std::string& path, const SampleForm& form);

}  // namespace tally::cli
