// The files of the conformance suite. Each function gives the same on every machine and in every run.
#pragma once

#include <string>
#include <vector>

#include "tests/vectors/suite_case.h"
#include "tests/vectors/vector_file.h"

namespace tally {

// Calls and refusals of every operator of a family, from its vectors.
SuiteFile OperatorSuite(const std::string& family, const std::vector<VectorFile>& files);

// Two broken rules in each module, for the same operators.
SuiteFile PairSuite(const std::string& family, const std::vector<VectorFile>& files);

SuiteFile MalformedSuite();
SuiteFile InvalidSuite();
SuiteFile GraphSuite();
SuiteFile RecipeSuite();
SuiteFile RefusedRunSuite();

}  // namespace tally
