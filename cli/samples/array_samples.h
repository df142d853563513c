// Samples in an array of NumPy's.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "cli/samples/open_samples.h"
#include "cli/samples/stored_bytes.h"

namespace tally::cli {

// `file` is an .npy file. Errors: npy_*, the form's wrong_shape, and those of Read.
absl::StatusOr<std::unique_ptr<Samples>> OpenNpy(std::unique_ptr<StoredBytes> file, const SampleForm& form);

}  // namespace tally::cli
