// Long lists of numbers as one string of a calibration file: a JSON array would have a line for each, and
// need many times the memory.
//
//   CountsToText({3, 0, 0, 0, 7}) == "3 0*3 7"
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tally::quant {

// Counts that are not negative, with runs of three and more equal ones as COUNT*LENGTH.
std::string CountsToText(const std::vector<int64_t>& counts);
// Nothing for other text, and for more than `most` counts.
std::optional<std::vector<int64_t>> CountsFromText(std::string_view text, size_t most);

// Finite floats, each in the shortest decimal form that reads back as the same float.
std::string FloatsToText(const std::vector<float>& floats);
// Nothing for other text.
std::optional<std::vector<float>> FloatsFromText(std::string_view text);

}  // namespace tally::quant
