// tally audit: whether the runs that many receipts claim give what they claim.
#include <algorithm>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/io/file.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/audit/audit_totals.h"
#include "cli/audit/receipt_files.h"
#include "cli/audit/run_audit.h"
#include "cli/audit/work_list.h"
#include "cli/command_line.h"
#include "cli/commands/commands.h"
#include "cli/engine_options.h"
#include "cli/json_output.h"
#include "cli/receipt_file.h"
#include "cli/report.h"
#include "cli/summary.h"
#include "proof/audit/auditor.h"
#include "proof/audit/object_store.h"

namespace tally::cli {
namespace {

struct AuditCommandOptions {
  std::vector<std::string> paths;
  std::vector<std::string> keys;
  std::string store;
  std::string work;  // "": of this process alone
  bool retry = false;
  std::string lines;  // JSON lines
  EngineOptions engine = {.threads = std::max<int64_t>(std::thread::hardware_concurrency(), 1)};
  bool json = false;
};

absl::Status WriteLines(const std::string& path, WorkList& list) {
  std::string text;
  RETURN_IF_ERROR(list.ForEachReceipt([&](const ReceiptRow& row) {
    absl::StrAppend(&text, JsonLine(LineOf(row)), "\n");
    return absl::OkStatus();
  }));
  return WriteFileAtomically(path, AsBytes(text));
}

absl::Status AuditReceipts(const AuditCommandOptions& options, std::ostream& out) {
  std::vector<PublicKey> keys;
  for (const std::string& path : options.keys) {
    ASSIGN_OR_RETURN(PublicKey key, ReadPublicKey(path));
    keys.push_back(std::move(key));
  }
  ASSIGN_OR_RETURN(const FoundFiles files, FindFiles(options.paths));
  std::string work;
  if (!options.work.empty()) {
    ASSIGN_OR_RETURN(work, WritablePath(options.work));
  }
  ASSIGN_OR_RETURN(const auto list, WorkList::Open(work));
  const int threads = static_cast<int>(options.engine.threads);
  RETURN_IF_ERROR(ListReceipts(files.receipts, keys, threads, *list));
  if (options.retry) RETURN_IF_ERROR(list->Retry());
  LooseFiles loose(files.modules);
  const ObjectStore objects(FolderObjects(options.store.empty() ? options.paths[0] : options.store));
  const StoreChain store(objects, loose);
  // Each run has a thread of its own: claims are independent, the layers of one are not.
  Auditor auditor(
      store,
      {.engine = options.engine.name, .level = options.engine.level, .limits = options.engine.limits()});
  RETURN_IF_ERROR(AuditClaims(*list, auditor, loose, threads));
  AuditTotals totals;
  RETURN_IF_ERROR(list->ForEachReceipt([&](const ReceiptRow& row) {
    totals.Add(row);
    return absl::OkStatus();
  }));
  Summary summary;
  totals.AddTo(summary);
  if (!options.lines.empty()) RETURN_IF_ERROR(WriteLines(options.lines, *list));
  const absl::Status failure = totals.Failure();
  if (options.json && !failure.ok()) return WithReport(failure, summary.json());
  summary.Print(options.json, out);
  return failure;
}

}  // namespace

void AddAuditCommand(CommandLine& line) {
  auto& options = line.Keep<AuditCommandOptions>();
  auto* audit = line.app.add_subcommand("audit", "run the claims of many receipts again");
  line.Reads(audit->add_option("receipts", options.paths, "receipts, folders of them, or lists (*.txt)")
                 ->required());
  line.Reads(
      audit->add_option("--key", options.keys, "public key whose receipts are trusted; may be given again"));
  line.Reads(
      audit->add_option("--store", options.store,
                        "folder of modules and inputs by digest; the first folder of receipts if left out"));
  line.WritesNamed(audit->add_option("--work", options.work,
                                     "work list that several processes share, and that an audit resumes"));
  audit->add_flag("--retry", options.retry,
                  "audit claims of the work list again that could not be recomputed");
  line.Writes(audit->add_option("--lines", options.lines, "write a line of JSON for each receipt"));
  AddEngine(*audit, options.engine.name);
  audit
      ->add_option("--threads", options.engine.threads,
                   "claims that are audited at once; all processors by default")
      ->check(CLI::Range(1, 1024));
  AddLimitOptions(*audit, options.engine);
  line.ForMachines(*audit, options.json);
  line.Calls(*audit, options, AuditReceipts);
}

}  // namespace tally::cli
