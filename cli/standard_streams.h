// Standard input, output and error as a shell may hand them over: closed, full, or a pipe that nobody reads.
// standard_streams.cc is for POSIX, windows/standard_streams.cc for Windows.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace tally::cli {

// For the start of main. The number of a closed stream is taken, so that no file of ours gets it and is then
// written over by a message. From then on a write that fails is an error to report, not a signal that ends
// the process, neither for a broken pipe nor for a file that exceeds the limit of `ulimit -f`.
void PrepareStandardStreams();

// The arguments of main in UTF-8, where the system has them in another form.
std::vector<std::string> Arguments(int argc, char** argv);

// For the end of main. Error stdout_write: not all that went to std::cout has arrived.
absl::Status FlushStandardOutput();

}  // namespace tally::cli
