// Labels of proofs: what speaks against a receipt, or keeps it from being checked
// (docs/spec/receipt.md#verdicts).
#pragma once

#include "base/error.h"

namespace tally::label {

TALLY_LABEL(malformed, InvalidArgument, proof_version,
            "an object of a proof has a version that is not known");
TALLY_LABEL(malformed, InvalidArgument, claim_status, "no run ends with the status of a claim");
TALLY_LABEL(malformed, InvalidArgument, bounds_interval, "an interval of the bounds of a module is empty");
TALLY_LABEL(malformed, InvalidArgument, bounds_storage,
            "a storage in the bounds of a module is not the narrowest that holds the interval");
TALLY_LABEL(malformed, InvalidArgument, trace_entry,
            "an entry of a trace has a step, an invocation or an id that no run has");
TALLY_LABEL(malformed, InvalidArgument, origin_form,
            "the file of a module's origin is not the JSON that its fields make");
TALLY_LABEL(malformed, InvalidArgument, receipt_form,
            "a receipt is not the JSON that its claim and core make");

TALLY_LABEL(malformed, InvalidArgument, log_form,
            "a checkpoint, a tile, an entry or a proof of a log has another form");
TALLY_LABEL(proof, InvalidArgument, log_signature,
            "a checkpoint is not signed by the log or the witness at hand");
TALLY_LABEL(proof, InvalidArgument, log_inclusion, "a proof does not show that a receipt is in a log");
TALLY_LABEL(proof, InvalidArgument, log_history, "a log does not continue what it has shown before");
TALLY_LABEL(file, FailedPrecondition, log_locked, "another process adds to a log");
TALLY_LABEL(malformed, InvalidArgument, dispute_message,
            "a message of a dispute asks about something that does not exist");
TALLY_LABEL(malformed, InvalidArgument, certificate_size, "a certificate is larger than any may be");
TALLY_LABEL(malformed, InvalidArgument, certificate_form,
            "a certificate names what does not exist, or does not open what it accuses");

TALLY_LABEL(proof, InvalidArgument, certificate_claim,
            "a certificate carries other io-maps, another program or other bounds than its claim names");
TALLY_LABEL(proof, InvalidArgument, certificate_trace,
            "a certificate opens entries or columns that are not those of its trace");
TALLY_LABEL(proof, InvalidArgument, certificate_value,
            "a certificate opens leaves that are not those of a value");
TALLY_LABEL(proof, InvalidArgument, certificate_right, "the accused value is correct");
TALLY_LABEL(proof, FailedPrecondition, certificate_expansion,
            "a certificate convicts whoever has sent an expansion in a dispute, and no claim by itself");
TALLY_LABEL(proof, FailedPrecondition, dispute_turn, "a party to a dispute speaks when it is not its turn");
TALLY_LABEL(proof, InvalidArgument, dispute_claim,
            "a claim cannot be disputed: its run was refused, so that it has no trace");
TALLY_LABEL(proof, InvalidArgument, dispute_opening,
            "the opening of a dispute is not that of the claim which was signed");
TALLY_LABEL(proof, InvalidArgument, dispute_query,
            "a query in a dispute is about something that the last answer has not shown");
TALLY_LABEL(proof, InvalidArgument, dispute_answer,
            "an answer in a dispute is not what the asserter has committed to");
TALLY_LABEL(proof, InvalidArgument, dispute_agree, "the two runs agree: there is nothing to dispute");
TALLY_LABEL(proof, InvalidArgument, dispute_other, "a certificate convicts somebody else");
TALLY_LABEL(proof, DeadlineExceeded, dispute_time, "a party to a dispute did not answer in time");
TALLY_LABEL(proof, InvalidArgument, sample_wrong,
            "a recorded run has a part that is not what it is computed from");
TALLY_LABEL(proof, InvalidArgument, product_wrong,
            "a product that an executor claims is not that of its operands");
TALLY_LABEL(proof, InvalidArgument, receipt_claim,
            "the core of a receipt names another claim than it carries");
TALLY_LABEL(proof, InvalidArgument, receipt_key, "a receipt is signed with another key than the one at hand");
TALLY_LABEL(proof, InvalidArgument, receipt_signature, "a signature is not that of its key");
TALLY_LABEL(proof, InvalidArgument, receipt_nonce, "a receipt answers another request");
TALLY_LABEL(proof, InvalidArgument, receipt_results,
            "the results at hand are not those that a receipt names");
TALLY_LABEL(proof, InvalidArgument, receipt_origin,
            "the origin at hand is not the one that a receipt names, or is of another module");
TALLY_LABEL(proof, InvalidArgument, receipt_convicted,
            "a certificate shows that no honest run makes the signed claim");
TALLY_LABEL(proof, InvalidArgument, receipt_unchecked,
            "no key is at hand that the signature could be checked with");
TALLY_LABEL(proof, InvalidArgument, claim_module, "the module at hand is not the one that a claim names");
TALLY_LABEL(proof, InvalidArgument, dispute_bounds,
            "a claim names other bounds than its module has, which everybody computes");
TALLY_LABEL(proof, InvalidArgument, claim_inputs, "the inputs at hand are not those that a claim names");
TALLY_LABEL(proof, InvalidArgument, claim_diverged, "the run gives another claim");
TALLY_LABEL(judged, InvalidArgument, leaf_bytes, "a leaf index or size does not fit its value");
TALLY_LABEL(judged, InvalidArgument, leaf_missing, "a judgement reads a leaf that is not at hand");
TALLY_LABEL(proof, InvalidArgument, trace_diverged, "the run gives the claim, but another trace");
TALLY_LABEL(proof, InvalidArgument, claim_unchecked, "module and inputs are not at hand");

TALLY_LABEL(file, NotFound, store_missing, "a store has no object of a digest that a receipt names");
TALLY_LABEL(file, Unavailable, store_failed, "a store does not answer, or not in full");
TALLY_LABEL(file, DataLoss, store_content, "an object of a store is not the one that its name says");

TALLY_LABEL(file, InvalidArgument, key_format,
            "a file is not an Ed25519 key in PEM, or the key one of small order");

}  // namespace tally::label
