#include "engines/cpu_flags_of.h"

#include <cstdlib>
#include <optional>

#include "base/error.h"
#include "base/strings.h"
#include "vm/labels.h"

namespace tally {

absl::StatusOr<CpuFlags> CpuFlagsOf(std::string_view arch) {
  if (arch.empty()) {
    const char* variable = std::getenv("TALLY_ARCH");
    if (variable == nullptr || *variable == '\0') return DetectCpuFlags();
    arch = variable;
  }
  const std::optional<CpuFlags> flags = CapCpuFlags(DetectCpuFlags(), arch);
  if (!flags) {
    return MakeError(label::arch_unknown, absl::StrCat("no level of instructions is called '", ToAbsl(arch),
                                                       "'; there are ", AllCpuLevels()));
  }
  return *flags;
}

}  // namespace tally
