// What a test says it has run, and how: ./dev test ends with a summary of these lines (tools/what_ran.py).
//
//   SayRan("level avx2", "native");   // or "emulated", or "not run: why"
#pragma once

#include <iostream>
#include <string>
#include <string_view>

#include "base/cpu_flags.h"

namespace tally {

inline void SayRan(std::string_view what, std::string_view how) {
  std::cout << "ran: " << what << ": " << how << std::endl;
}

// The first level of instruction sets that has all of `required`.
inline std::string LevelOf(CpuFlags required) {
  const std::string levels = AllCpuLevels() + ", ";
  size_t begin = 0;
  for (size_t end; (end = levels.find(", ", begin)) != std::string::npos; begin = end + 2) {
    const std::string level = levels.substr(begin, end - begin);
    if (CapCpuFlags(required, level) == required) return level;
  }
  return "";
}

}  // namespace tally
