#include "cli/audit/lease.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <string>

#include "base/strings.h"

namespace tally::cli {
namespace {

std::string ReadBoot() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  return boot;
}

const std::string& Boot() {
  static const std::string& boot = *new std::string(ReadBoot());
  return boot;
}

int64_t Now() {
  timespec now = {};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return now.tv_sec;
}

}  // namespace

Lease Lease::OfThisProcess(int64_t seconds) { return {absl::StrCat(Boot(), " ", getpid()), Now() + seconds}; }
Lease Lease::OfNobody(int64_t seconds) { return {Boot() + " 0", Now() + seconds}; }

bool Lease::Holds() const {
  if (until <= Now()) return false;
  const size_t blank = owner.find(' ');
  if (blank == std::string::npos || owner.substr(0, blank) != Boot()) return false;
  const long process = std::strtol(owner.c_str() + blank + 1, nullptr, 10);
  return process == 0 || kill(static_cast<pid_t>(process), 0) == 0 || errno != ESRCH;
}

}  // namespace tally::cli
