#include "bench/peers/child_process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "absl/status/status.h"

namespace tally::bench {

absl::StatusOr<std::unique_ptr<ChildProcess>> ChildProcess::Start(const std::vector<std::string>& command) {
  std::signal(SIGPIPE, SIG_IGN);  // a program that ended is an error of Ask
  int to[2], from[2];
  if (pipe2(to, O_CLOEXEC) != 0) return absl::InternalError("no pipe");
  if (pipe2(from, O_CLOEXEC) != 0) {
    close(to[0]);
    close(to[1]);
    return absl::InternalError("no pipe");
  }
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  const pid_t pid = fork();
  if (pid == 0) {
    dup2(to[0], STDIN_FILENO);
    dup2(from[1], STDOUT_FILENO);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  close(to[0]);
  close(from[1]);
  if (pid < 0) {
    close(to[1]);
    close(from[0]);
    return absl::InternalError("no process");
  }
  return std::unique_ptr<ChildProcess>(new ChildProcess(pid, to[1], from[0]));
}

ChildProcess::~ChildProcess() {
  close(to_);
  close(from_);
  waitpid(pid_, nullptr, 0);
}

absl::StatusOr<std::string> ChildProcess::Ask(const std::string& line) {
  const std::string text = line + "\n";
  for (size_t written = 0; written < text.size();) {
    const ssize_t n = write(to_, text.data() + written, text.size() - written);
    if (n <= 0) return absl::UnavailableError("the program has ended");
    written += static_cast<size_t>(n);
  }
  for (;;) {
    if (const size_t end = unread_.find('\n'); end != std::string::npos) {
      std::string answer = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return answer;
    }
    char buffer[65536];
    const ssize_t n = read(from_, buffer, sizeof buffer);
    if (n <= 0) return absl::UnavailableError("the program has ended");
    unread_.append(buffer, static_cast<size_t>(n));
  }
}

}  // namespace tally::bench
