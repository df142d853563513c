// A dispute for people to look at: a bar for each message, with the part of all that is still in question.
#pragma once

#include <ostream>

#include "proof/dispute/play.h"

namespace tally::cli {

// A line for each answer:
//
//   2  trace   [....####............]  entries 12 to 15 of 56
void DrawDispute(const PlayedDispute& played, std::ostream& out);

}  // namespace tally::cli
