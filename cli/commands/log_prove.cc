// tally log prove: that a log has a receipt, or that it continues an earlier checkpoint.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/hash/merkle.h"
#include "base/io/file.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/commands/log.h"
#include "cli/labels.h"
#include "cli/receipt_file.h"
#include "proof/labels.h"
#include "proof/log/log_entry.h"
#include "proof/log/log_folder.h"
#include "proof/log/log_proof.h"

namespace tally::cli {
namespace {

struct ProveOptions {
  std::string log, receipt, from, checkpoint, output;
  bool json = false;
};

// Where the log has an entry first. Error log_inclusion.
absl::StatusOr<uint64_t> IndexOf(const Digest& leaf, uint64_t size, const ReadTile& read) {
  for (uint64_t number = 0; number * kTileWidth < size; ++number) {
    const uint64_t width = WidthOf(0, number, size);
    ASSIGN_OR_RETURN(const std::vector<Digest> hashes, read({0, number, width}));
    const auto end = hashes.begin() + static_cast<ptrdiff_t>(width);
    const auto found = std::find(hashes.begin(), end, leaf);
    if (found != end) return number * kTileWidth + static_cast<uint64_t>(found - hashes.begin());
  }
  return MakeError(label::log_inclusion, absl::StrCat("the log has ", size, " receipts, without this one"));
}

// The text of a checkpoint, whoever has signed it: the proof is checked by those who read it.
absl::StatusOr<Checkpoint> Unchecked(const std::string& text) {
  ASSIGN_OR_RETURN(const SignedNote note, ParseNote(text));
  return ParseCheckpoint(note.text);
}

absl::Status Prove(const ProveOptions& options, std::ostream& out) {
  if (options.receipt.empty() == options.from.empty())
    return MakeError(label::option_syntax, "give --receipt or --from: a proof is of one of them");
  ASSIGN_OR_RETURN(const std::string note, options.checkpoint.empty() ? ReadCheckpointNote(options.log)
                                                                      : ReadText(options.checkpoint));
  ASSIGN_OR_RETURN(const Checkpoint checkpoint, Unchecked(note));
  const ReadTile read = FolderTiles(options.log);
  const TiledTree tree(checkpoint.size, read);
  Summary summary;
  AddToSummary(checkpoint, summary);
  std::string text;
  if (!options.receipt.empty()) {
    ASSIGN_OR_RETURN(const Receipt receipt, ReadReceiptFile(options.receipt));
    InclusionText proof = {.index = 0, .path = {}, .checkpoint = note};
    ASSIGN_OR_RETURN(proof.index, IndexOf(MerkleLeafHash(EncodeLogEntry(receipt)), checkpoint.size, read));
    ASSIGN_OR_RETURN(proof.path, tree.InclusionProof(proof.index));
    summary.Add("index", "index", proof.index);
    text = ToText(proof);
  } else {
    ASSIGN_OR_RETURN(const std::string old, ReadText(options.from));
    ASSIGN_OR_RETURN(const Checkpoint earlier, Unchecked(old));
    RETURN_IF_ERROR(CheckGrowth(earlier, checkpoint));
    ConsistencyText proof = {.old_size = earlier.size, .proof = {}, .checkpoint = note};
    ASSIGN_OR_RETURN(proof.proof, tree.ConsistencyProof(earlier.size));
    summary.Add("from", "old_size", earlier.size, "receipts");
    text = ToText(proof);
  }
  RETURN_IF_ERROR(WriteFileAtomically(options.output, AsBytes(text)));
  summary.Wrote(options.output, text.size());
  summary.Print(options.json, out);
  return absl::OkStatus();
}

}  // namespace

void AddLogProveCommand(CommandLine& line, CLI::App& parent) {
  auto& options = line.Keep<ProveOptions>();
  auto* prove = parent.add_subcommand("prove", "prove that a log has a receipt, or continues an earlier one");
  line.Reads(prove->add_option("log", options.log, "folder of the log"))->required();
  line.Reads(prove->add_option("--receipt", options.receipt, "receipt to prove"));
  line.Reads(prove->add_option("--from", options.from, "earlier checkpoint that the log continues"));
  line.Reads(prove->add_option("--checkpoint", options.checkpoint,
                               "checkpoint to prove by, such as a cosigned one; the log's own if left out"));
  line.Writes(prove->add_option("-o,--output", options.output, "file for the proof"))->required();
  line.ForMachines(*prove, options.json);
  line.Calls(*prove, options, Prove);
}

}  // namespace tally::cli
