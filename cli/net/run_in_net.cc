#include "cli/net/run_in_net.h"

#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "base/error.h"
#include "base/printable.h"
#include "base/strings.h"
#include "cli/labels.h"

namespace tally::cli {

absl::Status RunInNet(const std::vector<std::string>& arguments) {
  std::error_code error;
  const std::string program =
      std::filesystem::read_symlink("/proc/self/exe", error).replace_filename("tally-net").string();
  std::vector<char*> given;
  for (const std::string& argument : arguments) given.push_back(const_cast<char*>(argument.c_str()));
  given.push_back(nullptr);
  execv(program.c_str(), given.data());
  return MakeError(label::usage, absl::StrCat("this command is in a program of its own, and there is no '",
                                              Printable(program),
                                              "': it belongs beside tally (./dev build //cli:tally-net)"));
}

}  // namespace tally::cli
