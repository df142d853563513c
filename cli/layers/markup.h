// Pieces of HTML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace tally::cli {

// `text` as character data or as the value of an attribute.
std::string Escaped(std::string_view text);

// With at most two decimals, and none that are 0.
std::string Coordinate(double value);

// The fill of a layer, from red for noise to green for 40 dB and more.
std::string ColorOf(double sqnr_db);

}  // namespace tally::cli
