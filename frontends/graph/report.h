// The outcome for each layer of a model file: what `tally check` shows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "frontends/graph/interface.h"

namespace tally::frontend {

// Import result of one layer.
struct LayerReport {
  enum Fate {
    kImported,
    kRefused,
    kUnavailable,  // its kind is imported, but what it reads comes from a layer that was refused
  };

  std::string source;  // "layer 12 'conv1' (Convolution)"
  std::string kind;    // as the file calls it: "Convolution"
  Fate fate = kImported;
  absl::Status why = {};  // why it is refused
};

// An input as the file declares it: what may have to be said of it.
struct DeclaredInput {
  std::string name;
  DeclaredShape shape;
  bool is_integer = false;
  bool is_flag = false;  // it holds booleans
};

struct ModelReport {
  std::string format;                        // and its version
  std::vector<DeclaredInput> declared = {};  // those that have no fixed values
  std::vector<std::string> inputs = {};      // "image float32[1, 3, 224, 224]"
  std::vector<std::string> outputs = {};     // the same of those that are known
  std::vector<LayerReport> layers = {};      // in the order of the file
  int64_t weights = 0, weight_elements = 0;  // constants of the file
  std::vector<absl::Status> others = {};     // other refusals: constants, inputs, outputs
  std::vector<std::string> notes = {};       // choices that the file leaves open, and how they were made

  bool imports() const {
    return others.empty() && std::ranges::all_of(layers, [](const LayerReport& layer) {
             return layer.fate == LayerReport::kImported;
           });
  }
};

}  // namespace tally::frontend
