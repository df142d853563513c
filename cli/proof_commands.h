// The commands that sign and check what a run gave (docs/guides/receipts.md).
#pragma once

#include <cstdint>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "cli/input_options.h"

namespace tally::cli {

struct KeygenOptions {
  std::string key;         // the private key, for its owner alone
  std::string public_key;  // for everybody
  bool json = false;
};
// Draws an Ed25519 key and writes its two files. Error file_write: also where one of them exists.
absl::Status GenerateKey(const KeygenOptions& options, std::ostream& out);

struct TraceOptions {
  std::string module;
  SampleOptions inputs;
  std::string engine = "cpu";
  std::string arch;
  int64_t threads = 1;
  int64_t gas_limit = std::numeric_limits<int64_t>::max();
  int64_t memory_limit = std::numeric_limits<int64_t>::max();
  std::string output;  // file; none where it is empty
  std::string record;  // folder; none where it is empty
  bool json = false;
};
// Runs a module once, and writes the trace of the run, or all of the run (cli/run_folder.h). Errors also:
// those of Plan::Execute.
absl::Status TraceModule(const TraceOptions& options, std::ostream& out);

struct JudgeElementOptions {
  std::string module;
  SampleOptions inputs;
  std::string engine = "cpu";
  int64_t value = 0;    // its number in the entry function
  int64_t element = 0;  // row-major
  bool json = false;
};
// Runs a module once, judges one element of one value of the run by the references, and says what the
// judgement opens. Errors also: option_syntax, where a trace has no such value or the value no such element.
absl::Status JudgeElement(const JudgeElementOptions& options, std::ostream& out);

// Two runs (cli/run_folder.h): that of somebody who checks, and the one that is in doubt.
struct DisputeFolders {
  std::string honest, claimed;
};

struct CertifyOptions {
  DisputeFolders folders;
  std::string output;  // file
  bool json = false;
};
// Writes the certificate that convicts the second. Errors also: dispute_agree; those of Convict.
absl::Status Certify(const CertifyOptions& options, std::ostream& out);

struct CheckCertificateOptions {
  std::string certificate;
  std::string expansion;  // 64 hexadecimal digits: the digest of the one that the accused has sent
  bool json = false;
};
// Says whom a certificate convicts. Errors: those of CheckCertificate; certificate_expansion, where it
// convicts whoever has sent an expansion and none is given; dispute_other, where another is.
absl::Status CheckCertificateFile(const CheckCertificateOptions& options, std::ostream& out);

struct DisputeOptions {
  DisputeFolders folders;
  std::string output;  // file of the certificate; none where it is empty
  bool json = false;
};
// Plays the dispute of the two, and draws it. Errors also: dispute_agree; why the asserter has not lost.
absl::Status Dispute(const DisputeOptions& options, std::ostream& out);

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
  std::string engine = "cpu";
  std::string arch;
  int64_t threads = 1;
  int64_t gas_limit = std::numeric_limits<int64_t>::max();  // a module that costs more is not run again
  int64_t memory_limit = std::numeric_limits<int64_t>::max();
  bool json = false;
};
// Says what a receipt proves with what is at hand. Errors: those of ReceiptFromJson; the reason where the
// receipt is not verified, or where module and inputs are given and do not reproduce the claim.
absl::Status VerifyReceiptFile(const VerifyOptions& options, std::ostream& out);

}  // namespace tally::cli
