// tally log append: receipts become part of a log.
#include <algorithm>
#include <string>
#include <vector>

#include "base/io/file.h"
#include "base/status_macros.h"
#include "cli/audit/receipt_files.h"
#include "cli/commands/log.h"
#include "cli/progress_bar.h"
#include "cli/receipt_file.h"
#include "proof/log/log_entry.h"
#include "proof/log/log_folder.h"
#include "proof/log/log_proof.h"

namespace tally::cli {
namespace {

struct AppendOptions {
  std::string log, origin, key;
  std::vector<std::string> receipts;
  bool proofs = false;
  bool json = false;
};

absl::StatusOr<std::vector<std::vector<uint8_t>>> EntriesOf(std::span<const FoundReceipt> files) {
  std::vector<std::vector<uint8_t>> entries;
  for (const FoundReceipt& file : files) {
    ASSIGN_OR_RETURN(const Receipt receipt, ReadReceiptFile(file.path));
    entries.push_back(EncodeLogEntry(receipt));
  }
  return entries;
}

// RECEIPT.proof beside each of the receipts, which are in the log from `first` on.
absl::Status WriteProofs(const std::string& folder, const Checkpoint& checkpoint, uint64_t first,
                         std::span<const FoundReceipt> files) {
  ASSIGN_OR_RETURN(const std::string note, ReadCheckpointNote(folder));
  const TiledTree tree(checkpoint.size, FolderTiles(folder));
  ProgressBar bar("write proofs");
  for (size_t i = 0; i < files.size(); ++i) {
    InclusionText proof = {.index = first + i, .path = {}, .checkpoint = note};
    ASSIGN_OR_RETURN(proof.path, tree.InclusionProof(proof.index));
    RETURN_IF_ERROR(WriteFileAtomically(files[i].path + ".proof", AsBytes(ToText(proof))));
    bar.Show(static_cast<int64_t>(i) + 1, static_cast<int64_t>(files.size()));
  }
  return absl::OkStatus();
}

absl::Status Append(const AppendOptions& options, std::ostream& out) {
  ASSIGN_OR_RETURN(SigningKey key, ReadSigningKey(options.key));
  const NoteKey verifier = {options.origin, key.public_key()};
  ASSIGN_OR_RETURN(const FoundFiles found, FindFiles(options.receipts));
  ASSIGN_OR_RETURN(const auto log, LogWriter::Open(options.log, options.origin, std::move(key)));
  const uint64_t first = log->checkpoint().size;
  ProgressBar bar("append receipts");
  std::span<const FoundReceipt> rest = found.receipts;
  while (!rest.empty()) {
    const auto part = rest.first(std::min(rest.size(), kEntriesAtOnce));
    ASSIGN_OR_RETURN(const auto entries, EntriesOf(part));
    RETURN_IF_ERROR(log->Append(entries).status());
    rest = rest.subspan(part.size());
    bar.Show(static_cast<int64_t>(found.receipts.size() - rest.size()),
             static_cast<int64_t>(found.receipts.size()));
  }
  if (options.proofs) RETURN_IF_ERROR(WriteProofs(options.log, log->checkpoint(), first, found.receipts));
  Summary summary;
  AddToSummary(log->checkpoint(), summary);
  summary.Add("first", "first_index", first, "is the index of the first one added");
  summary.Add("verifier", "verifier_key", VerifierKey(verifier));
  summary.Print(options.json, out);
  return absl::OkStatus();
}

}  // namespace

void AddLogAppendCommand(CommandLine& line, CLI::App& parent) {
  auto& options = line.Keep<AppendOptions>();
  auto* append = parent.add_subcommand("append", "add receipts to a log, which the first ones make");
  line.WritesNamed(append->add_option("log", options.log, "folder of the log"))->required();
  line.Reads(append->add_option("receipts", options.receipts, "receipts, folders of them, or lists (*.txt)")
                 ->required());
  AddOriginOption(*append, options.origin);
  line.Reads(append->add_option("--key", options.key, "private key of the log"))->required();
  append->add_flag("--proofs", options.proofs, "write RECEIPT.proof beside each receipt");
  line.ForMachines(*append, options.json);
  line.Calls(*append, options, Append);
}

}  // namespace tally::cli
