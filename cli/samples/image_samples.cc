#include "cli/samples/image_samples.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"
#include "base/file.h"
#include "base/input_file.h"
#include "base/labels.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/samples/image.h"

namespace tally::cli {
namespace {

constexpr size_t kMaxImages = 10'000'000;

bool HasImageName(const std::filesystem::path& path) {
  const std::string extension = absl::AsciiStrToLower(path.extension().string());
  return extension == ".png" || extension == ".jpg" || extension == ".jpeg";
}

class ImageSamples : public Samples {
 public:
  ImageSamples(std::vector<std::string> paths, int64_t resize, bool channels_last, int64_t channels,
               int64_t height, int64_t width)
      : paths_(std::move(paths)),
        resize_(resize),
        channels_last_(channels_last),
        channels_(channels),
        height_(height),
        width_(width) {}

  int64_t count() const override { return static_cast<int64_t>(paths_.size()); }

  absl::StatusOr<SampleElements> Read(int64_t sample) override {
    const std::string& path = paths_[static_cast<size_t>(sample)];
    ASSIGN_OR_RETURN(const std::vector<uint8_t> file, ReadFile(path, kMaxImageFileBytes));
    auto image = DecodeImage(file);
    if (image.ok())
      image = ResizeAndCrop(WithChannels(*std::move(image), channels_), resize_, height_, width_);
    if (!image.ok())
      return WithMessage(image.status(), absl::StrCat("'", path, "': ", image.status().message()));
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
  int64_t resize_;
  bool channels_last_;  // the input's
  int64_t channels_, height_, width_;
};

absl::StatusOr<std::unique_ptr<Samples>> ImagesOf(std::vector<std::string> paths, const SampleForm& form) {
  const auto is_channels = [](int64_t n) { return n == 1 || n == 3; };
  const quant::Shape& shape = form.shape;
  if (shape.size() != 4 || shape[0] != 1 || (!is_channels(shape[1]) && !is_channels(shape[3]))) {
    return MakeError(form.wrong_shape, absl::StrCat("holds images, and the input is ", quant::ToString(shape),
                                                    ", which is no image of 1 or 3 channels"));
  }
  const bool first = is_channels(shape[1]);
  return std::make_unique<ImageSamples>(std::move(paths), form.resize, !first, shape[first ? 1 : 3],
                                        shape[first ? 2 : 1], shape[first ? 3 : 2]);
}

}  // namespace

absl::StatusOr<bool> IsImage(StoredBytes& file) {
  uint8_t start[3] = {};
  if (file.size() < sizeof start) return false;
  RETURN_IF_ERROR(file.Read(0, start));
  const bool is_png = start[0] == 0x89 && start[1] == 'P' && start[2] == 'N';
  return is_png || (start[0] == 0xff && start[1] == 0xd8 && start[2] == 0xff);
}

absl::StatusOr<std::unique_ptr<Samples>> OpenImages(const std::string& folder, const SampleForm& form) {
  std::vector<std::string> paths;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (!HasImageName(entry->path()) || entry->is_directory(error)) continue;
    if (paths.size() == kMaxImages)
      return ReadError(label::file_open, folder, "it is a folder of too many images");
    paths.push_back(entry->path().string());
  }
  if (error) return ReadError(label::file_open, folder, error.message());
  if (paths.empty())
    return ReadError(label::file_open, folder, "it is a folder without .png, .jpg or .jpeg files");
  std::ranges::sort(paths);
  return ImagesOf(std::move(paths), form);
}

absl::StatusOr<std::unique_ptr<Samples>> OpenImage(const std::string& path, const SampleForm& form) {
  return ImagesOf({path}, form);
}

}  // namespace tally::cli
