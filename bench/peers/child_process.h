// A program that is asked and answers line by line, over its standard input and output.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace tally::bench {

class ChildProcess {
 public:
  // Errors: the system's, when it cannot start a process. A program that is not there shows at the first
  // question.
  static absl::StatusOr<std::unique_ptr<ChildProcess>> Start(const std::vector<std::string>& command);

  // Closes its standard input, on which it ends, and waits for that.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Writes `line` and returns the line that answers it. Error: the program has ended.
  absl::StatusOr<std::string> Ask(const std::string& line);

 private:
  ChildProcess(pid_t pid, int to, int from) : pid_(pid), to_(to), from_(from) {}

  pid_t pid_;
  int to_, from_;
  std::string unread_;
};

}  // namespace tally::bench
