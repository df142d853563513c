// Who works on a claim: a process of this machine, until a time or until it ends.
#pragma once

#include <cstdint>
#include <string>

namespace tally::cli {

struct Lease {
  std::string owner;  // the boot of the machine, and the process; process 0 waits for the time alone
  int64_t until = 0;  // seconds since that boot, by a clock that nobody sets

  static Lease OfThisProcess(int64_t seconds);
  static Lease OfNobody(int64_t seconds);

  // Neither its time nor its process has ended.
  bool Holds() const;
};

}  // namespace tally::cli
