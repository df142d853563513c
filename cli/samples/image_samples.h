// Samples in image files.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "cli/samples/open_samples.h"
#include "cli/samples/stored_bytes.h"

namespace tally::cli {

// Whether the file starts as a PNG or a JPEG. Error file_read.
absl::StatusOr<bool> IsImage(StoredBytes& file);

// The files of a folder that end in .png, .jpg or .jpeg, in the order of their names; others and folders in
// it are left out. Errors: file_open (there is none, or it cannot be listed), the form's wrong_shape (the
// input is no image of 1 or 3 channels).
absl::StatusOr<std::unique_ptr<Samples>> OpenImages(const std::string& folder, const SampleForm& form);

// One image file.
absl::StatusOr<std::unique_ptr<Samples>> OpenImage(const std::string& path, const SampleForm& form);

}  // namespace tally::cli
