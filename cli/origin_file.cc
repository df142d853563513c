#include "cli/origin_file.h"

#include <filesystem>

#include "base/file.h"
#include "base/sha256.h"
#include "base/status_macros.h"
#include "cli/version.h"

namespace tally::cli {

absl::StatusOr<std::vector<Digest>> DigestsOfFiles(std::span<const uint8_t> model,
                                                   const std::vector<std::string>& others) {
  std::vector<Digest> digests = {Sha256Hash(model)};
  for (const std::string& path : others) {
    ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, ReadFile(path));
    digests.push_back(Sha256Hash(bytes));
  }
  return digests;
}

std::string OriginBeside(const std::string& module) { return module + ".origin"; }

Origin OriginOf(const Digest& module_id, const std::string& command, const std::vector<Digest>& sources,
                const std::optional<std::string>& calibration) {
  Origin origin = {.module = module_id,
                   .producer = "tally " + command,
                   .version = kVersion,
                   .sources = sources,
                   .calibration = {}};
  if (calibration) origin.calibration = Sha256Hash(AsBytes(*calibration));
  return origin;
}

absl::StatusOr<Origin> ReadOrigin(const std::string& path) {
  ASSIGN_OR_RETURN(const std::vector<uint8_t> text, ReadFile(path, kMaxOriginBytes));
  return OriginFromJson(AsText(text));
}

absl::StatusOr<std::optional<Origin>> ReadOriginBeside(const std::string& module, const Digest& module_id) {
  const std::string path = OriginBeside(module);
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::optional<Origin>();
  ASSIGN_OR_RETURN(Origin origin, ReadOrigin(path));
  if (origin.module != module_id) return std::optional<Origin>();
  return std::optional<Origin>(std::move(origin));
}

}  // namespace tally::cli
