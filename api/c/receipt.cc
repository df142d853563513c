// Receipts: signed, read, verified.
#include <algorithm>
#include <optional>

#include "api/c/run.h"
#include "api/c/verdict.h"
#include "proof/trace/trace.h"
#include "proof/verify/verify_receipt.h"
#include "vm/labels.h"

namespace tally::api {
namespace {

// The fields of a receipt besides its claim and its trace.
absl::StatusOr<ReceiptCore> CoreOf(const tally_receipt_options& options) {
  if (options.reserved != 0) return MakeError(label::api_option, "reserved is not 0");
  ReceiptCore core = {.nonce = DigestAt(options.nonce),
                      .issued_at = options.issued_at == 0 ? SecondsSince1970() : options.issued_at,
                      .origin = DigestAt(options.origin)};
  return core;
}

// Runs the plan, signs what has happened, and returns the outcome of the run.
absl::Status RunSigned(const LoadedPlan& plan, RunMemory& memory, ExecuteOptions options,
                       const SigningKey& key, const tally_receipt_options& receipt_options,
                       tally_receipt* receipt) {
  ASSIGN_OR_RETURN(ReceiptCore core, CoreOf(receipt_options));
  if (options.observer || options.root_observer)
    return MakeError(label::api_option, "a run that is signed has no observer");
  const ValidModule& module = *plan.module().valid;
  const size_t count = module.entry().results.size();
  if (memory.results.size() != count) {
    return MakeError(label::result_count,
                     absl::StrCat("memory for ", memory.results.size(), " of ", count, " results"));
  }
  Trace trace;
  if (receipt_options.trace != 0) options.root_observer = RecordInto(trace);
  const absl::StatusOr<Outcome> outcome = plan.plan().Execute(memory.inputs, options);
  if (receipt_options.trace != 0 && outcome.ok()) core.trace = TraceDigest(trace);
  const auto claim = ClaimOfRun(plan.module().claimed(), memory.inputs, outcome, options);
  if (!claim.ok()) return claim.status();
  Give(std::make_shared<const ReceiptObject>(ReceiptObject{SignReceipt(*claim, core, key)}), receipt);
  RETURN_IF_ERROR(outcome.status());
  for (size_t r = 0; r < count; ++r) {
    const Tensor& result = outcome->results[r];
    memory.given_results[r].CopyFrom(result.storage(), result.bytes().data());
  }
  return absl::OkStatus();
}

tally_receipt_info InfoOf(const Receipt& receipt) {
  tally_receipt_info info = {};
  const auto copy = [](const Digest& digest, uint8_t(&to)[32]) { std::ranges::copy(digest, to); };
  const auto copy_if = [&](const std::optional<Digest>& digest, uint8_t(&to)[32]) {
    if (digest) copy(*digest, to);
    return digest ? 1 : 0;
  };
  copy(ClaimId(receipt.claim), info.claim);
  copy(receipt.claim.module, info.module);
  copy(receipt.claim.inputs, info.inputs);
  copy(receipt.core.key, info.key);
  info.has_results = copy_if(receipt.claim.results, info.results);
  info.has_nonce = copy_if(receipt.core.nonce, info.nonce);
  info.has_trace = copy_if(receipt.core.trace, info.trace);
  info.has_origin = copy_if(receipt.core.origin, info.origin);
  info.gas = receipt.claim.gas;
  info.issued_at = receipt.core.issued_at;
  CopyText(receipt.claim.status, info.status);
  return info;
}

}  // namespace
}  // namespace tally::api

using namespace tally;       // NOLINT: the functions are outside any namespace
using namespace tally::api;  // NOLINT

tally_status tally_plan_run_signed(tally_plan plan, const tally_tensor* inputs, size_t num_inputs,
                                   const tally_tensor* results, size_t num_results,
                                   const tally_run_options* options, tally_key key,
                                   const tally_receipt_options* receipt_options, tally_receipt* receipt,
                                   tally_error* error) {
  return Call(error, [&]() -> absl::Status {
    RETURN_IF_ERROR(NewHandle(receipt, "receipt"));
    ASSIGN_OR_RETURN(const auto loaded, ObjectOf<LoadedPlan>(plan));
    ASSIGN_OR_RETURN(const auto signing, ObjectOf<SigningKeyObject>(key));
    ASSIGN_OR_RETURN(const auto given_inputs, TensorsOf(inputs, num_inputs));
    ASSIGN_OR_RETURN(const auto given_results, TensorsOf(results, num_results));
    ASSIGN_OR_RETURN(const RunRequest request, RunRequest::Read(options));
    ASSIGN_OR_RETURN(const tally_receipt_options says, ReadStruct(receipt_options));
    const LoadedPlan::Lease lease(*loaded);
    RETURN_IF_ERROR(ReadTensors(*loaded->module().valid, given_inputs, given_results, *lease));
    return RunSigned(*loaded, *lease, request.options(), signing->key, says, receipt);
  });
}

tally_status tally_receipt_parse(const char* text, size_t size, tally_receipt* receipt, tally_error* error) {
  return Call(error, [&]() -> absl::Status {
    RETURN_IF_ERROR(NewHandle(receipt, "receipt"));
    RETURN_IF_ERROR(NotNull(text, "text"));
    if (size > kMaxReceiptBytes) return TooLarge("the receipt", kMaxReceiptBytes);
    ASSIGN_OR_RETURN(Receipt read, ReceiptFromJson({text, size}));
    Give(std::make_shared<const ReceiptObject>(ReceiptObject{std::move(read)}), receipt);
    return absl::OkStatus();
  });
}

tally_status tally_receipt_close(tally_receipt receipt) { return Close<ReceiptObject>(receipt); }

tally_status tally_receipt_text(tally_receipt receipt, char* text, size_t capacity, size_t* size,
                                tally_error* error) {
  return Call(error, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const auto found, ObjectOf<ReceiptObject>(receipt));
    return WriteText(ToJson(found->receipt), text, capacity, size);
  });
}

tally_status tally_receipt_get_info(tally_receipt receipt, tally_receipt_info* info, tally_error* error) {
  return Call(error, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const auto found, ObjectOf<ReceiptObject>(receipt));
    return WriteStruct(InfoOf(found->receipt), info);
  });
}

tally_status tally_receipt_claim(tally_receipt receipt, void* claim, size_t capacity, size_t* size,
                                 tally_error* error) {
  return Call(error, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const auto found, ObjectOf<ReceiptObject>(receipt));
    RETURN_IF_ERROR(NotNull(size, "size"));
    const std::vector<uint8_t> bytes = EncodeClaim(found->receipt.claim);
    *size = bytes.size();
    if (bytes.size() > capacity) return MakeError(label::api_buffer, "the claim does not fit");
    RETURN_IF_ERROR(NotNull(claim, "claim"));
    std::ranges::copy(bytes, static_cast<uint8_t*>(claim));
    return absl::OkStatus();
  });
}

tally_status tally_receipt_verify(tally_receipt receipt, const tally_evidence* evidence,
                                  tally_finding* finding, tally_error* error) {
  return Call(error, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const auto found, ObjectOf<ReceiptObject>(receipt));
    ASSIGN_OR_RETURN(const Evidence read, ReadEvidence(evidence));
    const Verdict verdict = VerifyReceipt(found->receipt, read);
    return WriteFinding(verdict.standing, verdict, finding);
  });
}

tally_status tally_receipt_recompute(tally_receipt receipt, tally_plan plan, const tally_tensor* inputs,
                                     size_t num_inputs, const tally_run_options* options,
                                     tally_finding* finding, tally_error* error) {
  return Call(error, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const auto found, ObjectOf<ReceiptObject>(receipt));
    ASSIGN_OR_RETURN(const auto loaded, ObjectOf<LoadedPlan>(plan));
    ASSIGN_OR_RETURN(const auto given, TensorsOf(inputs, num_inputs));
    ASSIGN_OR_RETURN(const RunRequest request, RunRequest::Read(options));
    const LoadedModule& module = loaded->module();
    const LoadedPlan::Lease lease(*loaded);
    RETURN_IF_ERROR(ReadInputs(module.valid->functions()[0].params, given, "input", *lease));
    Verdict verdict;
    AddRecomputation(
        found->receipt,
        Recompute(found->receipt, module.claimed(), loaded->plan(), (*lease).inputs, request.options()),
        &verdict);
    return WriteFinding(verdict.recomputation, verdict, finding);
  });
}
