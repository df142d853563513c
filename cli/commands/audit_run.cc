// tally audit-run: a recorded run, audited by some of its elements.
#include <cmath>
#include <random>
#include <string>

#include "base/error.h"
#include "base/io/file.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/command_line.h"
#include "cli/commands/commands.h"
#include "cli/labels.h"
#include "cli/receipt_file.h"
#include "cli/run_folder.h"
#include "cli/summary.h"
#include "proof/audit/sample_run.h"
#include "proof/labels.h"
#include "proof/trace/trace.h"

namespace tally::cli {
namespace {

struct AuditRunOptions {
  std::string folder, receipt, certificate;
  int64_t sample = 300;
  bool json = false;
};

// That the folder is of the run which the receipt names.
absl::Status CheckReceipt(const Receipt& receipt, const RecordedRun& run) {
  if (receipt.claim != run.claim)
    return MakeError(label::claim_diverged, "the folder has another claim than the receipt");
  if (receipt.core.trace != TraceDigest(run.trace))
    return MakeError(label::trace_diverged, "the folder has another trace than the receipt names");
  return absl::OkStatus();
}

absl::Status AuditRun(const AuditRunOptions& options, std::ostream& out) {
  if (!options.certificate.empty()) RETURN_IF_ERROR(WritablePath(options.certificate).status());
  ASSIGN_OR_RETURN(const auto module, ReadModuleOfFolder(options.folder));
  ASSIGN_OR_RETURN(const RecordedRun run, ReadRunFolder(options.folder));
  if (!options.receipt.empty()) {
    ASSIGN_OR_RETURN(const Receipt receipt, ReadReceiptFile(options.receipt));
    RETURN_IF_ERROR(CheckReceipt(receipt, run));
  }
  // An executor who knew the elements before would only compute those: they are drawn from the system's
  // numbers.
  std::random_device device;
  std::seed_seq seed{device(), device(), device(), device(), device(), device(), device(), device()};
  std::mt19937_64 random(seed);
  ASSIGN_OR_RETURN(const SampledRun sampled,
                   SampleRun(ClaimedModule(*module), run, static_cast<uint64_t>(options.sample), random));
  if (sampled.certificate && !options.certificate.empty())
    RETURN_IF_ERROR(WriteFileAtomically(options.certificate, EncodeCertificate(*sampled.certificate)));
  if (sampled.wrong) {
    return MakeError(label::sample_wrong,
                     sampled.judged == 0 ? std::string("the claim, the order or a type of the run is wrong")
                                         : absl::StrCat("element ", sampled.judged,
                                                        " of the sample is not what it is computed from"));
  }
  // The share p of wrong elements that the sample misses with a probability of 1 %: (1 - p)^judged.
  constexpr double kMissed = 0.01;
  const double share = 1 - std::pow(kMissed, 1 / static_cast<double>(sampled.judged));
  Summary summary;
  summary.AddModule(*module);
  summary.Add("elements", "elements", sampled.elements, "of values and results");
  summary.Add("judged", "judged", sampled.judged, "drawn at random, all right");
  summary.AddShare("caught", "share_caught", share,
                   "of wrong elements or more would be caught in 99 of 100 samples");
  summary.Print(options.json, out);
  return absl::OkStatus();
}

}  // namespace

void AddAuditRunCommand(CommandLine& line) {
  auto& options = line.Keep<AuditRunOptions>();
  auto* audit =
      line.app.add_subcommand("audit-run", "judge random elements of a recorded run, without running it");
  line.Reads(audit->add_option("run", options.folder, "folder that `trace --record` wrote"))->required();
  line.Reads(audit->add_option("--receipt", options.receipt, "receipt that names the trace of the run"));
  audit->add_option("--sample", options.sample, "elements to judge")->check(CLI::Range(1, 1'000'000'000));
  line.Writes(
      audit->add_option("--certificate", options.certificate, "file for the certificate if one is wrong"));
  line.ForMachines(*audit, options.json);
  line.Calls(*audit, options, AuditRun);
}

}  // namespace tally::cli
