// tally dispute: the game between two runs, to its certificate.
#include "base/io/file.h"
#include "base/status_macros.h"
#include "cli/command_line.h"
#include "cli/commands/commands.h"
#include "cli/dispute_folders.h"
#include "cli/dispute_picture.h"
#include "cli/summary.h"
#include "proof/dispute/play.h"

namespace tally::cli {
namespace {

struct DisputeOptions {
  DisputeFolders folders;
  std::string output;  // file of the certificate; none where it is empty
  bool json = false;
};

// The subject of each query.
Json RoundsOf(const PlayedDispute& played) {
  Json rounds = Json::array();
  for (const DisputeRound& round : played.rounds) {
    rounds.push_back({{"subject", NameOf(round.query.subject)},
                      {"first", round.query.part.first},
                      {"size", round.query.part.size},
                      {"answer_bytes", round.answer_bytes}});
  }
  return rounds;
}

absl::Status Dispute(const DisputeOptions& options, std::ostream& out) {
  ASSIGN_OR_RETURN(const DisputeParties parties, LoadParties(options.folders));
  ASSIGN_OR_RETURN(const PlayedDispute played,
                   PlayDispute(*parties.claimed, parties.honest, parties.accused));
  if (!played.end) return PartiesAgree();
  if (!played.end->why.ok()) return played.end->why;
  if (!options.json) DrawDispute(played, out);
  if (!options.output.empty()) RETURN_IF_ERROR(WriteFileAtomically(options.output, played.certificate));
  Summary summary;
  AddConviction(*played.end->conviction, true, summary);
  summary.Add("messages", "messages", played.messages(), "of the asserter, its opening among them");
  uint64_t bytes = played.opening_bytes;
  for (const DisputeRound& round : played.rounds) bytes += round.answer_bytes;
  summary.Add("bytes", "message_bytes", bytes, "of these messages");
  if (options.json) summary.Add("rounds", "rounds", RoundsOf(played));
  summary.Add("certificate", "certificate_bytes", played.certificate.size(), "bytes");
  if (!options.output.empty()) summary.Wrote(options.output, played.certificate.size());
  summary.Print(options.json, out);
  return absl::OkStatus();
}

}  // namespace

void AddDisputeCommand(CommandLine& line) {
  auto& options = line.Keep<DisputeOptions>();
  auto* dispute =
      line.app.add_subcommand("dispute", "play the dispute about a wrong run, to its certificate");
  AddDisputeFolders(line, *dispute, options.folders);
  line.Writes(dispute->add_option("-o,--output", options.output, "file for the certificate"));
  line.ForMachines(*dispute, options.json);
  line.Calls(*dispute, options, Dispute);
}

}  // namespace tally::cli
