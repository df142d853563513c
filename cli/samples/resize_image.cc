#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/labels.h"
#include "cli/samples/decode_image.h"

namespace tally::cli {
namespace {

// Weights have 22 fractional bits: 32, less 8 of a sample and 2 for their sum.
constexpr int kWeightBits = 22;

// Where the samples of one result are, and what each weighs.
struct Taps {
  int64_t first = 0;
  std::vector<int32_t> weights;
};

std::vector<Taps> TriangleTaps(int64_t from, int64_t to) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const double support = std::max(scale, 1.0);
  std::vector<Taps> taps(static_cast<size_t>(to));
  for (size_t i = 0; i < taps.size(); ++i) {
    const double center = (static_cast<double>(i) + 0.5) * scale;
    const auto first = std::max<int64_t>(static_cast<int64_t>(center - support + 0.5), 0);
    const auto last = std::min<int64_t>(static_cast<int64_t>(center + support + 0.5), from);
    std::vector<double> weights;
    const double narrowing = 1 / support;
    double sum = 0;
    for (int64_t x = first; x < last; ++x) {
      const double distance = std::abs((static_cast<double>(x) - center + 0.5) * narrowing);
      weights.push_back(std::max(1 - distance, 0.0));
      sum += weights.back();
    }
    taps[i].first = first;
    for (const double weight : weights)
      taps[i].weights.push_back(static_cast<int32_t>(0.5 + weight / sum * (1 << kWeightBits)));
  }
  return taps;
}

// Along the axis of `to.size()` results, whose elements are `step` apart in rows of `length` before and of
// to.size() after; `rows` of them, each followed by the next after length * step elements.
std::vector<uint8_t> Resample(const std::vector<uint8_t>& samples, const std::vector<Taps>& to,
                              int64_t length, int64_t step) {
  const int64_t rows = static_cast<int64_t>(samples.size()) / (length * step);
  std::vector<uint8_t> result;
  result.reserve(static_cast<size_t>(rows * step) * to.size());
  for (int64_t row = 0; row < rows; ++row) {
    for (const Taps& taps : to) {
      for (int64_t i = 0; i < step; ++i) {
        const uint8_t* sample = samples.data() + (row * length + taps.first) * step + i;
        int64_t sum = int64_t{1} << (kWeightBits - 1);
        for (const int32_t weight : taps.weights) {
          sum += int64_t{*sample} * weight;
          sample += step;
        }
        result.push_back(static_cast<uint8_t>(std::clamp<int64_t>(sum >> kWeightBits, 0, 255)));
      }
    }
  }
  return result;
}

absl::StatusOr<Image> Resized(Image image, int64_t height, int64_t width) {
  if (image.height == height && image.width == width) return image;
  ASSIGN_OR_RETURN(Image to, EmptyImage(width, height, image.channels));
  // Rows first: what is between them has at most as many elements as the larger of the two images has in its
  // rows.
  RETURN_IF_ERROR(EmptyImage(to.width, image.height, image.channels).status());
  to.samples = std::move(image.samples);
  if (to.width != image.width)
    to.samples = Resample(to.samples, TriangleTaps(image.width, to.width), image.width, image.channels);
  if (to.height != image.height)
    to.samples =
        Resample(to.samples, TriangleTaps(image.height, to.height), image.height, to.width * to.channels);
  return to;
}

// Half of what is over, ties to even, as Python rounds.
int64_t Margin(int64_t over) { return static_cast<int64_t>(std::nearbyint(static_cast<double>(over) / 2)); }

struct Size {
  int64_t height, width;
};

// In proportion, so that the shorter side is `side`. The longer one is rounded down, as torchvision does.
Size WithShorter(const Image& image, int64_t side) {
  const int64_t shorter = std::min(image.width, image.height);
  const auto longer = static_cast<int64_t>(static_cast<double>(side) *
                                           static_cast<double>(std::max(image.width, image.height)) /
                                           static_cast<double>(shorter));
  return image.width == shorter ? Size{longer, side} : Size{side, longer};
}

// In proportion: `covers` the input, or fits in it, with one side of its length.
Size InProportion(const Image& image, bool covers, int64_t height, int64_t width) {
  const bool is_wider = image.width * height > width * image.height;
  const auto scaled = [](int64_t side, int64_t from, int64_t to) {
    return std::max<int64_t>(1, (2 * side * to + from) / (2 * from));  // to the nearest
  };
  if (is_wider == covers) return {height, scaled(image.width, image.height, height)};
  return {scaled(image.height, image.width, width), width};
}

Image Padded(const Image& image, int64_t height, int64_t width) {
  constexpr uint8_t kGray = 114;  // as detectors are trained with
  const int64_t top = (height - image.height) / 2, left = (width - image.width) / 2;
  Image padded = {width, height, image.channels, {}};
  padded.samples.assign(static_cast<size_t>(width * height * image.channels), kGray);
  for (int64_t y = 0; y < image.height; ++y) {
    std::copy_n(image.samples.begin() + static_cast<ptrdiff_t>(y * image.width * image.channels),
                image.width * image.channels,
                padded.samples.begin() + static_cast<ptrdiff_t>(((top + y) * width + left) * image.channels));
  }
  return padded;
}

}  // namespace

absl::StatusOr<Image> FitImage(Image image, const ImageFit& fit, int64_t height, int64_t width) {
  Size size = {image.height, image.width};
  switch (fit.kind) {
    case ImageFit::kAsItIs: break;
    case ImageFit::kShorter: size = WithShorter(image, fit.side); break;
    case ImageFit::kStretch: size = {height, width}; break;
    case ImageFit::kCover: size = InProportion(image, /*covers=*/true, height, width); break;
    case ImageFit::kPad: size = InProportion(image, /*covers=*/false, height, width); break;
  }
  ASSIGN_OR_RETURN(image, Resized(std::move(image), size.height, size.width));
  if (image.width == width && image.height == height) return image;
  if (fit.kind == ImageFit::kPad) return Padded(image, height, width);
  if (fit.kind == ImageFit::kAsItIs || image.width < width || image.height < height) {
    return MakeError(
        label::image_size,
        absl::StrCat("the image has ", image.width, " x ", image.height, " pixels",
                     fit.kind == ImageFit::kAsItIs ? "" : " after --resize", ", the input takes ", width,
                     " x ", height, "; --fit cover, stretch or pad brings every image to that"));
  }
  const int64_t top = Margin(image.height - height), left = Margin(image.width - width);
  Image middle = {width, height, image.channels, {}};
  for (int64_t y = 0; y < height; ++y) {
    const auto first =
        image.samples.begin() + static_cast<ptrdiff_t>(((top + y) * image.width + left) * image.channels);
    middle.samples.insert(middle.samples.end(), first,
                          first + static_cast<ptrdiff_t>(width * image.channels));
  }
  return middle;
}

}  // namespace tally::cli
