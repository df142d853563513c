// Facts about modules for JavaScript, besides those of tally.h.
#pragma once

#include "api/c/tally.h"

extern "C" {

// The report of `tally validate --json`, on one line: a text that the caller frees.
tally_status tally_module_facts(tally_module module, char** text, tally_error* error);
}
