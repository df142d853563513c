// The digests that claims hold of tensors.
#include "api/c/run.h"
#include "proof/receipt/claim_run.h"
#include "serializer/tensor_digest.h"

using namespace tally;       // NOLINT: the functions are outside any namespace
using namespace tally::api;  // NOLINT

tally_status tally_tensor_digest(const tally_tensor* tensor, uint8_t digest[32], tally_error* error) {
  return Call(error, [&]() -> absl::Status {
    RETURN_IF_ERROR(NotNull(tensor, "tensor"));
    RunMemory memory;
    RETURN_IF_ERROR(ReadInputs({}, {tensor, 1}, "tensor", memory));
    return WriteDigest(ValueDigest(memory.inputs[0]), digest);
  });
}

tally_status tally_module_inputs_digest(tally_module module, const tally_tensor* inputs, size_t num_inputs,
                                        uint8_t digest[32], tally_error* error) {
  return Call(error, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const auto loaded, ObjectOf<LoadedModule>(module));
    ASSIGN_OR_RETURN(const auto given, TensorsOf(inputs, num_inputs));
    RunMemory memory;
    RETURN_IF_ERROR(ReadInputs(loaded->valid->functions()[0].params, given, "input", memory));
    return WriteDigest(InputsDigest(*loaded->valid, memory.inputs), digest);
  });
}

tally_status tally_module_results_digest(tally_module module, const tally_tensor* results, size_t num_results,
                                         uint8_t digest[32], tally_error* error) {
  return Call(error, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const auto loaded, ObjectOf<LoadedModule>(module));
    ASSIGN_OR_RETURN(const auto given, TensorsOf(results, num_results));
    RunMemory memory;
    RETURN_IF_ERROR(ReadInputs(loaded->valid->functions()[0].results, given, "result", memory));
    return WriteDigest(ResultsDigest(*loaded->valid, memory.inputs), digest);
  });
}
