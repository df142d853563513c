// Standard input, output and error as a shell may hand them over: closed, full, or a pipe that nobody reads.
#pragma once

#include "absl/status/status.h"

namespace tally::cli {

// For the start of main. The number of a closed stream is taken, so that no file of ours gets it and is then written over
// by a message. A write that fails is an error to report from then on and no signal that ends the process: not for a
// broken pipe, and not for a file that exceeds the limit of `ulimit -f`.
void PrepareStandardStreams();

// For the end of main. Error stdout_write: not all that went to std::cout has arrived.
absl::Status FlushStandardOutput();

}  // namespace tally::cli
