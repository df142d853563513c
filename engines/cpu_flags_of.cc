#include "engines/cpu_flags_of.h"

#include <cstdlib>
#include <optional>

#include "base/error.h"
#include "base/strings.h"
#include "vm/labels.h"

namespace tally {

absl::StatusOr<CpuFlags> CpuFlagsOf(std::string_view level) {
  if (level.empty()) {
    const char* variable = std::getenv("TALLY_ARCH");
    if (variable == nullptr || *variable == '\0') return DetectCpuFlags();
    level = variable;
  }
  const std::optional<CpuFlags> flags = CapCpuFlags(DetectCpuFlags(), level);
  if (!flags) {
    return MakeError(label::arch_unknown, absl::StrCat("no level of instructions is called '", ToAbsl(level),
                                                       "'; there are ", AllCpuLevels()));
  }
  return *flags;
}

}  // namespace tally
