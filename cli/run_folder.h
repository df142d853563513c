// A folder with a run: its module, its claim, its trace and all tensors of it, as `tally trace --record`
// writes it (docs/guides/disputes.md).
//
//   module.tally  claim.cbor  trace.cbor  inputs/000000.npy..  results/000000.npy..  values/000000.npy..
//
// Values have the numbers of their entries in the trace.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "proof/certificate/recorded_run.h"
#include "vm/valid_module.h"

namespace tally::cli {

// Writes all files or none. Error file_write: also where the folder has other tensors already.
absl::Status WriteRunFolder(const std::string& folder, const ValidModule& module, const RecordedRun& run);

absl::StatusOr<std::shared_ptr<const ValidModule>> ReadModuleOfFolder(const std::string& folder);

// A claimed run. Errors: those of DecodeClaim, DecodeTraceFile and ReadTensor; run_folder, where the tensors
// are not those that claim and trace commit to.
absl::StatusOr<RecordedRun> ReadRunFolder(const std::string& folder);

}  // namespace tally::cli
