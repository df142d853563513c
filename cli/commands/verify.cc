// tally verify: what a receipt proves with the evidence at hand.
#include <optional>

#include "base/error.h"
#include "base/io/file.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/command_line.h"
#include "cli/commands/commands.h"
#include "cli/engine_options.h"
#include "cli/input_options.h"
#include "cli/labels.h"
#include "cli/load.h"
#include "cli/named_values.h"
#include "cli/origin_file.h"
#include "cli/receipt_file.h"
#include "cli/run_inputs.h"
#include "cli/summary.h"
#include "cli/tensor_files.h"
#include "engines/engine.h"
#include "proof/certificate/certificate.h"
#include "proof/labels.h"
#include "proof/verify/verify_receipt.h"

namespace tally::cli {
namespace {

struct VerifyOptions {
  std::string receipt;
  std::string key;     // public
  std::string nonce;   // 64 hexadecimal digits
  std::string module;  // to run the claim again
  SampleOptions inputs;
  std::vector<std::string> results;  // NAME=FILE.npy
  std::string origin;                // a file: where the module comes from
  std::string certificate;           // a file that is said to convict
  std::string expansion;             // 64 hexadecimal digits: of the one that the executor has sent
  EngineOptions engine;
  bool json = false;
};

// The io-map of results in files, which have the names and types that the module says.
absl::StatusOr<Digest> ReadResults(const VerifyOptions& options, const ValidModule& module) {
  std::vector<std::string> names;
  for (const ValueInfo& info : module.module().metadata.results) names.push_back(info.name);
  ASSIGN_OR_RETURN(const auto paths, ValuesByName(options.results, names, "--result", label::input_name));
  std::vector<Tensor> results;
  for (const auto& path : paths) {
    ASSIGN_OR_RETURN(results.emplace_back(), ReadTensor(*path));
  }
  std::vector<TensorView> views;
  for (const Tensor& result : results) views.push_back(result.view());
  return ResultsDigest(module, views);
}

absl::StatusOr<Evidence> ReadEvidence(const VerifyOptions& options, const ValidModule* module) {
  Evidence evidence;
  if (!options.key.empty()) {
    ASSIGN_OR_RETURN(evidence.key, ReadPublicKey(options.key));
  }
  ASSIGN_OR_RETURN(evidence.nonce, ParseNonce(options.nonce));
  if (!options.origin.empty()) {
    ASSIGN_OR_RETURN(evidence.origin, ReadOrigin(options.origin));
  }
  if (!options.certificate.empty()) {
    ASSIGN_OR_RETURN(evidence.certificate, ReadFile(options.certificate, kMaxCertificateBytes));
    // A file that is no certificate says nothing about the receipt.
    RETURN_IF_ERROR(DecodeCertificate(*evidence.certificate).status());
  }
  ASSIGN_OR_RETURN(evidence.expansion, ParseDigestOption("--expansion", options.expansion));
  if (!options.results.empty()) {
    if (module == nullptr)
      return MakeError(label::option_syntax, "--result: --module says which results there are");
    ASSIGN_OR_RETURN(evidence.results, ReadResults(options, *module));
  }
  return evidence;
}

absl::StatusOr<Finding<Recomputation>> RunAgain(const VerifyOptions& options, const Receipt& receipt,
                                                const std::shared_ptr<const ValidModule>& module) {
  ASSIGN_OR_RETURN(const RunInputs inputs, RunInputs::Open(*module, options.module, options.inputs));
  if (inputs.count() != 1)
    return MakeError(label::option_syntax, "--input: a receipt is of one sample of each input");
  ASSIGN_OR_RETURN(const std::vector<Tensor> tensors, inputs.Read(0));
  std::vector<TensorView> views;
  for (const Tensor& tensor : tensors) views.push_back(tensor.view());
  const ExecuteOptions limits = options.engine.limits();
  const ClaimedModule claimed(*module);
  // A stranger's receipt is not worth a plan, or a run, before what it says of the module is true.
  if (auto found = FindWithoutRunning(receipt.claim, claimed, views, limits))
    return FindingFor(receipt.core.trace, {*std::move(found), {}});
  ASSIGN_OR_RETURN(const auto plan, options.engine.MakePlan(module));
  return Recompute(receipt, claimed, *plan, views, limits);
}

template <typename Word>
void AddFinding(std::string_view name, std::string_view key, const Finding<Word>& finding, Summary& summary) {
  const std::string word(NameOf(finding.word)), reason = ErrorLabel(finding.why);
  summary.Say(name, reason.empty() ? word : word + " (" + reason + ")", key,
              Json{{"verdict", word}, {"reason", reason.empty() ? Json() : Json(reason)}});
}

void AddCompared(const Verdict& verdict, Summary& summary) {
  const std::vector<std::string_view> names = NamesOf(verdict.compared);
  std::string text;
  for (const std::string_view name : names) absl::StrAppend(&text, text.empty() ? "" : ", ", ToAbsl(name));
  summary.Say("compared", text.empty() ? "the signature alone" : text, "compared", names);
  if (!verdict.certificate.empty()) summary.Add("certificate", "certificate", verdict.certificate);
}

void AddReceipt(const Receipt& receipt, Summary& summary) {
  const auto hex_or_null = [](const std::optional<Digest>& digest) {
    return digest ? Json(ToHex(*digest)) : Json();
  };
  summary.Add("claim", "claim_id", ToHex(ClaimId(receipt.claim)));
  summary.Add("module", "module_id", ToHex(receipt.claim.module));
  summary.Add("inputs", "inputs", ToHex(receipt.claim.inputs));
  if (receipt.claim.results) summary.Add("results", "results", hex_or_null(receipt.claim.results));
  summary.Add("status", "status", receipt.claim.status);
  summary.Add("gas", "gas", receipt.claim.gas);
  if (receipt.core.nonce) summary.Add("nonce", "nonce", hex_or_null(receipt.core.nonce));
  summary.Add("issued", "issued_at", receipt.core.issued_at, "seconds since 1970");
  summary.Add("key", "key", ToHex(receipt.core.key));
  if (receipt.core.trace) summary.Add("trace", "trace", hex_or_null(receipt.core.trace));
  if (receipt.core.origin) summary.Add("origin", "origin", hex_or_null(receipt.core.origin));
}

absl::Status VerifyReceiptFile(const VerifyOptions& options, std::ostream& out) {
  ASSIGN_OR_RETURN(const std::vector<uint8_t> text, ReadFile(options.receipt, kMaxReceiptBytes));
  const absl::StatusOr<Receipt> receipt = ReceiptFromJson(AsText(text));
  const bool unknown = HasLabel(receipt.status(), label::proof_version);
  if (!receipt.ok() && !unknown) return receipt.status();
  if (!options.inputs.files.empty() && options.module.empty())
    return MakeError(label::usage, "--input: --module says which module is run with it");
  std::shared_ptr<const ValidModule> module;
  if (!options.module.empty()) {
    ASSIGN_OR_RETURN(module, LoadValidModule(options.module));
  }
  ASSIGN_OR_RETURN(const Evidence evidence, ReadEvidence(options, module.get()));
  Verdict verdict = unknown ? UnknownVersion(receipt.status()) : VerifyReceipt(*receipt, evidence);
  if (!unknown && module != nullptr) {
    ASSIGN_OR_RETURN(Finding<Recomputation> found, RunAgain(options, *receipt, module));
    AddRecomputation(*receipt, std::move(found), &verdict);
  }
  Summary summary;
  AddFinding("receipt", "receipt", verdict.standing, summary);
  AddFinding("run", "run", verdict.recomputation, summary);
  AddCompared(verdict, summary);
  if (!unknown) AddReceipt(*receipt, summary);
  absl::Status worst = verdict.standing.why;
  if (worst.ok() && module != nullptr) worst = verdict.recomputation.why;
  // People see what it was; for machines standard output has the error alone.
  if (worst.ok() || !options.json) summary.Print(options.json, out);
  return worst;
}

}  // namespace

void AddVerifyCommand(CommandLine& line) {
  auto& options = line.Keep<VerifyOptions>();
  auto* verify = line.app.add_subcommand("verify", "check a receipt; with module and inputs, run it again");
  line.Reads(verify->add_option("receipt", options.receipt, "receipt file"))->required();
  line.Reads(verify->add_option("--key", options.key, "public key of the executor"));
  verify->add_option("--nonce", options.nonce, "nonce of the request: 64 hexadecimal digits");
  line.Reads(verify->add_option("--module", options.module, "module file, to run the claim again"));
  AddSampleOptions(line, *verify, options.inputs, "--input", false);
  line.Reads(verify->add_option("--result", options.results,
                                "[NAME=]FILE.npy: a result at hand, to compare with the receipt"));
  AddEngineOptions(*verify, options.engine);
  AddLimitOptions(*verify, options.engine);
  line.Reads(verify->add_option("--certificate", options.certificate,
                                "certificate of fraud that is said to be about the receipt"));
  verify->add_option("--expansion", options.expansion,
                     "digest of the expansion that the executor sent in a dispute: 64 hexadecimal digits");
  line.Reads(verify->add_option("--origin", options.origin,
                                "MODULE.origin: where the module of the receipt is said to come from"));
  line.ForMachines(*verify, options.json);
  line.Calls(*verify, options, VerifyReceiptFile);
}

}  // namespace tally::cli
