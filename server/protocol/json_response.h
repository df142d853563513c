// Answers in JSON, with the extension for tensors in bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "server/protocol/inference.h"

namespace tally::server {

struct InferBody {
  std::string bytes;
  std::optional<size_t> header_length;  // the bytes of JSON, where tensors in bytes follow
};
InferBody ToJson(const InferResponse& response);

// {"error": message, "label": label}
std::string ErrorJson(const absl::Status& error);

}  // namespace tally::server
