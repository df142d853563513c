// Samples in recordings: WAV, FLAC, Ogg and what else libsndfile reads.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/samples/open_samples.h"
#include "cli/samples/stored_bytes.h"

namespace tally::cli {

// Whether the file starts as a recording. Error file_read.
absl::StatusOr<bool> IsSound(StoredBytes& file);
// Whether its name does: .wav, .flac, .ogg, .aiff.
bool HasSoundName(const std::string& path);

// Windows of the recordings, one recording after the other. A window has as many frames as the input has
// elements, and sample i of a recording ends with frame (i + 1) * hop: each brings `hop` new frames, as a
// stream would, and what is before the beginning and after the end is silence. The channels of a recording
// are averaged. Errors: sound_format (none, damaged, or of more than 2^28 frames), the form's wrong_shape
// (the input has two dimensions above 1), option_syntax (another rate without --rate).
absl::StatusOr<std::unique_ptr<Samples>> OpenSounds(std::vector<std::string> paths, const SampleForm& form);

}  // namespace tally::cli
