#include "cli/audit/executor.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/audit/claim_lines.h"
#include "cli/labels.h"
#include "cli/progress_bar.h"
#include "cli/report.h"

extern char** environ;

namespace tally::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t kClaimsAtOnce = 1000;
constexpr size_t kFoundAtOnce = 1000;               // written to the list together
constexpr auto kRenewed = std::chrono::minutes(1);  // between two renewals of leases
constexpr auto kNoWork = std::chrono::milliseconds(100);

struct CloseFile {
  void operator()(FILE* file) const { fclose(file); }
};
using File = std::unique_ptr<FILE, CloseFile>;

// A program with a pipe to its standard input and one from its standard output.
class Program {
 public:
  static absl::StatusOr<std::unique_ptr<Program>> Start(const std::vector<std::string>& command) {
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) != 0) return Failed("no pipe", errno);
    if (pipe2(from, O_CLOEXEC) != 0) return Failed("no pipe", errno);
    std::unique_ptr<Program> program(new Program);
    program->to_.reset(fdopen(to[1], "w"));
    program->from_.reset(fdopen(from[0], "r"));
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, to[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, from[1], STDOUT_FILENO);
    std::vector<char*> arguments;
    for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    const int error =
        posix_spawnp(&program->process_, arguments[0], &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(to[0]);
    close(from[1]);
    if (error != 0) return Failed(command[0], error);
    program->started_ = true;
    return program;
  }

  ~Program() {
    if (!started_) return;
    Kill();
    waitpid(process_, nullptr, 0);
  }

  // Whether the program has taken it.
  bool Write(std::string_view text) {
    return fwrite(text.data(), 1, text.size(), to_.get()) == text.size() && fflush(to_.get()) == 0;
  }
  void EndInput() { to_.reset(); }
  void Kill() const { kill(process_, SIGTERM); }

  // The next line, without its end; nothing at the end of the output.
  std::optional<std::string> Read() {
    char* line = nullptr;
    size_t capacity = 0;
    const ssize_t size = getline(&line, &capacity, from_.get());
    const std::unique_ptr<char, decltype(&free)> held(line, &free);
    if (size <= 0) return std::nullopt;
    return std::string(line, static_cast<size_t>(size) - (line[size - 1] == '\n' ? 1 : 0));
  }

  absl::Status Wait() {
    int status = 0;
    started_ = false;
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return absl::OkStatus();
    return MakeError(label::audit_executor, WIFEXITED(status)
                                                ? absl::StrCat("it ended with ", WEXITSTATUS(status))
                                                : absl::StrCat("signal ", WTERMSIG(status), " has ended it"));
  }

 private:
  static absl::Status Failed(std::string_view what, int error) {
    return MakeError(label::audit_executor, absl::StrCat(ToAbsl(what), ": ", strerror(error)));
  }

  File to_, from_;
  pid_t process_ = 0;
  bool started_ = false;
};

// The claims that the program has, with the tries that the list counted before.
class Outstanding {
 public:
  void Add(const Batch& batch) {
    const std::lock_guard lock(mutex_);
    for (const OpenClaim& open : batch.claims) tries_[open.id] = open.tries;
  }
  // The tries, or nothing if the program has not been asked.
  std::optional<int64_t> Take(const Digest& id) {
    const std::lock_guard lock(mutex_);
    const auto found = tries_.find(id);
    if (found == tries_.end()) return std::nullopt;
    const int64_t tries = found->second;
    tries_.erase(found);
    return tries;
  }
  std::vector<Digest> Rest() const {
    std::vector<Digest> ids;
    for (const auto& [id, tries] : tries_) ids.push_back(id);
    return ids;
  }

 private:
  std::mutex mutex_;
  std::map<Digest, int64_t> tries_;
};

// Findings on their way into the list. The one who gives claims records them too: the program may wait for
// more claims.
class Findings {
 public:
  explicit Findings(WorkList& list) : list_(list) {}

  absl::Status Add(FoundClaim found) {
    {
      const std::lock_guard lock(mutex_);
      found_.push_back(std::move(found));
      if (found_.size() < kFoundAtOnce) return absl::OkStatus();
    }
    return Record();
  }
  absl::Status Record() {
    std::vector<FoundClaim> found;
    {
      const std::lock_guard lock(mutex_);
      found.swap(found_);
    }
    if (found.empty()) return absl::OkStatus();
    RETURN_IF_ERROR(list_.Record(found));
    ASSIGN_OR_RETURN(const Progress progress, list_.Count());
    const std::lock_guard lock(mutex_);
    bar_.Show(progress.done, progress.claims);
    return absl::OkStatus();
  }

 private:
  WorkList& list_;
  std::mutex mutex_;
  std::vector<FoundClaim> found_;
  ProgressBar bar_{"audit claims"};
};

absl::Status ReadFindings(Program& program, Outstanding& outstanding, Findings& findings) {
  while (const auto line = program.Read()) {
    ASSIGN_OR_RETURN(FoundClaim one, ParseFoundLine(*line));
    const auto tries = outstanding.Take(one.id);
    if (!tries) continue;  // answered twice
    one.tries = *tries;
    RETURN_IF_ERROR(findings.Add(std::move(one)));
  }
  return findings.Record();
}

}  // namespace

absl::Status AuditByExecutor(WorkList& list, const std::vector<std::string>& command) {
  signal(SIGPIPE, SIG_IGN);  // a program that has ended is an error of a write
  ASSIGN_OR_RETURN(const auto program, Program::Start(command));
  Outstanding outstanding;
  Findings findings(list);
  std::atomic<bool> ended = false;
  absl::Status read;
  std::jthread reader([&] {
    read = WithoutExceptions([&] { return ReadFindings(*program, outstanding, findings); });
    ended = true;
  });
  Clock::time_point renewed = Clock::now();
  const auto give = [&]() -> absl::Status {
    while (!ended) {
      // Before more are taken: those that the program has would be taken again.
      if (Clock::now() - renewed > kRenewed) {
        RETURN_IF_ERROR(list.Renew());
        renewed = Clock::now();
      }
      ASSIGN_OR_RETURN(const Batch batch, list.Take(kClaimsAtOnce));
      if (batch.ended) return absl::OkStatus();
      if (batch.claims.empty()) {
        RETURN_IF_ERROR(findings.Record());
        std::this_thread::sleep_for(kNoWork);
        continue;
      }
      outstanding.Add(batch);
      std::string lines;
      for (const OpenClaim& open : batch.claims) absl::StrAppend(&lines, ClaimLine(open), "\n");
      if (!program->Write(lines)) break;  // why is found below
    }
    return absl::OkStatus();
  };
  const absl::Status given = give();
  if (!given.ok()) program->Kill();
  program->EndInput();
  reader.join();
  if (!read.ok()) program->Kill();  // nobody reads what it still writes
  const absl::Status end = program->Wait();
  RETURN_IF_ERROR(list.Return(outstanding.Rest()));
  RETURN_IF_ERROR(given);
  RETURN_IF_ERROR(read);
  RETURN_IF_ERROR(end);
  ASSIGN_OR_RETURN(const Progress progress, list.Count());
  if (progress.done == progress.claims) return absl::OkStatus();
  return MakeError(label::audit_executor,
                   absl::StrCat("it ended with ", progress.claims - progress.done, " claims unanswered"));
}

}  // namespace tally::cli
