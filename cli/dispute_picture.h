// A dispute for people to look at: a bar for each message, with the part of all that is still in question.
#pragma once

#include <ostream>

#include "proof/dispute/play.h"

namespace tally::cli {

// A line for each message of the asserter:
//
//   1  opening the claim, and the root of 56 entries
//   2  trace   [....####............]  entries 12 to 15 of 56
void DrawDispute(const PlayedDispute& played, std::ostream& out);

}  // namespace tally::cli
