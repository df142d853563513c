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
  std::vector<std::string> files;  // [NAME=]PATH of .npy, .npz, an image or a folder of images
  std::string layout = "nchw";     // or nhwc: how arrays of images are
  int64_t resize = 0;              // images, so that their shorter side has as many pixels; 0 leaves them
};

}  // namespace tally::cli
