// Options of the form [NAME=]VALUE, each of one input.
//
//   ASSIGN_OR_RETURN(const auto files, ValuesByName({"image=x.npy"}, {"image", "mask"}, "--input"));
//   files[0];  // "x.npy"
//   files[1];  // nothing
//
// NAME may be left out where there is one input.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/error.h"

namespace tally::cli {

// In the order of `names`. `missing` is the label of a refusal of names without a value; without it they may
// be left out. Errors: that; option_syntax; input_name, for a value of another name or a second one.
absl::StatusOr<std::vector<std::optional<std::string>>> ValuesByName(const std::vector<std::string>& options,
                                                                     const std::vector<std::string>& names,
                                                                     std::string_view flag,
                                                                     std::optional<Label> missing = {});

// The paths that [NAME=]PATH can mean: all of it, and what is after the first '='.
std::vector<std::string> PathsIn(const std::string& option);

}  // namespace tally::cli
