// Lines in which a test reports what it has run, and how: ./dev test ends with a summary of these lines
// (tools/what_ran.py).
//
//   SayRan("engine", "formal", kHere);
//   SayRan("weighted sums", LevelOf(kernel.flags), kByModels);
//   SayRan("weighted sums", LevelOf(kernel.flags), "not run: this machine lacks it");
#pragma once

#include <cstdlib>
#include <iostream>
#include <set>
#include <string>
#include <string_view>

#include "base/cpu_flags.h"

namespace tally {

inline const std::string_view kHere =
    std::getenv("TALLY_UNDER_QEMU") == nullptr ? "on this machine" : "under QEMU";
inline constexpr std::string_view kByModels = "by models";

// Each line once. `how`: as above.
inline void SayRan(std::string_view kind, std::string_view name, std::string_view how) {
  static auto* const said = new std::set<std::string>;
  const std::string line = "ran: " + std::string(kind) + ": " + std::string(name) + ": " + std::string(how);
  if (said->insert(line).second) std::cout << line << std::endl;
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
