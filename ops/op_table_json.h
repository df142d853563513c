// The operator table for programs in any language: docs/spec/opcodes.json, and what `tally ops --json`
// prints.
#pragma once

#include <string>

namespace tally {

// One JSON object: what a decoder, a validator or a generator of another language needs to know of each row,
// and the functions of recipes. One line for each operator.
std::string OpTableJson();

}  // namespace tally
