#include "cli/standard_streams.h"

#include <fcntl.h>
#include <poll.h>
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

std::vector<std::string> Arguments(int argc, char** argv) { return {argv, argv + argc}; }

// Whoever read the pipe has seen enough: `| head`.
bool IsClosedPipe(int fd) {
  pollfd stream = {.fd = fd, .events = POLLOUT, .revents = 0};
  return poll(&stream, 1, 0) == 1 && (stream.revents & POLLERR) != 0;
}

absl::Status FlushStandardOutput() {
  std::cout.flush();
  if (std::cout.good()) return absl::OkStatus();
  if (IsClosedPipe(STDOUT_FILENO)) {
    // The end that other commands of a pipeline have: no message, and the shell sees why.
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
  }
  return MakeError(label::stdout_write, "standard output is full or closed");
}

}  // namespace tally::cli
