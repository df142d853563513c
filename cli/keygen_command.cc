#include "base/error.h"
#include "base/file.h"
#include "base/labels.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/proof_commands.h"
#include "cli/summary.h"
#include "proof/receipt/ed25519.h"

namespace tally::cli {

absl::Status GenerateKey(const KeygenOptions& options, std::ostream& out) {
  const std::string public_path = options.public_key.empty() ? options.key + ".pub" : options.public_key;
  ASSIGN_OR_RETURN(const SigningKey key, SigningKey::Generate());
  const std::string secret = key.ToPem(), open = key.public_key().ToPem();
  const FileToWrite files[] = {{.path = options.key, .bytes = AsBytes(secret), .owner_alone = true},
                               {.path = public_path, .bytes = AsBytes(open)}};
  // A key that is lost is lost for good: files that exist are not replaced.
  RETURN_IF_ERROR(CreateFilesAtomically(files));
  Summary summary;
  summary.Add("key", "key", ToHex(key.public_key().id()));
  summary.Wrote(options.key, secret.size());
  summary.Wrote(public_path, open.size());
  summary.Print(options.json, out);
  return absl::OkStatus();
}

}  // namespace tally::cli
