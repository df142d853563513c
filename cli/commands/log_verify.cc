// tally log verify: what a proof of a log shows.
#include <string>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/commands/log.h"
#include "cli/labels.h"
#include "cli/receipt_file.h"
#include "proof/log/log_entry.h"
#include "proof/log/log_proof.h"

namespace tally::cli {
namespace {

struct VerifyOptions {
  std::string proof, receipt, from;
  LogOptions log;
  std::vector<std::string> witnesses;
  bool json = false;
};

// NAME=KEY
absl::StatusOr<NoteKey> WitnessOf(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || !IsNoteName(text.substr(0, equals)))
    return MakeError(label::option_syntax, absl::StrCat("'", text, "' is not NAME=KEY"));
  ASSIGN_OR_RETURN(PublicKey key, ReadPublicKey(text.substr(equals + 1)));
  return NoteKey{text.substr(0, equals), std::move(key)};
}

// The cosignatures that are asked for, each with its time.
absl::Status CheckWitnesses(const VerifyOptions& options, const std::string& text, Summary& summary) {
  ASSIGN_OR_RETURN(const SignedNote note, ParseNote(text));
  Json list = Json::array();
  std::string said;
  for (const std::string& option : options.witnesses) {
    ASSIGN_OR_RETURN(const NoteKey witness, WitnessOf(option));
    ASSIGN_OR_RETURN(const uint64_t seconds, CheckCosignature(note, witness));
    list.push_back({{"name", witness.name}, {"seconds", seconds}});
    absl::StrAppend(&said, said.empty() ? "" : ", ", witness.name, " at ", seconds);
  }
  if (!list.empty()) summary.Say("seen by", said, "witnesses", std::move(list));
  return absl::OkStatus();
}

absl::Status Verify(const VerifyOptions& options, std::ostream& out) {
  if (options.receipt.empty() == options.from.empty())
    return MakeError(label::option_syntax, "give --receipt or --from: a proof is of one of them");
  ASSIGN_OR_RETURN(const NoteKey log, options.log.Key());
  ASSIGN_OR_RETURN(const std::string text, ReadText(options.proof));
  Summary summary;
  if (!options.receipt.empty()) {
    ASSIGN_OR_RETURN(const InclusionText proof, ParseInclusion(text));
    ASSIGN_OR_RETURN(const Receipt receipt, ReadReceiptFile(options.receipt));
    ASSIGN_OR_RETURN(const Checkpoint checkpoint, CheckInclusion(proof, EncodeLogEntry(receipt), log));
    AddToSummary(checkpoint, summary);
    summary.Add("index", "index", proof.index);
    RETURN_IF_ERROR(CheckWitnesses(options, proof.checkpoint, summary));
  } else {
    ASSIGN_OR_RETURN(const ConsistencyText proof, ParseConsistency(text));
    ASSIGN_OR_RETURN(const Checkpoint earlier, ReadCheckpoint(options.from, log));
    ASSIGN_OR_RETURN(const Checkpoint checkpoint, CheckConsistency(proof, earlier, log));
    AddToSummary(checkpoint, summary);
    summary.Add("from", "old_size", earlier.size, "receipts");
    RETURN_IF_ERROR(CheckWitnesses(options, proof.checkpoint, summary));
  }
  summary.Print(options.json, out);
  return absl::OkStatus();
}

}  // namespace

void AddLogVerifyCommand(CommandLine& line, CLI::App& parent) {
  auto& options = line.Keep<VerifyOptions>();
  auto* verify = parent.add_subcommand("verify", "check a proof of a log");
  line.Reads(verify->add_option("proof", options.proof, "proof that `log prove` wrote"))->required();
  line.Reads(verify->add_option("--receipt", options.receipt, "receipt that the log is to have"));
  line.Reads(verify->add_option("--from", options.from, "earlier checkpoint that the log is to continue"));
  options.log.AddTo(line, *verify);
  verify->add_option("--witness", options.witnesses,
                     "NAME=KEY, a witness whose cosignature is needed; may be given again");
  line.ForMachines(*verify, options.json);
  line.Calls(*verify, options, Verify);
}

}  // namespace tally::cli
