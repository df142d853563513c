// The right labels of samples, by name: from the folders that they are in, or of a CSV file.
//
//   ASSIGN_OR_RETURN(const auto labels, LabelsOfCsv("labels.csv", files));   // {"cat", "dog", "cat"}
//   ASSIGN_OR_RETURN(const auto right, PlacesOf(labels, names, 1000));       // {281, 207, 281}
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace tally::cli {

// The name of the folder that each file of a sample is in.
std::vector<std::string> LabelsOfFolders(const std::vector<std::string>& files);

// The label of each sample in a file of lines FILE,LABEL (RFC 4180), where FILE ends the path of the
// sample, which is empty for one that is in no file of its own; a first line that names no sample is a
// heading. Lines of one field are labels in the order of the samples. Errors: those of ReadFile;
// labels_text, where a sample has no label.
absl::StatusOr<std::vector<std::string>> LabelsOfCsv(const std::string& path,
                                                     const std::vector<std::string>& files);

// The places of labels in a row of `row` elements: those that `names` have, or numbers, or, where labels
// are as many different ones as a row has elements, their places in the order of their names, which is how
// folders of classes are numbered. Errors: labels_text, samples_range.
absl::StatusOr<std::vector<int64_t>> PlacesOf(const std::vector<std::string>& labels,
                                              const std::vector<std::string>& names, int64_t row);

}  // namespace tally::cli
