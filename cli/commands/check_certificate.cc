// tally check-certificate: whom a certificate convicts, from the certificate alone.
#include "proof/certificate/check_certificate.h"

#include <optional>
#include <vector>

#include "base/error.h"
#include "base/io/file.h"
#include "base/status_macros.h"
#include "cli/command_line.h"
#include "cli/commands/commands.h"
#include "cli/dispute_folders.h"
#include "cli/receipt_file.h"
#include "cli/report.h"
#include "cli/summary.h"
#include "proof/labels.h"

namespace tally::cli {
namespace {

struct CheckCertificateOptions {
  std::string certificate;
  std::string expansion;  // 64 hexadecimal digits: the digest of the one that the accused has sent
  bool json = false;
};

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

}  // namespace

void AddCheckCertificateCommand(CommandLine& line) {
  auto& options = line.Keep<CheckCertificateOptions>();
  auto* check = line.app.add_subcommand("check-certificate",
                                        "print whom a certificate convicts, offline and from it alone");
  line.Reads(check->add_option("certificate", options.certificate, "certificate file"))->required();
  check->add_option("--expansion", options.expansion,
                    "digest of the expansion that the accused sent: 64 hexadecimal digits");
  line.ForMachines(*check, options.json);
  line.Calls(*check, options, CheckCertificateFile);
}

}  // namespace tally::cli
