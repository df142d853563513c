// The end of a fuzz target when a law is broken.
#pragma once

#include <cstdlib>
#include <iostream>

#include "absl/status/status.h"

namespace tally {

// Aborts, so that libFuzzer and the replay both notice.
inline void Check(const absl::Status& law) {
  if (law.ok()) return;
  std::cerr << law << "\n";
  std::abort();
}

}  // namespace tally
