// Options of several commands that concern the inputs of networks and modules.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tally::cli {

// The meaning of the integers that a module of a network takes: each [NAME=]..., of an input
// (cli/networks/input_grid.h).
struct ServedInputOptions {
  std::vector<std::string> grids;        // SCALE,ZERO,LO,HI
  std::vector<std::string> means, stds;  // A,B,C

  bool operator==(const ServedInputOptions&) const = default;
};

// How inputs are made of arrays, images and recordings (cli/preparation.h).
struct Preparation {                    // each is empty where it is not said
  std::optional<std::string> layout;    // nchw or nhwc: how arrays of images are
  std::optional<int64_t> resize;        // images, so that their shorter side has as many pixels
  std::optional<std::string> fit;       // cover, stretch or pad: images to the size of the input
  std::optional<std::string> channels;  // rgb or bgr, of images
  std::optional<int64_t> rate;          // frames in a second of recordings
  std::optional<int64_t> hop;           // new frames in each window of a recording
  std::optional<double> full_scale;     // the value of the loudest frame of recordings

  bool operator==(const Preparation&) const = default;
};

// Samples of the inputs.
struct SampleOptions {
  std::vector<std::string> files;  // [NAME=]PATH, as cli/samples/open_samples.h reads it
  Preparation preparation = {};
  // Results that are inputs of the next sample: RESULT=INPUT each. Such an input has one sample, the first
  // state, or none, where it begins with zeros.
  std::vector<std::string> loops = {};
  int64_t loop_length = 0;  // samples of a sequence, after which states begin anew; 0: all are one sequence
};

}  // namespace tally::cli
