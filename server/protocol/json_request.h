// A request for inference in JSON, with the extension for tensors in bytes.
//
//   ASSIGN_OR_RETURN(InferRequest request, InferRequestOfJson(std::move(body), header_length));
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "server/protocol/inference.h"

namespace tally::server {

// The most bytes of JSON: what is parsed takes many times as much memory. Tensors in bytes may be larger.
inline constexpr size_t kMostJsonBytes = size_t{16} << 20;

// `header_length`: the bytes of JSON that the body begins with, where tensors in bytes follow
// (Inference-Header-Content-Length). Model and version are not in the body. Errors request_form,
// request_size.
absl::StatusOr<InferRequest> InferRequestOfJson(std::string body, std::optional<size_t> header_length);

// Sets what the parameters of a request say: receipt, nonce, timeout, binary_data_output. Others are ignored.
// Error request_form. A value is a string, a whole number or a truth value.
absl::Status SetParameter(std::string_view name, const std::string* text, const int64_t* number,
                          const bool* flag, InferRequest& request);

}  // namespace tally::server
