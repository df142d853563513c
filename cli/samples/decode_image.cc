#include "cli/samples/decode_image.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/strings.h"
#include "cli/labels.h"

namespace tally::cli {
namespace {

bool StartsWith(std::span<const uint8_t> file, std::span<const uint8_t> start) {
  return file.size() >= start.size() && std::ranges::equal(file.first(start.size()), start);
}

}  // namespace

absl::StatusOr<Image> EmptyImage(int64_t width, int64_t height, int64_t channels) {
  if (width < 1 || height < 1 || width > kMaxImageSide || height > kMaxImageSide ||
      width * height > kMaxImagePixels) {
    return MakeError(label::image_size, absl::StrCat("the image has ", width, " x ", height,
                                                     " pixels; at most ", kMaxImagePixels, " are read"));
  }
  return Image{width, height, channels, {}};
}

absl::StatusOr<Image> DecodeImage(std::span<const uint8_t> file) {
  constexpr std::array<uint8_t, 8> kPng = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  constexpr std::array<uint8_t, 3> kJpeg = {0xff, 0xd8, 0xff};
  if (StartsWith(file, kPng)) return DecodePng(file);
  if (StartsWith(file, kJpeg)) return DecodeJpeg(file);
  return MakeError(label::image_format, "the file starts neither as a PNG nor as a JPEG");
}

Image WithChannels(Image image, int64_t channels) {
  if (image.channels == channels) return image;
  std::vector<uint8_t> samples;
  samples.reserve(static_cast<size_t>(image.width * image.height * channels));
  if (channels == 3) {
    for (const uint8_t gray : image.samples) samples.insert(samples.end(), 3, gray);
  } else {
    for (size_t i = 0; i < image.samples.size(); i += 3) {
      const uint32_t luma =
          image.samples[i] * 19595u + image.samples[i + 1] * 38470u + image.samples[i + 2] * 7471u;
      samples.push_back(static_cast<uint8_t>((luma + 0x8000u) >> 16));
    }
  }
  return {image.width, image.height, channels, std::move(samples)};
}

}  // namespace tally::cli
