// Which tool this is: `tally --version` and `tally info`.
#pragma once

#include <string>

#include "absl/strings/str_cat.h"
#include "base/release.h"
#include "serializer/format.h"
#include "vm/limits.h"

namespace tally::cli {

// "tally <release>, spec version <n>, format version <n>": what it is, which modules it validates, which
// files it reads.
inline std::string VersionLine() {
  return absl::StrCat("tally ", kVersion, ", spec version ", kSpecVersion, ", format version ",
                      static_cast<int>(kModuleFormatVersion));
}

}  // namespace tally::cli
