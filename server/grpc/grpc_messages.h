// Messages of gRPC as requests for inference, and answers as messages.
#pragma once

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "open_inference.pb.h"
#include "server/protocol/inference.h"

namespace tally::server {

// The tensors of the request view the message where it has them in bytes. Error request_form.
absl::StatusOr<InferRequest> InferRequestOf(const inference::ModelInferRequest& message);

void Fill(const InferResponse& response, inference::ModelInferResponse& message);

}  // namespace tally::server
