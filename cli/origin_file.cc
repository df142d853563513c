#include "cli/origin_file.h"

#include <filesystem>

#include "base/hash/sha256.h"
#include "base/io/file.h"
#include "base/io/path.h"
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

std::string CalibrationBeside(const std::string& module) { return module + ".calibration"; }

Origin OriginOf(const Digest& module_id, const std::string& command, const std::vector<Digest>& sources,
                const std::optional<std::string>& calibration, const std::optional<std::string>& notes) {
  Origin origin = {.module = module_id,
                   .producer = "tally " + command,
                   .version = kVersion,
                   .sources = sources,
                   .calibration = {},
                   .notes = {}};
  if (calibration) origin.calibration = Sha256Hash(AsBytes(*calibration));
  if (notes) origin.notes = Sha256Hash(AsBytes(*notes));
  return origin;
}

absl::StatusOr<Origin> ReadOrigin(const std::string& path) {
  ASSIGN_OR_RETURN(const std::vector<uint8_t> text, ReadFile(path, kMaxOriginBytes));
  return OriginFromJson(AsText(text));
}

absl::StatusOr<std::optional<Origin>> ReadOriginBeside(const std::string& module, const Digest& module_id) {
  const std::string path = OriginBeside(module);
  std::error_code error;
  if (!std::filesystem::exists(PathOf(path), error)) return std::optional<Origin>();
  ASSIGN_OR_RETURN(Origin origin, ReadOrigin(path));
  if (origin.module != module_id) return std::optional<Origin>();
  return std::optional<Origin>(std::move(origin));
}

absl::StatusOr<bool> HasCalibrationBeside(const std::string& module, const Digest& module_id) {
  ASSIGN_OR_RETURN(const std::optional<Origin> origin, ReadOriginBeside(module, module_id));
  std::error_code error;
  if (!origin.has_value() || !origin->calibration ||
      !std::filesystem::exists(PathOf(CalibrationBeside(module)), error))
    return false;
  ASSIGN_OR_RETURN(const std::vector<uint8_t> text, ReadFile(CalibrationBeside(module)));
  return Sha256Hash(text) == *origin->calibration;
}

}  // namespace tally::cli
