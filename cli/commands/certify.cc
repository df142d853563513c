// tally certify: the certificate that convicts a wrong run.
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/io/file.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/command_line.h"
#include "cli/commands/commands.h"
#include "cli/dispute_folders.h"
#include "cli/summary.h"
#include "proof/certificate/check_certificate.h"
#include "proof/certificate/convict.h"
#include "proof/labels.h"
#include "vm/labels.h"

namespace tally::cli {
namespace {

struct CertifyOptions {
  DisputeFolders folders;
  std::string output;  // file
  bool json = false;
};

absl::Status Certify(const CertifyOptions& options, std::ostream& out) {
  ASSIGN_OR_RETURN(const DisputeParties parties, LoadParties(options.folders));
  ASSIGN_OR_RETURN(const std::optional<Certificate> certificate,
                   Convict(*parties.claimed, parties.honest, parties.accused));
  if (!certificate) return PartiesAgree();
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

}  // namespace

void AddCertifyCommand(CommandLine& line) {
  auto& options = line.Keep<CertifyOptions>();
  auto* certify = line.app.add_subcommand("certify", "write the certificate that convicts a wrong run");
  AddDisputeFolders(line, *certify, options.folders);
  line.Writes(certify->add_option("-o,--output", options.output, "file for the certificate"))->required();
  line.ForMachines(*certify, options.json);
  line.Calls(*certify, options, Certify);
}

}  // namespace tally::cli
