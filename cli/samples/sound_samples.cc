#include "cli/samples/sound_samples.h"

#include <samplerate.h>
#include <sndfile.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "base/io/path.h"
#include "base/status_macros.h"
#include "base/strings.h"

namespace tally::cli {
namespace {

constexpr int64_t kMostFrames = int64_t{1} << 28;  // in one recording, before and after it is resampled
constexpr int kMostChannels = 64;

struct CloseSound {
  void operator()(SNDFILE* file) const { sf_close(file); }
};
using SoundFile = std::unique_ptr<SNDFILE, CloseSound>;

absl::Status Refusal(const std::string& path, std::string_view why) {
  return MakeError(label::sound_format, absl::StrCat("'", path, "': ", ToAbsl(why)));
}

struct OpenedSound {
  SoundFile file;
  int64_t frames = 0;
  int channels = 1, rate = 0;
};

absl::StatusOr<OpenedSound> OpenSound(const std::string& path) {
  SF_INFO info = {};
  const std::string file_path = path == "-" ? "./-" : path;  // which would be standard input
  SoundFile file(sf_open(file_path.c_str(), SFM_READ, &info));
  if (file == nullptr) return Refusal(path, sf_strerror(nullptr));
  if (info.frames < 1 || info.frames > kMostFrames)
    return Refusal(path, absl::StrCat("it has ", info.frames, " frames; 1 to 2^28 are read"));
  if (info.channels < 1 || info.channels > kMostChannels)
    return Refusal(path, absl::StrCat("it has ", info.channels, " channels; 1 to 64 are read"));
  return OpenedSound{std::move(file), info.frames, info.channels, info.samplerate};
}

// All frames, their channels averaged. A file may end before the number of frames that its header says.
absl::StatusOr<std::vector<float>> ReadMono(const std::string& path) {
  constexpr int64_t kPiece = 4096;
  ASSIGN_OR_RETURN(const OpenedSound sound, OpenSound(path));
  std::vector<float> piece(static_cast<size_t>(kPiece * sound.channels));
  std::vector<float> mono;
  for (int64_t left = sound.frames; left > 0;) {
    const sf_count_t got = sf_readf_float(sound.file.get(), piece.data(), std::min(left, kPiece));
    if (got < 1) break;
    for (sf_count_t frame = 0; frame < got; ++frame) {
      float sum = 0;
      for (int c = 0; c < sound.channels; ++c) sum += piece[static_cast<size_t>(frame * sound.channels + c)];
      mono.push_back(sum / static_cast<float>(sound.channels));
    }
    left -= got;
  }
  if (!std::ranges::all_of(mono, [](float x) { return std::isfinite(x); }))
    return Refusal(path, "it holds NaN or an infinity");
  mono.resize(static_cast<size_t>(sound.frames));
  return mono;
}

int64_t FramesAt(int64_t frames, int from, int to) {
  return std::max<int64_t>(1, static_cast<int64_t>(static_cast<double>(frames) * to / from));
}

absl::StatusOr<std::vector<float>> Resampled(const std::string& path, std::vector<float> sound, int from,
                                             int to) {
  if (from == to) return sound;
  std::vector<float> result(static_cast<size_t>(FramesAt(std::ssize(sound), from, to)));
  SRC_DATA data = {};
  data.data_in = sound.data();
  data.data_out = result.data();
  data.input_frames = std::ssize(sound);
  data.output_frames = std::ssize(result);
  data.src_ratio = static_cast<double>(to) / from;
  if (const int error = src_simple(&data, SRC_SINC_MEDIUM_QUALITY, 1))
    return Refusal(path, src_strerror(error));
  return result;
}

struct Recording {
  std::string path;
  int rate = 0;
  int64_t windows = 0;
};

class SoundSamples : public Samples {
 public:
  SoundSamples(std::vector<Recording> recordings, const SampleForm& form, int64_t length)
      : recordings_(std::move(recordings)),
        rate_(form.sound.rate),
        hop_(form.sound.hop > 0 ? form.sound.hop : length),
        full_scale_(form.sound.full_scale),
        length_(length) {
    for (const Recording& recording : recordings_) count_ += recording.windows;
  }

  int64_t count() const override { return count_; }

  std::string file(int64_t sample) const override { return recordings_[RecordingOf(sample)].path; }

  absl::StatusOr<SampleElements> Read(int64_t sample) override {
    const size_t number = RecordingOf(sample);
    if (number != loaded_) {
      const Recording& recording = recordings_[number];
      ASSIGN_OR_RETURN(sound_, ReadMono(recording.path));
      if (rate_ > 0) {
        ASSIGN_OR_RETURN(sound_, Resampled(recording.path, std::move(sound_), recording.rate, rate_));
      }
      loaded_ = number;
    }
    std::vector<float> window(static_cast<size_t>(length_));
    const int64_t first = (sample + 1) * hop_ - length_;
    for (int64_t i = std::max<int64_t>(0, -first); i < length_ && first + i < std::ssize(sound_); ++i)
      window[static_cast<size_t>(i)] = full_scale_ * sound_[static_cast<size_t>(first + i)];
    return window;
  }

 private:
  // The recording of a window, whose number within it becomes `sample`.
  size_t RecordingOf(int64_t& sample) const {
    size_t number = 0;
    for (; sample >= recordings_[number].windows; ++number) sample -= recordings_[number].windows;
    return number;
  }

  std::vector<Recording> recordings_;
  int rate_;
  int64_t hop_;
  float full_scale_;
  int64_t length_, count_ = 0;
  size_t loaded_ = static_cast<size_t>(-1);  // the recording in sound_
  std::vector<float> sound_;
};

}  // namespace

absl::StatusOr<bool> IsSound(StoredBytes& file) {
  uint8_t start[4] = {};
  if (file.size() < sizeof start) return false;
  RETURN_IF_ERROR(file.Read(0, start));
  constexpr const char* kMagics[] = {"RIFF", "RIFX", "RF64", "fLaC", "OggS", "FORM"};
  return std::ranges::any_of(kMagics, [&](const char* magic) { return std::memcmp(start, magic, 4) == 0; });
}

bool HasSoundName(const std::string& path) {
  constexpr const char* kExtensions[] = {".wav", ".flac", ".ogg", ".aiff"};
  const std::string extension = absl::AsciiStrToLower(PathOf(path).extension().string());
  return std::ranges::find(kExtensions, extension) != std::end(kExtensions);
}

absl::StatusOr<std::unique_ptr<Samples>> OpenSounds(std::vector<std::string> paths, const SampleForm& form) {
  const int64_t length = quant::NumElements(form.shape);
  if (std::ranges::count_if(form.shape, [](int64_t dim) { return dim > 1; }) > 1) {
    return MakeError(form.wrong_shape,
                     absl::StrCat("holds sound, and the input is ", quant::ToString(form.shape),
                                  ": more than one of its dimensions is above 1"));
  }
  const int64_t hop = form.sound.hop > 0 ? form.sound.hop : length;
  std::vector<Recording> recordings;
  int rate = 0;
  for (std::string& path : paths) {
    ASSIGN_OR_RETURN(const OpenedSound sound, OpenSound(path));
    if (rate == 0) rate = sound.rate;
    if (form.sound.rate == 0 && sound.rate != rate) {
      return MakeError(label::option_syntax,
                       absl::StrCat("'", path, "' has ", sound.rate, " frames in a second, and others have ",
                                    rate, ": --rate says what the network takes"));
    }
    const int64_t frames =
        form.sound.rate > 0 ? FramesAt(sound.frames, sound.rate, form.sound.rate) : sound.frames;
    if (frames > kMostFrames) return Refusal(path, "it has more than 2^28 frames at the rate of --rate");
    recordings.push_back({std::move(path), sound.rate, std::max<int64_t>(1, frames / hop)});
  }
  return std::make_unique<SoundSamples>(std::move(recordings), form, length);
}

}  // namespace tally::cli
