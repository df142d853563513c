#include "server/models/model_config.h"

#include <nlohmann/json.hpp>
#include <span>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "server/labels.h"

namespace tally::server {
namespace {

using nlohmann::json;

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

struct NumberMember {
  const char* name;
  int64_t ModelConfig::*member;
  int64_t least, most;
};
constexpr NumberMember kNumbers[] = {
    {"threads", &ModelConfig::threads, 1, 1024},
    {"gas_limit", &ModelConfig::gas_limit, 0, kMost},
    {"memory_limit", &ModelConfig::memory_limit, 0, kMost},
    {"queue", &ModelConfig::queue, 1, 1 << 20},
    {"batch", &ModelConfig::batch, 1, 1024},
    {"deadline_ms", &ModelConfig::deadline_ms, 1, 86'400'000},
};
struct TextMember {
  const char* name;
  std::string ModelConfig::*member;
};
constexpr TextMember kTexts[] = {{"engine", &ModelConfig::engine}, {"level", &ModelConfig::level}};
struct FlagMember {
  const char* name;
  bool ModelConfig::*member;
};
constexpr FlagMember kFlags[] = {{"cache", &ModelConfig::cache}, {"floats", &ModelConfig::floats}};

absl::Status SetMember(const std::string& name, const json& value, ModelConfig& config) {
  for (const NumberMember& row : kNumbers) {
    if (name != row.name) continue;
    if (!value.is_number_integer() ||
        (value.is_number_unsigned() && value.get<uint64_t>() > uint64_t{kMost}) ||
        value.get<int64_t>() < row.least || value.get<int64_t>() > row.most) {
      return MakeError(label::model_config,
                       absl::StrCat("'", name, "' is not a whole number of ", row.least, " to ", row.most));
    }
    config.*row.member = value.get<int64_t>();
    return absl::OkStatus();
  }
  for (const TextMember& row : kTexts) {
    if (name != row.name) continue;
    if (!value.is_string()) return MakeError(label::model_config, absl::StrCat("'", name, "' is not a text"));
    config.*row.member = value.get<std::string>();
    return absl::OkStatus();
  }
  for (const FlagMember& row : kFlags) {
    if (name != row.name) continue;
    if (!value.is_boolean())
      return MakeError(label::model_config, absl::StrCat("'", name, "' is neither true nor false"));
    config.*row.member = value.get<bool>();
    return absl::OkStatus();
  }
  return MakeError(label::model_config,
                   absl::StrCat("'", PrintableStart(name), "' is not a member that is read"));
}

}  // namespace

absl::StatusOr<ModelConfig> ModelConfigOfJson(std::string_view text) {
  const json root = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!root.is_object()) return MakeError(label::model_config, "it is not an object of JSON");
  ModelConfig config;
  for (const auto& [name, value] : root.items()) RETURN_IF_ERROR(SetMember(name, value, config));
  return config;
}

}  // namespace tally::server
