// The largest elements of results, by the names of what they stand for.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "vm/module.h"

namespace tally::cli {

// The lines of a text file, at least one, each in UTF-8, without control characters and of at most 1024
// bytes. Errors: those of ReadFile; labels_text.
absl::StatusOr<std::vector<std::string>> ReadLabels(const std::string& path);

// Statements of a model's file about inputs and outputs that a module cannot hold, in a file next to it,
// MODULE.labels: JSON with the id of the module, so that that of another one is not taken for its own.
struct FileNotes {
  std::vector<std::string> labels = {};      // one for each element of a row
  std::vector<std::string> bgr_inputs = {};  // images whose channels are blue, green and red
};
std::string LabelsBeside(const std::string& module);
std::string TextOfNotes(const std::string& module_id, const FileNotes& notes);
// Nothing where there is no such file, or it is of another module. Errors: those of ReadFile; labels_text.
absl::StatusOr<FileNotes> ReadNotesBeside(const std::string& path, const Module& module);

struct NamedChoice {
  int64_t place;
  std::string name;  // its label, or its number where there is none
  double value;
};

// The `top` largest elements of a row, or all where it has fewer; of equal ones the first.
std::vector<NamedChoice> LargestOf(std::span<const double> row, int64_t top,
                                   const std::vector<std::string>& labels);

}  // namespace tally::cli
