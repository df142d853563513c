#include "cli/samples/image_samples.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "absl/strings/ascii.h"
#include "base/io/file.h"
#include "base/io/path.h"
#include "base/status_macros.h"
#include "base/strings.h"

namespace tally::cli {
namespace {

class ImageSamples : public Samples {
 public:
  ImageSamples(std::vector<std::string> paths, const SampleForm& form, bool channels_last, int64_t channels,
               int64_t height, int64_t width)
      : paths_(std::move(paths)),
        fit_(form.fit),
        is_bgr_(form.is_bgr),
        channels_last_(channels_last),
        channels_(channels),
        height_(height),
        width_(width) {}

  int64_t count() const override { return static_cast<int64_t>(paths_.size()); }
  std::string file(int64_t sample) const override { return paths_[static_cast<size_t>(sample)]; }

  absl::StatusOr<SampleElements> Read(int64_t sample) override {
    const std::string& path = paths_[static_cast<size_t>(sample)];
    ASSIGN_OR_RETURN(const std::vector<uint8_t> file, ReadFile(path, kMaxImageFileBytes));
    auto image = DecodeImage(file);
    if (image.ok()) image = FitImage(WithChannels(*std::move(image), channels_), fit_, height_, width_);
    if (!image.ok())
      return WithMessage(image.status(), absl::StrCat("'", path, "': ", image.status().message()));
    if (is_bgr_ && channels_ == 3) {
      for (size_t i = 0; i < image->samples.size(); i += 3)
        std::swap(image->samples[i], image->samples[i + 2]);
    }
    return Elements(*image);
  }

 private:
  std::vector<int64_t> Elements(const Image& image) const {
    if (channels_last_) return {image.samples.begin(), image.samples.end()};
    std::vector<int64_t> elements;
    elements.reserve(image.samples.size());
    for (int64_t c = 0; c < channels_; ++c) {
      for (size_t i = static_cast<size_t>(c); i < image.samples.size(); i += static_cast<size_t>(channels_))
        elements.push_back(image.samples[i]);
    }
    return elements;
  }

  std::vector<std::string> paths_;
  ImageFit fit_;
  bool is_bgr_;
  bool channels_last_;  // the input's
  int64_t channels_, height_, width_;
};

}  // namespace

bool HasImageName(const std::string& path) {
  const std::string extension = absl::AsciiStrToLower(PathOf(path).extension().string());
  return extension == ".png" || extension == ".jpg" || extension == ".jpeg";
}

absl::StatusOr<std::unique_ptr<Samples>> OpenImages(std::vector<std::string> paths, const SampleForm& form) {
  const auto is_channels = [](int64_t n) { return n == 1 || n == 3; };
  const quant::Shape& shape = form.shape;
  if (shape.size() != 4 || shape[0] != 1 || (!is_channels(shape[1]) && !is_channels(shape[3]))) {
    return MakeError(form.wrong_shape, absl::StrCat("holds images, and the input is ", quant::ToString(shape),
                                                    ", which is not an image of 1 or 3 channels"));
  }
  const bool first = is_channels(shape[1]);
  return std::make_unique<ImageSamples>(std::move(paths), form, !first, shape[first ? 1 : 3],
                                        shape[first ? 2 : 1], shape[first ? 3 : 2]);
}

absl::StatusOr<bool> IsImage(StoredBytes& file) {
  uint8_t start[3] = {};
  if (file.size() < sizeof start) return false;
  RETURN_IF_ERROR(file.Read(0, start));
  const bool is_png = start[0] == 0x89 && start[1] == 'P' && start[2] == 'N';
  return is_png || (start[0] == 0xff && start[1] == 0xd8 && start[2] == 0xff);
}

}  // namespace tally::cli
