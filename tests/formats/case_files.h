// The models that write_cases.py writes.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/io/file.h"
#include "base/status_macros.h"
#include "frontends/formats.h"
#include "gtest/gtest.h"

namespace tally {

inline const nlohmann::json& Cases() {
  static const nlohmann::json cases = [] {
    std::ifstream file("tests/formats/cases.json");
    return nlohmann::json::parse(file);
  }();
  return cases;
}

inline std::vector<uint8_t> Bytes(const std::string& hex) {
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<uint8_t>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

// As the tool does: the format by content, weights from a file.
inline absl::StatusOr<frontend::Network> ImportFiles(const nlohmann::json& test,
                                                     const std::vector<uint8_t>& model) {
  const std::string weights = testing::TempDir() + std::to_string(getpid()) + "weights.bin";
  RETURN_IF_ERROR(WriteFileAtomically(weights, Bytes(test["weights"])));
  ASSIGN_OR_RETURN(const frontend::Format* format, frontend::FormatOf(model));
  const bool is_nhwc = test["format"] == "nhwc";
  return format->import(model, {.weights = is_nhwc ? "" : weights, .dialect = is_nhwc ? "nhwc" : ""});
}

}  // namespace tally
