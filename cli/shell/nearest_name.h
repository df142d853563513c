// The name that somebody meant who wrote another.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tally::cli {

// The name with the fewest letters to insert, remove, replace or swap with their neighbour (restricted
// Damerau-Levenshtein distance), or "" where that is more than a third of `word`. Of equals, the first.
std::string NearestName(std::string_view word, std::span<const std::string> names);

}  // namespace tally::cli
