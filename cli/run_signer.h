// The receipt of a run: signed with a key that is read before the run, whether the run took place or was
// refused.
//
//   ASSIGN_OR_RETURN(RunSigner signer, RunSigner::Open(options.receipt, path, *module, runs));
//   how.root_observer = signer.observer();
//   ASSIGN_OR_RETURN(const std::string json, signer.Sign(inputs, outcome, how));
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "proof/receipt/claim_run.h"
#include "proof/receipt/ed25519.h"
#include "proof/receipt/receipt_core.h"
#include "proof/trace/trace.h"
#include "vm/plan.h"
#include "vm/valid_module.h"

namespace tally::cli {

struct ReceiptOptions {
  std::string path;       // empty: no receipt
  std::string key;        // private, in PEM
  std::string nonce;      // the request's: 64 hexadecimal digits, or none
  bool trace = false;     // the receipt names the trace of the run, too
  std::string store;      // a folder that keeps module and inputs for an audit; empty: none
  bool products = false;  // it keeps the products of the run, too
};

class RunSigner {
 public:
  // For `module` of the file `path` and one run; `samples` of each input, each run `repeat` times. Errors:
  // option_syntax, those of ReadSigningKey.
  static absl::StatusOr<RunSigner> Open(const ReceiptOptions& receipt, const std::string& path,
                                        const ValidModule& module, int64_t samples, int64_t repeat);

  // For the run: null, unless the receipt is to name its trace.
  RootObserver observer() { return traces_ ? RecordInto(trace_) : nullptr; }

  // The receipt in JSON, of the outcome or of why the run was refused. The store has module and inputs before
  // there is a receipt of them.
  absl::StatusOr<std::string> Sign(const Plan& plan, const std::vector<Tensor>& inputs,
                                   const absl::StatusOr<Outcome>& outcome, const ExecuteOptions& how) const;

 private:
  RunSigner(const ValidModule& module, SigningKey key, const ReceiptOptions& receipt)
      : claimed_(module),
        key_(std::move(key)),
        traces_(receipt.trace),
        products_(receipt.products),
        store_(receipt.store) {}

  ClaimedModule claimed_;
  SigningKey key_;
  bool traces_, products_;
  std::string store_;
  ReceiptCore core_;  // known before the run
  Trace trace_;
};

}  // namespace tally::cli
