// Images as files, by the libraries that read them, for tests.
//
//   DecodeImage(Png(PNG_FORMAT_RGB, 5, 3, samples.data()));
#pragma once

// jpeglib.h expects what cstdio brings.
// clang-format off
#include <cstdio>
#include <jpeglib.h>
// clang-format on
#include <png.h>

#include <cstdint>
#include <vector>

namespace tally::cli {

// A PNG of samples in one of libpng's formats.
std::vector<uint8_t> Png(uint32_t format, int64_t width, int64_t height, const void* samples,
                         const void* colors = nullptr);

// samples [height, width, components].
std::vector<uint8_t> Jpeg(J_COLOR_SPACE space, int components, int width, int height,
                          const std::vector<uint8_t>& samples, bool progressive = false);

}  // namespace tally::cli
