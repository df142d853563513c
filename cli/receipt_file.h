// Keys and receipts as files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/tensor.h"
#include "proof/receipt/claim_run.h"
#include "proof/receipt/receipt.h"

namespace tally::cli {

// The files are small. Errors: those of ReadFile, key_format.
absl::StatusOr<SigningKey> ReadSigningKey(const std::string& path);
absl::StatusOr<PublicKey> ReadPublicKey(const std::string& path);

// Errors: those of ReadFile and ReceiptFromJson.
absl::StatusOr<Receipt> ReadReceiptFile(const std::string& path);

// 64 hexadecimal digits, or nothing where the text is empty. Error option_syntax.
absl::StatusOr<std::optional<Nonce>> ParseNonce(const std::string& text);
// The same for any digest; `option` is what it is given by.
absl::StatusOr<std::optional<Digest>> ParseDigestOption(std::string_view option, const std::string& text);

// Signs the receipt of a run that took place now: the text of its file. `core` has the nonce, the trace and
// the origin. Errors: those of ClaimOfRun.
absl::StatusOr<std::string> SignRun(const ClaimedModule& claimed, const std::vector<Tensor>& inputs,
                                    const absl::StatusOr<Outcome>& outcome, const ExecuteOptions& how,
                                    const SigningKey& key, ReceiptCore core);

}  // namespace tally::cli
