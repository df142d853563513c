// The model files that importers read.
#pragma once

#include "cli/model_files.h"

namespace tally::cli {

ModelFiles ImportedModels();

}  // namespace tally::cli
