// Where a module comes from, as a file beside it (docs/spec/origin.md).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/hash/digest.h"
#include "proof/receipt/origin.h"

namespace tally::cli {

// The SHA-256 of a model's bytes, and of each other file that it was read from. Errors: those of files.
absl::StatusOr<std::vector<Digest>> DigestsOfFiles(std::span<const uint8_t> model,
                                                   const std::vector<std::string>& others);

// "MODULE.origin"
std::string OriginBeside(const std::string& module);

// The origin of what `command` made of these files; the texts of the calibration and of the notes where
// there are such.
Origin OriginOf(const Digest& module_id, const std::string& command, const std::vector<Digest>& sources,
                const std::optional<std::string>& calibration, const std::optional<std::string>& notes);

// "MODULE.calibration", a calibration file whose digest the origin has.
std::string CalibrationBeside(const std::string& module);

// Errors: origin_form, those of files.
absl::StatusOr<Origin> ReadOrigin(const std::string& path);

// That of the file beside a module, if there is one that is of this module. Errors: as above.
absl::StatusOr<std::optional<Origin>> ReadOriginBeside(const std::string& module, const Digest& module_id);

// Whether the file of the calibration that this module was made with is beside it. Errors: as above.
absl::StatusOr<bool> HasCalibrationBeside(const std::string& module, const Digest& module_id);

}  // namespace tally::cli
