// Runs on tensors of the caller.
//
//   const LoadedPlan::Lease memory(*plan);
//   RETURN_IF_ERROR(ReadTensors(*module, inputs, results, *memory));
//   ASSIGN_OR_RETURN(const RunRequest request, RunRequest::Read(options));
//   RETURN_IF_ERROR(plan->plan().ExecuteInto((*memory).inputs, (*memory).results, request.options()));
#pragma once

#include <memory>
#include <span>

#include "absl/status/statusor.h"
#include "api/c/objects.h"
#include "api/c/tally.h"

namespace tally::api {

// The options of one run.
class RunRequest {
 public:
  // `options` may be null. Errors: api_struct, api_option, api_handle.
  static absl::StatusOr<RunRequest> Read(const tally_run_options* options);

  const ExecuteOptions& options() const { return options_; }

 private:
  ExecuteOptions options_;
  std::shared_ptr<const CancellationObject> cancellation_;
};

// The caller's array. Errors: api_null, where it is null and not empty; api_option, more than any module has.
absl::StatusOr<std::span<const tally_tensor>> TensorsOf(const tally_tensor* tensors, size_t count);

// Inputs, or what else is read: values of `types`, where those have one for each. Errors: api_null,
// api_tensor.
absl::Status ReadInputs(std::span<const TensorType> types, std::span<const tally_tensor> given,
                        std::string_view kind, RunMemory& memory);

// The tensors of the caller, and where engines read and write them. Those without a type in the module are
// read too: it is for engines to refuse their number. Errors: api_null, api_tensor, api_overlap.
absl::Status ReadTensors(const ValidModule& module, std::span<const tally_tensor> inputs,
                         std::span<const tally_tensor> results, RunMemory& memory);

// Results that engines have not written where the caller wants them.
void CopyResults(const ValidModule& module, RunMemory& memory);

}  // namespace tally::api
