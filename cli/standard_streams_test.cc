#include "cli/standard_streams.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace tally::cli {
namespace {

// Runs `body` in a process of its own, whose streams it may spoil.
template <typename Body>
bool HoldsInChild(const Body& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body() ? 0 : 1);
  int outcome = 0;
  return waitpid(child, &outcome, 0) == child && outcome == 0;
}

TEST(StandardStreams, NoFileGetsTheNumberOfAClosedStream) {
  EXPECT_TRUE(HoldsInChild([] {
    for (const int fd : {0, 1, 2}) close(fd);
    PrepareStandardStreams();
    char byte = 0;
    const bool fail = read(0, &byte, 1) < 0 && write(1, &byte, 1) < 0 && write(2, &byte, 1) < 0;
    return fail && open("/dev/null", O_RDONLY) > 2;
  }));
}

TEST(StandardStreams, OpenStreamsStayWhatTheyAre) {
  EXPECT_TRUE(HoldsInChild([] {
    int ends[2] = {};
    if (pipe(ends) != 0 || dup2(ends[1], 1) != 1) return false;
    close(2);
    PrepareStandardStreams();
    char byte = 7;
    return write(1, &byte, 1) == 1 && read(ends[0], &byte, 1) == 1 && byte == 7;
  }));
}

TEST(StandardStreams, ABrokenPipeIsAnErrorAndNoSignal) {
  EXPECT_TRUE(HoldsInChild([] {
    int ends[2] = {};
    if (pipe(ends) != 0) return false;
    close(ends[0]);
    PrepareStandardStreams();
    return write(ends[1], "x", 1) < 0 && errno == EPIPE;
  }));
}

}  // namespace
}  // namespace tally::cli
