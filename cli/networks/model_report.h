// The facts about a model file of another framework that `check` and `info` show.
#pragma once

#include <ostream>

#include "cli/json_output.h"
#include "frontends/graph/report.h"

namespace tally::cli {

// format, inputs, outputs, weights, operators (how many layers of each kind have which fate), refused (label,
// message, advice) and whether the model imports.
Json JsonOf(const frontend::ModelReport& report);

// All of it but what is refused.
void PrintModel(const Json& report, std::ostream& out);

}  // namespace tally::cli
