#include <memory>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/dispute_picture.h"
#include "cli/labels.h"
#include "cli/proof_commands.h"
#include "cli/receipt_file.h"
#include "cli/report.h"
#include "cli/run_folder.h"
#include "cli/summary.h"
#include "proof/certificate/check_certificate.h"
#include "proof/certificate/convict.h"
#include "proof/dispute/play.h"
#include "proof/labels.h"
#include "vm/labels.h"

namespace tally::cli {
namespace {

// Both parties, with all that they have.
struct Parties {
  std::shared_ptr<const ValidModule> module;
  std::unique_ptr<const ClaimedModule> claimed;
  RecordedRun honest, accused;
};

absl::StatusOr<Parties> Load(const DisputeFolders& folders) {
  Parties parties;
  ASSIGN_OR_RETURN(parties.module, ReadModuleOfFolder(folders.honest));
  parties.claimed = std::make_unique<const ClaimedModule>(*parties.module);
  ASSIGN_OR_RETURN(parties.honest, ReadRunFolder(folders.honest));
  ASSIGN_OR_RETURN(parties.accused, ReadRunFolder(folders.claimed));
  if (parties.honest.claim.module != parties.claimed->id) {
    return MakeError(label::run_folder,
                     absl::StrCat("'", folders.honest, "': its module is not the one of its claim"));
  }
  return parties;
}

absl::Status Agree() { return MakeError(label::dispute_agree, "the two runs have one claim and one trace"); }

// Names what the convicted has signed or sent.
void AddConviction(const Conviction& conviction, bool convicted, Summary& summary) {
  summary.Add("convicted", "convicted", convicted);
  summary.Add("because", "because", conviction.what);
  summary.Add("claim", "claim_id", ToHex(conviction.claim));
  if (conviction.trace) summary.Add("trace", "trace", ToHex(*conviction.trace));
  if (conviction.columns) summary.Add("expansion", "expansion", ToHex(*conviction.columns));
}

// What each query asks about.
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

absl::Status Certify(const CertifyOptions& options, std::ostream& out) {
  ASSIGN_OR_RETURN(const Parties parties, Load(options.folders));
  ASSIGN_OR_RETURN(const std::optional<Certificate> certificate,
                   Convict(*parties.claimed, parties.honest, parties.accused));
  if (!certificate) return Agree();
  const std::vector<uint8_t> file = EncodeCertificate(*certificate);
  const absl::StatusOr<Conviction> judged = CheckCertificate<TrappingInt>(file);
  if (HasLabel(judged.status(), label::judgement_size) ||
      HasLabel(judged.status(), label::certificate_size)) {
    return WithMessage(
        judged.status(),
        absl::StrCat(judged.status().message(), "; `tally dispute` judges the element by its expansion"));
  }
  ASSIGN_OR_RETURN(const Conviction conviction, judged);
  RETURN_IF_ERROR(WriteFileAtomically(options.output, file));
  Summary summary;
  AddConviction(conviction, true, summary);
  summary.Wrote(options.output, file.size());
  summary.Print(options.json, out);
  return absl::OkStatus();
}

absl::Status CheckCertificateFile(const CheckCertificateOptions& options, std::ostream& out) {
  ASSIGN_OR_RETURN(const std::vector<uint8_t> file, ReadFile(options.certificate, kMaxCertificateBytes));
  ASSIGN_OR_RETURN(const std::optional<Digest> sent, ParseDigestOption("--expansion", options.expansion));
  ASSIGN_OR_RETURN(const Conviction conviction, CheckCertificate<TrappingInt>(file));
  if (sent && sent != conviction.columns)
    return MakeError(label::dispute_other, "the certificate does not depend on the expansion that was sent");
  const bool depends = conviction.columns && !sent;
  Summary summary;
  AddConviction(conviction, !depends, summary);
  if (!depends) {
    summary.Print(options.json, out);
    return absl::OkStatus();
  }
  if (!options.json) summary.Print(false, out);
  return WithReport(
      MakeError(label::certificate_expansion,
                "it convicts whoever has answered with this expansion in a dispute: compare it, "
                "by --expansion, with the one that the accused has sent"),
      summary.json());
}

absl::Status Dispute(const DisputeOptions& options, std::ostream& out) {
  ASSIGN_OR_RETURN(const Parties parties, Load(options.folders));
  ASSIGN_OR_RETURN(const PlayedDispute played,
                   PlayDispute(*parties.claimed, parties.honest, parties.accused));
  if (!played.end) return Agree();
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

}  // namespace tally::cli
