// Images as rows of 8-bit pixels.
//
//   ASSIGN_OR_RETURN(Image image, DecodeImage(bytes));             // from the file
//   image = WithChannels(std::move(image), 3);                     // gray as RGB, or the reverse
//   ASSIGN_OR_RETURN(image, FitImage(std::move(image), {ImageFit::kShorter, 256}, 224, 224));
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"

namespace tally::cli {

struct Image {
  int64_t width = 0, height = 0;
  int64_t channels = 3;          // 1 for gray, 3 for red, green and blue
  std::vector<uint8_t> samples;  // [height, width, channels]
};

// An image beyond these limits is refused before its pixels are decoded.
inline constexpr int64_t kMaxImagePixels = int64_t{1} << 26;
inline constexpr int64_t kMaxImageSide = 65535;
inline constexpr uint64_t kMaxImageFileBytes = uint64_t{1} << 28;

// A PNG or a JPEG, by its first bytes. The samples are those of the file: no color profile, gamma or
// orientation is applied, transparency is left out, palettes are expanded, 16 bits are scaled to 8. Errors:
// image_format (neither of the two, damaged, or JPEG in CMYK), image_size.
absl::StatusOr<Image> DecodeImage(std::span<const uint8_t> file);

// Gray is luma by ITU-R BT.601, as Pillow computes it.
Image WithChannels(Image image, int64_t channels);

// How an image of another size than the input's becomes one of its size. All resample by a triangle filter
// that widens when an image shrinks (Pillow's BILINEAR, and torchvision's Resize on Pillow images, bit for
// bit).
struct ImageFit {
  enum Kind {
    kAsItIs,   // it has the input's size
    kShorter,  // the shorter side becomes `side`, in proportion, and the middle is taken
    kCover,    // in proportion, so that it just covers the input, and the middle is taken
    kStretch,  // both sides, each for itself
    kPad,      // in proportion, so that it just fits in, in the middle of gray 114
  };
  Kind kind = kAsItIs;
  int64_t side = 0;
};

// Error image_size, where it is smaller than the middle, has another size as it is, or is too large on the
// way.
absl::StatusOr<Image> FitImage(Image image, const ImageFit& fit, int64_t height, int64_t width);

}  // namespace tally::cli
