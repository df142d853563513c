// tally audit: whether the runs that many receipts claim give what they claim.
#include <algorithm>
#include <filesystem>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/io/file.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/audit/audit_page.h"
#include "cli/audit/audit_totals.h"
#include "cli/audit/executor.h"
#include "cli/audit/receipt_files.h"
#include "cli/audit/run_audit.h"
#include "cli/audit/shards.h"
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

int64_t AllProcessors() { return std::max<int64_t>(std::thread::hardware_concurrency(), 1); }

// Each run has a thread of its own: claims are independent, the layers of one are not.
AuditOptions AuditOptionsOf(const EngineOptions& engine, bool products) {
  return {.engine = engine.name, .level = engine.level, .limits = engine.limits(), .products = products};
}

struct AuditCommandOptions {
  std::vector<std::string> paths;
  std::vector<std::string> keys;
  std::string store;
  std::string work;  // "": of this process alone
  bool retry = false;
  std::string lines;  // JSON lines
  std::string html;   // page
  std::string shards, merge;
  int64_t shard_claims = 1000;
  std::string dask;
  EngineOptions engine = {.threads = AllProcessors()};
  bool products = false;
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

// The program that audits with --dask: the package tally of Python.
std::vector<std::string> DaskExecutor(const AuditCommandOptions& options, const std::string& store) {
  std::vector<std::string> command = {"python3",    "-m",  "tally.dask",
                                      options.dask, store, options.engine.name};
  for (const int64_t limit : {options.engine.gas_limit, options.engine.memory_limit})
    command.push_back(std::to_string(limit == std::numeric_limits<int64_t>::max() ? 0 : limit));
  if (options.products) command.push_back("--products");
  return command;
}

// Audits what is open: here, on a cluster, or by jobs whose claims and verdicts are files.
absl::Status AuditListed(const AuditCommandOptions& options, const FoundFiles& files, WorkList& list,
                         Summary& summary) {
  const std::string store_folder = options.store.empty() ? options.paths[0] : options.store;
  if (!options.shards.empty()) {
    ASSIGN_OR_RETURN(const int64_t shards, WriteShards(list, options.shards, options.shard_claims));
    summary.Add("shards", "shards", shards, "files of claims");
    return absl::OkStatus();
  }
  if (!options.merge.empty()) {
    ASSIGN_OR_RETURN(const Merged merged, MergeVerdicts(list, options.merge));
    summary.Add("merged", "merged", merged.files, "files of verdicts");
    return absl::OkStatus();
  }
  if (!options.dask.empty()) return AuditByExecutor(list, DaskExecutor(options, store_folder));
  LooseFiles loose(files.modules);
  const ObjectStore objects{FolderObjects(store_folder)};
  const StoreChain store(objects, loose);
  Auditor auditor(store, AuditOptionsOf(options.engine, options.products));
  RETURN_IF_ERROR(AuditClaims(list, auditor, loose, static_cast<int>(options.engine.threads)));
  if (options.products)
    summary.Add("products", "by_products", auditor.checked_by_products(),
                "claims, checked by their products");
  return absl::OkStatus();
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
  RETURN_IF_ERROR(ListReceipts(files.receipts, keys, static_cast<int>(options.engine.threads), *list));
  if (options.retry) RETURN_IF_ERROR(list->Retry());
  Summary summary;
  RETURN_IF_ERROR(AuditListed(options, files, *list, summary));
  AuditTotals totals;
  AuditPage page;
  RETURN_IF_ERROR(list->ForEachReceipt([&](const ReceiptRow& row) {
    totals.Add(row);
    page.Add(row);
    return absl::OkStatus();
  }));
  totals.AddTo(summary);
  if (!options.lines.empty()) RETURN_IF_ERROR(WriteLines(options.lines, *list));
  if (!options.html.empty()) RETURN_IF_ERROR(WriteFileAtomically(options.html, AsBytes(page.Html(totals))));
  const absl::Status failure = totals.Failure();
  if (options.json && !failure.ok()) return WithReport(failure, summary.json());
  summary.Print(options.json, out);
  return failure;
}

struct ShardCommandOptions {
  std::string shard, store, output;
  EngineOptions engine = {.threads = AllProcessors()};
  bool products = false;
  bool json = false;
};

absl::Status AuditShard(const ShardCommandOptions& options, std::ostream& out) {
  ASSIGN_OR_RETURN(const std::vector<OpenClaim> claims, ReadShard(options.shard));
  ASSIGN_OR_RETURN(const auto list, WorkList::Open(""));
  RETURN_IF_ERROR(list->AddClaims(claims));
  LooseFiles nothing({});
  const ObjectStore store(FolderObjects(options.store));
  Auditor auditor(store, AuditOptionsOf(options.engine, options.products));
  RETURN_IF_ERROR(AuditClaims(*list, auditor, nothing, static_cast<int>(options.engine.threads)));
  const std::string output =
      options.output.empty() ? std::filesystem::path(options.shard).replace_extension(".verdicts").string()
                             : options.output;
  ASSIGN_OR_RETURN(const size_t bytes, WriteVerdicts(*list, output));
  Summary summary;
  summary.Add("claims", "claims", static_cast<int64_t>(claims.size()));
  summary.Wrote(output, bytes);
  summary.Print(options.json, out);
  return absl::OkStatus();
}

void AddAuditEngine(CLI::App& command, EngineOptions& engine, bool& products) {
  AddEngine(command, engine.name);
  command
      .add_option("--threads", engine.threads, "claims that are audited at once; all processors by default")
      ->check(CLI::Range(1, 1024));
  command.add_flag("--products", products,
                   "check claims by the products that the store has of their runs, without running them");
  AddLimitOptions(command, engine);
}

void AddShardCommand(CommandLine& line) {
  auto& options = line.Keep<ShardCommandOptions>();
  auto* shard =
      line.app.add_subcommand("audit-shard", "audit the claims of a file that `audit --shards` wrote");
  line.Reads(shard->add_option("claims", options.shard, "file of claims")->required());
  line.Reads(
      shard->add_option("--store", options.store, "folder of modules and inputs by digest")->required());
  line.WritesNamed(
      shard->add_option("-o,--output", options.output,
                        "file of verdicts; beside the claims, with the ending .verdicts, if left out"));
  AddAuditEngine(*shard, options.engine, options.products);
  line.ForMachines(*shard, options.json);
  line.Calls(*shard, options, AuditShard);
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
  line.Writes(audit->add_option("--html", options.html, "write a page with plots of what was found"));
  auto* const shards = line.WritesNamed(audit->add_option(
      "--shards", options.shards, "write the open claims into this folder for jobs, and audit none"));
  auto* const merge = line.Reads(audit->add_option(
      "--merge", options.merge, "record the verdicts that jobs have written into this folder"));
  auto* const dask = audit->add_option(
      "--dask", options.dask, "audit by the workers of this scheduler of Dask, such as tcp://host:8786");
  audit->add_option("--shard-claims", options.shard_claims, "claims of one module in a file of --shards")
      ->check(CLI::Range(1, 1'000'000));
  for (auto* const work : {shards, merge}) work->needs("--work");
  shards->excludes(merge)->excludes(dask);
  merge->excludes(dask);
  AddAuditEngine(*audit, options.engine, options.products);
  line.ForMachines(*audit, options.json);
  line.Calls(*audit, options, AuditReceipts);
  AddShardCommand(line);
}

}  // namespace tally::cli
