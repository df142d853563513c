// Values of CVM attributes, which its files write as text.
//
//   ParseTuple("(3, 3)");   // {3, 3}; so are "[3,3]", and "3" and "(3,)" are {3}
//   PrintTuple({3, 3});     // "(3, 3)"
//
// Integers are decimal and fit 32 bits. Spaces around numbers, commas and brackets mean nothing.
//
// Errors: cvm_attribute
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace tally::cvm {

absl::StatusOr<int64_t> ParseInt(std::string_view text);

// true, false, 1 or 0, in upper or lower case.
absl::StatusOr<bool> ParseBool(std::string_view text);

// "(1, 2)", "[1, 2]", "(1,)", "()", or a number alone; at most kMaxAttributeList integers.
absl::StatusOr<std::vector<int64_t>> ParseTuple(std::string_view text);

// "None", or a number alone.
absl::StatusOr<std::vector<int64_t>> ParseOptionalInt(std::string_view text);

std::string PrintBool(bool value);
std::string PrintTuple(const std::vector<int64_t>& values);
std::string PrintOptionalInt(const std::vector<int64_t>& value);

}  // namespace tally::cvm
