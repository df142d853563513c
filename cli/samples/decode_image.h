// The two formats of DecodeImage.
#pragma once

#include <cstdint>
#include <span>

#include "absl/status/statusor.h"
#include "cli/samples/image.h"

namespace tally::cli {

absl::StatusOr<Image> DecodePng(std::span<const uint8_t> file);
absl::StatusOr<Image> DecodeJpeg(std::span<const uint8_t> file);

// An image of this size without samples. Error image_size.
absl::StatusOr<Image> EmptyImage(int64_t width, int64_t height, int64_t channels);

}  // namespace tally::cli
