// Audits: receipts checked with objects that a store has.
#include <string>
#include <utility>
#include <vector>

#include "api/c/objects.h"
#include "api/c/verdict.h"
#include "base/strings.h"
#include "engines/engine.h"
#include "proof/audit/auditor.h"
#include "proof/audit/object_store.h"
#include "proof/labels.h"
#include "vm/labels.h"

// The object that a caller's store has given.
struct tally_object {
  std::vector<uint8_t> bytes;
  std::string text;
};

namespace tally::api {
namespace {

// An auditor keeps plans, whose threads a child of a fork has not.
struct AuditorObject {
  static constexpr std::string_view kKind = "auditor";
  static constexpr bool kSurvivesFork = false;

  AuditorObject(GetObject get, AuditOptions options)
      : store(std::move(get)), auditor(store, std::move(options)) {}

  const ObjectStore store;
  mutable Auditor auditor;
};

// The objects that a function of the caller gives.
GetObject ObjectsOf(tally_get_object* get, void* user) {
  return [get, user](ObjectKind kind, const Digest& digest) -> absl::StatusOr<std::vector<uint8_t>> {
    const std::string name = ObjectPath(kind, digest);
    tally_object object;
    const tally_status status = get(user, name.c_str(), &object);
    if (status == TALLY_OK) return std::move(object.bytes);
    if (status == TALLY_NOT_FOUND) return MakeError(label::store_missing, name + " is missing");
    return MakeError(label::store_failed, absl::StrCat(name, ": the store failed with status ", status,
                                                       object.text.empty() ? "" : ": ", object.text));
  };
}

// Error engine_unavailable, before an audit finds it of each claim.
absl::Status CheckEngine(std::string_view name) {
  for (const EngineInfo& engine : AllEngines()) {
    if (engine.name != name) continue;
    if (engine.available) return absl::OkStatus();
    return MakeError(label::engine_unavailable,
                     absl::StrCat("engine ", ToAbsl(name), ": ", ToAbsl(engine.summary)));
  }
  return MakeError(label::engine_unavailable, absl::StrCat("no engine is called '", ToAbsl(name), "'"));
}

absl::StatusOr<std::shared_ptr<const AuditorObject>> MakeAuditor(const tally_auditor_options& options) {
  if ((options.folder == nullptr) == (options.get == nullptr))
    return MakeError(label::api_option, "a store is either a folder or a function: give one of both");
  RETURN_IF_ERROR(InRange(options.products, 1, "products"));
  RETURN_IF_ERROR(InRange(options.threads, kMostThreads, "threads"));
  RETURN_IF_ERROR(NotNegative(options.gas_limit, "gas_limit"));
  RETURN_IF_ERROR(NotNegative(options.memory_limit, "memory_limit"));
  RETURN_IF_ERROR(NotNegative(options.kept_bytes, "kept_bytes"));
  AuditOptions how = {.level = options.level == nullptr ? "" : options.level,
                      .threads = std::max(1, options.threads),
                      .limits = {.gas_limit = LimitOf(options.gas_limit),
                                 .memory_limit_bytes = LimitOf(options.memory_limit)}};
  how.products = options.products == 1;
  if (options.engine != nullptr) how.engine = options.engine;
  if (options.kept_bytes != 0) how.kept_bytes = options.kept_bytes;
  RETURN_IF_ERROR(CheckEngine(how.engine));
  return std::make_shared<const AuditorObject>(
      options.folder != nullptr ? FolderObjects(options.folder) : ObjectsOf(options.get, options.user),
      std::move(how));
}

}  // namespace
}  // namespace tally::api

using namespace tally;       // NOLINT: the functions are outside any namespace
using namespace tally::api;  // NOLINT

void tally_object_set(tally_object* object, const void* bytes, size_t size) {
  const auto* const first = static_cast<const uint8_t*>(bytes);
  object->bytes.assign(first, first + size);
}

void tally_object_explain(tally_object* object, const char* text) { object->text = text; }

tally_status tally_auditor_make(const tally_auditor_options* options, tally_auditor* auditor,
                                tally_error* error) {
  return Call(error, [&]() -> absl::Status {
    RETURN_IF_ERROR(NewHandle(auditor, "auditor"));
    ASSIGN_OR_RETURN(const tally_auditor_options how, ReadStruct(options));
    ASSIGN_OR_RETURN(auto made, MakeAuditor(how));
    Give(std::move(made), auditor);
    return absl::OkStatus();
  });
}

tally_status tally_auditor_close(tally_auditor auditor) { return Close<AuditorObject>(auditor); }

tally_status tally_audit_claim(tally_auditor auditor, const void* claim, size_t size, int32_t traced,
                               tally_finding* run, uint8_t trace[32], int32_t* has_trace,
                               tally_error* error) {
  return Call(error, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const auto asked, ObjectOf<AuditorObject>(auditor));
    RETURN_IF_ERROR(NotNull(claim, "claim"));
    RETURN_IF_ERROR(NotNull(has_trace, "has_trace"));
    ASSIGN_OR_RETURN(const Claim read, DecodeClaim({static_cast<const uint8_t*>(claim), size}));
    const ClaimFinding found = asked->auditor.AuditClaim(read, traced != 0);
    *has_trace = found.trace ? 1 : 0;
    if (found.trace) RETURN_IF_ERROR(WriteDigest(*found.trace, trace));
    return WriteFinding(found.run, {}, run);
  });
}

tally_status tally_audit(tally_auditor auditor, tally_receipt receipt, const tally_evidence* evidence,
                         tally_finding* standing, tally_finding* run, tally_error* error) {
  return Call(error, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const auto found, ObjectOf<AuditorObject>(auditor));
    ASSIGN_OR_RETURN(const auto signed_claim, ObjectOf<ReceiptObject>(receipt));
    ASSIGN_OR_RETURN(const Evidence read, ReadEvidence(evidence));
    const Verdict verdict = found->auditor.Audit(signed_claim->receipt, read);
    RETURN_IF_ERROR(WriteFinding(verdict.standing, verdict, standing));
    return WriteFinding(verdict.recomputation, verdict, run);
  });
}
