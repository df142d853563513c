// The samples of one input, from whatever file or folder they are in, read one at a time.
//
//   ASSIGN_OR_RETURN(const auto samples, OpenSamples("images.npy", {.name = "image", .shape = {1, 3, 224, 224}}));
//   for (int64_t i = 0; i < samples->count(); ++i) {
//     ASSIGN_OR_RETURN(const SampleElements elements, samples->Read(i));
//
// An .npy file holds samples along its first dimension, or one of the shape of the input; a dimension of 1
// that the shape begins with may be left out. An .npz file has such an array of the input's name, or one
// alone. JSON lines are a sample each (json_samples.h). A PNG or JPEG image is a sample, and a recording is
// cut into windows (sound_samples.h); a folder has images or recordings, in the order of their names, or
// folders of them, one for each class.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "base/error.h"
#include "cli/labels.h"
#include "cli/samples/image.h"
#include "quant/tensor/tensor.h"

namespace tally::cli {

// In row-major order of the shape. Reals, or integers that stand for something: pixels above all.
using SampleElements = std::variant<std::vector<float>, std::vector<int64_t>>;

struct SoundForm {
  int rate = 0;          // frames in a second that the network takes; 0: those of the file
  int64_t hop = 0;       // frames from the end of one window to that of the next; 0: the length of a window
  float full_scale = 1;  // the value of the loudest frame
};

struct SampleForm {
  std::string name = {};       // the input's
  quant::Shape shape;          // one sample's
  bool channels_last = false;  // arrays are [N, H, W, C] where the shape is [N, C, H, W]
  ImageFit fit = {};
  bool is_bgr = false;  // images have blue first
  // A single array of integers has just `shape`, and several are at least two: what a module is served is
  // what an engine takes, and is refused as an engine refuses it.
  bool integers_are_exact = false;
  SoundForm sound = {};
  Label wrong_shape = label::samples_shape;  // the label of that refusal
};

class Samples {
 public:
  virtual ~Samples() = default;
  virtual int64_t count() const = 0;  // at least 1
  // The path of the file that it alone, or with others, is in; empty for arrays and lines.
  virtual std::string file(int64_t sample) const;
  // Errors: file_*, npz_format, image_format, image_size, sound_format, json_lines, the form's wrong_shape.
  virtual absl::StatusOr<SampleElements> Read(int64_t sample) = 0;
};

bool IsFolder(const std::string& path);

// Errors: file_*, npy_*, npz_format, image_format, sound_format, json_lines, the form's wrong_shape;
// file_open too for a folder that has neither images nor recordings, or both.
absl::StatusOr<std::unique_ptr<Samples>> OpenSamples(const std::string& path, const SampleForm& form);

// `options`, each [NAME=]PATH, with NAME=PATH for each of its arrays in the place of an .npz file or of
// JSON lines that have no name and are for several inputs. Errors: file_*, npz_format, json_lines.
absl::StatusOr<std::vector<std::string>> WithArrayNames(const std::vector<std::string>& options,
                                                        size_t inputs);

}  // namespace tally::cli
