// tally keygen: a key pair that signs receipts.
#include "base/error.h"
#include "base/io/file.h"
#include "base/labels.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/command_line.h"
#include "cli/commands/commands.h"
#include "cli/summary.h"
#include "proof/receipt/ed25519.h"

namespace tally::cli {
namespace {

struct KeygenOptions {
  std::string key;         // the private key, for its owner alone
  std::string public_key;  // for everybody
  bool json = false;
};

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

}  // namespace

void AddKeygenCommand(CommandLine& line) {
  auto& options = line.Keep<KeygenOptions>();
  auto* keygen = line.app.add_subcommand("keygen", "draw an Ed25519 key pair for receipts");
  line.WritesNamed(keygen->add_option("-o,--output", options.key, "file for the private key"))->required();
  line.Writes(keygen->add_option("--public", options.public_key,
                                 "file for the public key (default: that of the private key, with .pub)"));
  line.ForMachines(*keygen, options.json);
  line.Calls(*keygen, options, GenerateKey);
}

}  // namespace tally::cli
