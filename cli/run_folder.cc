#include "cli/run_folder.h"

#include <filesystem>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/io/file.h"
#include "base/io/npy_tensor.h"
#include "base/io/path.h"
#include "base/labels.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/labels.h"
#include "cli/load.h"
#include "cli/output_files.h"
#include "cli/tensor_files.h"
#include "proof/certificate/certificate.h"
#include "serializer/encode.h"

namespace tally::cli {
namespace {

std::string TensorPath(const std::string& folder, std::string_view kind, size_t number) {
  const std::string digits = std::to_string(number);
  return absl::StrCat(folder, "/", ToAbsl(kind), "/",
                      std::string(digits.size() < 6 ? 6 - digits.size() : 0, '0'), digits, ".npy");
}

absl::StatusOr<std::vector<Tensor>> ReadTensors(const std::string& folder, std::string_view kind) {
  std::vector<Tensor> tensors;
  for (;;) {
    const std::string path = TensorPath(folder, kind, tensors.size());
    if (!std::filesystem::exists(PathOf(path))) return tensors;
    ASSIGN_OR_RETURN(tensors.emplace_back(), ReadTensor(path));
  }
}

absl::Status Differs(const std::string& folder, std::string_view what) {
  return MakeError(label::run_folder, absl::StrCat("'", folder, "': ", ToAbsl(what),
                                                   " are not those that its claim and its trace commit to"));
}

}  // namespace

absl::Status WriteRunFolder(const std::string& folder, const ValidModule& module, const RecordedRun& run) {
  if (std::filesystem::exists(PathOf(folder + "/claim.cbor")))
    return MakeError(label::file_write, absl::StrCat("'", folder, "' has a run already"));
  OutputFiles files(folder);
  files.AddAt(folder + "/module.tally", Encode(module.module()));
  files.AddAt(folder + "/claim.cbor", EncodeClaim(run.claim));
  files.AddAt(folder + "/trace.cbor", EncodeTraceFile({ClaimId(run.claim), run.trace}));
  const std::pair<std::string_view, const std::vector<Tensor>*> kinds[] = {
      {"inputs", &run.inputs}, {"results", &run.results}, {"values", &run.values}};
  for (const auto& [kind, tensors] : kinds) {
    std::error_code error;
    std::filesystem::create_directories(PathOf(absl::StrCat(folder, "/", ToAbsl(kind))), error);
    if (error) return MakeError(label::file_write, absl::StrCat("'", folder, "': ", error.message()));
    for (size_t i = 0; i < tensors->size(); ++i) {
      ASSIGN_OR_RETURN(std::vector<uint8_t> bytes, NpyOf((*tensors)[i].view()));
      files.AddAt(TensorPath(folder, kind, i), std::move(bytes));
    }
  }
  return files.Write();
}

absl::StatusOr<std::shared_ptr<const ValidModule>> ReadModuleOfFolder(const std::string& folder) {
  return LoadValidModule(folder + "/module.tally");
}

absl::StatusOr<RecordedRun> ReadRunFolder(const std::string& folder) {
  RecordedRun run;
  ASSIGN_OR_RETURN(const std::vector<uint8_t> claim, ReadFile(folder + "/claim.cbor", kMaxCertificateBytes));
  ASSIGN_OR_RETURN(run.claim, DecodeClaim(claim));
  ASSIGN_OR_RETURN(const std::vector<uint8_t> trace, ReadFile(folder + "/trace.cbor"));
  ASSIGN_OR_RETURN(TraceFile file, DecodeTraceFile(trace));
  ASSIGN_OR_RETURN(run.inputs, ReadTensors(folder, "inputs"));
  ASSIGN_OR_RETURN(run.results, ReadTensors(folder, "results"));
  ASSIGN_OR_RETURN(run.values, ReadTensors(folder, "values"));
  if (file.claim != ClaimId(run.claim)) return Differs(folder, "the entries of the trace");
  if (run.values.size() != file.trace.size()) return Differs(folder, "the values");
  const Claim claimed = run.claim;
  run.trace = file.trace;
  run.CommitToTensors();
  if (run.trace != file.trace) return Differs(folder, "the values");
  if (run.claim.inputs != claimed.inputs) return Differs(folder, "the inputs");
  if (run.claim != claimed) return Differs(folder, "the results");
  return run;
}

}  // namespace tally::cli
