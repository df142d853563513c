#include "cli/dispute_report.h"

#include "base/io/file.h"
#include "base/status_macros.h"
#include "cli/dispute_folders.h"
#include "cli/dispute_picture.h"
#include "cli/json_output.h"
#include "cli/summary.h"

namespace tally::cli {
namespace {

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

}  // namespace

absl::Status ReportDispute(const PlayedDispute& played, const std::string& verdict, const std::string& output,
                           bool json, std::ostream& out) {
  if (!played.end->why.ok()) return played.end->why;
  if (!json) DrawDispute(played, out);
  if (!output.empty()) RETURN_IF_ERROR(WriteFileAtomically(output, played.certificate));
  Summary summary;
  AddConviction(*played.end->conviction, true, summary);
  summary.Add("messages", "messages", played.messages(), "of the asserter, its opening among them");
  uint64_t bytes = played.opening_bytes;
  for (const DisputeRound& round : played.rounds) bytes += round.answer_bytes;
  summary.Add("bytes", "message_bytes", bytes, "of these messages");
  if (json) summary.Add("rounds", "rounds", RoundsOf(played));
  summary.Add("certificate", "certificate_bytes", played.certificate.size(), "bytes");
  if (!verdict.empty()) summary.Add("referee", "referee", Json::parse(verdict, nullptr, false));
  if (!output.empty()) summary.Wrote(output, played.certificate.size());
  summary.Print(json, out);
  return absl::OkStatus();
}

}  // namespace tally::cli
