// A model file of another framework, and what the command line adds to it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/input_options.h"

namespace tally::cli {

struct NetworkFile {
  std::string path;                     // in a format that frontends/formats.h knows
  int64_t batch = 1;                    // the first dimension of its inputs, where it is open
  std::vector<std::string> shapes;      // NAME=1,3,224,224, of inputs with other open dimensions
  std::vector<std::string> dims = {};   // NAME=SIZE, of open dimensions by the names that a file of ONNX has
  std::vector<std::string> fixed = {};  // NAME=VALUE,..., of inputs that are constants
  std::string dialect = {};             // "nhwc", where a file of ONNX has it
  std::string weights = {};             // the file of weights, where the format has one and it is not beside
  std::vector<std::string> without_passes = {};  // for quant/passes, for commands that quantize
};

// The right labels of samples.
struct LabelOptions {
  // A .npy file, a .csv file or a folder (cli/networks/right_choices.h); empty: nothing is known.
  std::string labels;
  std::string names;  // a text file, whose lines name the elements of a row
};

}  // namespace tally::cli
