// Samples in image files.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/samples/open_samples.h"
#include "cli/samples/stored_bytes.h"

namespace tally::cli {

// Whether the file starts as a PNG or a JPEG. Error file_read.
absl::StatusOr<bool> IsImage(StoredBytes& file);

// Whether its name ends in .png, .jpg or .jpeg.
bool HasImageName(const std::string& path);

// One sample for each file. Error: the form's wrong_shape (the input is no image of 1 or 3 channels).
absl::StatusOr<std::unique_ptr<Samples>> OpenImages(std::vector<std::string> paths, const SampleForm& form);

}  // namespace tally::cli
