// Options of several commands that concern the inputs of networks and modules.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tally::cli {

// What the integers stand for that a module of a network takes: each [NAME=]..., of an input
// (cli/input_grid.h).
struct ServedInputOptions {
  std::vector<std::string> grids;        // SCALE,ZERO,LO,HI
  std::vector<std::string> means, stds;  // A,B,C
};

// Samples of the inputs.
struct SampleOptions {
  std::vector<std::string> files;  // [NAME=]PATH, as cli/samples/open_samples.h reads it
  std::string layout = "nchw";     // or nhwc: how arrays of images are
  int64_t resize = 0;              // images, so that their shorter side has as many pixels; 0 leaves them
  std::string fit = {};            // or cover, stretch or pad: images to the size of the input
  std::string channels = {};       // rgb or bgr, of images; empty: as the model's file says, else rgb
  int rate = 0;                    // frames in a second of recordings; 0: those of the file
  int64_t hop = 0;                 // new frames in each window of a recording; 0: all
  float full_scale = 1;            // what their loudest frame becomes
  // Results that are inputs of the next sample: RESULT=INPUT each. Such an input has one sample, the first
  // state, or none, where it begins with zeros.
  std::vector<std::string> loops = {};
  int64_t loop_length = 0;  // samples of a sequence, after which states begin anew; 0: all are one sequence
};

}  // namespace tally::cli
