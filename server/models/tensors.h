// The tensors of a request as those of a module, and back.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "base/tensor.h"
#include "server/models/served_model.h"
#include "server/protocol/inference.h"

namespace tally::server {

// One tensor for each parameter, in their order. Reals (FP32) are put on the grid of the parameter, as `tally
// run` does; integers of any datatype keep their values, which the engine compares with the interval. Errors
// request_tensor: an input is missing, given twice or unknown; its datatype, its shape or its bytes are not
// what the parameter takes.
absl::StatusOr<std::vector<Tensor>> InputsOf(const InferRequest& request, const ServedModel& model);

// The results that a request asks for, in its order: in the datatype that it asks for, or that of the
// metadata. Error request_tensor: an output is unknown, or has no grid and is asked for in FP32.
absl::StatusOr<std::vector<OutputTensor>> OutputsOf(const InferRequest& request, const ServedModel& model,
                                                    const std::vector<Tensor>& results);
// The same error, before there are results.
absl::Status CheckOutputs(const InferRequest& request, const ServedModel& model);

}  // namespace tally::server
