// How the inputs of a network are made of arrays, images and recordings. What `tally quantize` was told of
// it is kept beside the module (cli/notes.h), and is what other commands do where they are not told
// otherwise.
//
//   ForEachField([&](const char* name, auto member, const auto& allowed, const char* help) { ... });
//   const auto [preparation, text] = Prepared(options.preparation, notes.preparation);
//   preparation.resize;   // 256, of the notes
//   text;                 // "resize 256, as the module was quantized"
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "cli/input_options.h"
#include "cli/json_output.h"

namespace tally::cli {

// The values that a field may hold.
struct OneOf {
  std::initializer_list<const char*> words;
};
template <typename T>
struct Within {
  T least, most;
};

// Calls `visit` with the name, the member, what it may hold and what is said of it, for each field.
template <typename Visit>
void ForEachField(const Visit& visit) {
  visit("layout", &Preparation::layout, OneOf{{"nchw", "nhwc"}},
        "nchw (the default) or nhwc: how arrays of images are");
  visit("resize", &Preparation::resize, Within<int64_t>{1, 65535},
        "bring the shorter side of images to so many pixels by a triangle filter, and take the middle");
  visit("fit", &Preparation::fit, OneOf{{"cover", "stretch", "pad"}},
        "bring images to the size of the input: cover (take the middle), stretch, or pad (with gray)");
  visit("channels", &Preparation::channels, OneOf{{"rgb", "bgr"}},
        "of images: rgb or bgr (default: what the model's file says, else rgb)");
  visit("rate", &Preparation::rate, Within<int64_t>{1, 1000000},
        "frames in a second that the network takes: recordings are resampled");
  visit("hop", &Preparation::hop, Within<int64_t>{1, int64_t{1} << 28},
        "new frames in each window of a recording; by default as many as the input has elements");
  visit("full-scale", &Preparation::full_scale, Within<double>{1e-6, 1e9},
        "what the loudest frame of recordings becomes: 1 (the default), or 32768 for 16 bits");
}

// The fields that are said, by their names.
Json ToJson(const Preparation& preparation);

// Nothing where a field holds what it may not, or there is another field.
std::optional<Preparation> PreparationFromJson(const Json& json);

// `given`, and of what it does not say what was `kept`; resize and fit are one thing. The text names what
// was taken, and what was kept and is given otherwise; it is empty where nothing was kept.
std::pair<Preparation, std::string> Prepared(const Preparation& given, const Preparation& kept);
std::pair<ServedInputOptions, std::string> Prepared(const ServedInputOptions& given,
                                                    const ServedInputOptions& kept);

}  // namespace tally::cli
