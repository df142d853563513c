// Findings as tuples of Python.
#pragma once

#include "api/python/native/object.h"

namespace tally::python {

// (word, label, message, holds, compared, may_pass)
Ref About(const tally_finding& finding);

}  // namespace tally::python
