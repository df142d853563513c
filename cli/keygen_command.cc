#include <sys/stat.h>

#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "base/labels.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/proof_commands.h"
#include "cli/summary.h"
#include "proof/keys/ed25519.h"

namespace tally::cli {
namespace {

namespace fs = std::filesystem;

// Files that are written in this scope are their owner's alone.
class PrivateFiles {
 public:
  PrivateFiles() : before_(umask(S_IRWXG | S_IRWXO)) {}
  ~PrivateFiles() { umask(before_); }
  PrivateFiles(const PrivateFiles&) = delete;
  PrivateFiles& operator=(const PrivateFiles&) = delete;

 private:
  mode_t before_;
};

}  // namespace

absl::Status GenerateKey(const KeygenOptions& options, std::ostream& out) {
  const std::string public_path = options.public_key.empty() ? options.key + ".pub" : options.public_key;
  ASSIGN_OR_RETURN(const SigningKey key, SigningKey::Generate());
  const std::string secret = key.ToPem(), open = key.public_key().ToPem();
  {
    const PrivateFiles scope;
    const FileToWrite files[] = {{options.key, AsBytes(secret)}, {public_path, AsBytes(open)}};
    // A key that is lost is lost for good: files that exist are not replaced.
    RETURN_IF_ERROR(CreateFilesAtomically(files));
  }
  std::error_code ignored;  // then its owner alone reads the public key, too
  fs::permissions(public_path, fs::perms::group_read | fs::perms::others_read, fs::perm_options::add,
                  ignored);
  Summary summary;
  summary.Add("key", "key", ToHex(key.public_key().id()));
  summary.Wrote(options.key, secret.size());
  summary.Wrote(public_path, open.size());
  summary.Print(options.json, out);
  return absl::OkStatus();
}

}  // namespace tally::cli
