#include "cli/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <iostream>

#include "base/error.h"
#include "cli/labels.h"

namespace tally::cli {

void PrepareStandardStreams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) >= 0) continue;
    // The smallest free number is this one. Opened the wrong way round, the stream fails as a closed one
    // does.
    (void)open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

absl::Status FlushStandardOutput() {
  std::cout.flush();
  if (std::cout.good()) return absl::OkStatus();
  return MakeError(label::stdout_write, "standard output is full, closed, or a pipe that nobody reads");
}

}  // namespace tally::cli
