// Standard input in the place of a file that a command reads: `tally asm - -o m.tally`.
#pragma once

#include <string>

namespace tally::cli {

// Commands map files and read them in pieces, so what arrives is kept in memory as a file without a name.
class StandardInput {
 public:
  // The path of that file where `value` is "-" or "NAME=-"; else `value`. Throws CLI::ValidationError where
  // it is asked for twice, cannot be read, or has more than kMaxFileBytes.
  std::string PathInPlaceOf(const std::string& value);

 private:
  bool is_read_ = false;
};

}  // namespace tally::cli
