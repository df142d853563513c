#include "cli/samples/image.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "cli/samples/testing/encode_image.h"

namespace tally::cli {
namespace {

using Bytes = std::vector<uint8_t>;

std::string LabelOf(const Bytes& file) { return ErrorLabel(DecodeImage(file).status()); }

// Smooth, so that JPEG keeps it.
Bytes Ramp(int width, int height, int channels) {
  Bytes samples;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < channels; ++c) samples.push_back(static_cast<uint8_t>(5 * x + 3 * y + 40 * c));
    }
  }
  return samples;
}

TEST(DecodeImage, PngsHaveTheSamplesOfTheFile) {
  const Bytes rgb = Ramp(5, 3, 3), gray = Ramp(5, 3, 1);
  const auto colors = DecodeImage(Png(PNG_FORMAT_RGB, 5, 3, rgb.data()));
  ASSERT_TRUE(colors.ok()) << colors.status();
  EXPECT_EQ(colors->width, 5);
  EXPECT_EQ(colors->height, 3);
  EXPECT_EQ(colors->channels, 3);
  EXPECT_EQ(colors->samples, rgb);
  const auto grays = DecodeImage(Png(PNG_FORMAT_GRAY, 5, 3, gray.data()));
  ASSERT_TRUE(grays.ok()) << grays.status();
  EXPECT_EQ(grays->channels, 1);
  EXPECT_EQ(grays->samples, gray);
}

TEST(DecodeImage, PngsLoseTransparencyPalettesAndLowBits) {
  const Bytes rgba = {10, 20, 30, 0, 40, 50, 60, 255};
  EXPECT_EQ(DecodeImage(Png(PNG_FORMAT_RGBA, 2, 1, rgba.data()))->samples, (Bytes{10, 20, 30, 40, 50, 60}));
  const Bytes palette = {1, 2, 3, 7, 8, 9}, places = {1, 0, 1};
  const auto expanded = DecodeImage(Png(PNG_FORMAT_RGB_COLORMAP, 3, 1, places.data(), palette.data()));
  EXPECT_EQ(expanded->samples, (Bytes{7, 8, 9, 1, 2, 3, 7, 8, 9}));
  const uint16_t linear[] = {0, 65535};
  const auto scaled = DecodeImage(Png(PNG_FORMAT_LINEAR_Y, 2, 1, linear));
  EXPECT_EQ(scaled->samples, (Bytes{0, 255}));
}

TEST(DecodeImage, JpegsAreDecoded) {
  for (const bool progressive : {false, true}) {
    const Bytes rgb = Ramp(16, 9, 3), gray = Ramp(16, 9, 1);
    const auto colors = DecodeImage(Jpeg(JCS_RGB, 3, 16, 9, rgb, progressive));
    ASSERT_TRUE(colors.ok()) << colors.status();
    EXPECT_EQ(colors->width, 16);
    EXPECT_EQ(colors->height, 9);
    ASSERT_EQ(colors->samples.size(), rgb.size());
    for (size_t i = 0; i < rgb.size(); ++i) EXPECT_NEAR(colors->samples[i], rgb[i], 6) << i;
    const auto grays = DecodeImage(Jpeg(JCS_GRAYSCALE, 1, 16, 9, gray, progressive));
    ASSERT_TRUE(grays.ok()) << grays.status();
    EXPECT_EQ(grays->channels, 1);
    for (size_t i = 0; i < gray.size(); ++i) EXPECT_NEAR(grays->samples[i], gray[i], 3) << i;
  }
}

TEST(DecodeImage, ImageFormat_WhatIsNoneOrDamaged) {
  EXPECT_EQ(LabelOf({}), "image_format");
  EXPECT_EQ(LabelOf({'G', 'I', 'F', '8', '9', 'a'}), "image_format");
  EXPECT_EQ(LabelOf(Jpeg(JCS_CMYK, 4, 8, 8, Bytes(256, 7))), "image_format");
  const Bytes png = Png(PNG_FORMAT_RGB, 5, 3, Ramp(5, 3, 3).data());
  for (size_t size = 0; size < png.size(); ++size)
    EXPECT_EQ(LabelOf({png.begin(), png.begin() + static_cast<ptrdiff_t>(size)}), "image_format") << size;
  for (const bool progressive : {false, true}) {
    const Bytes jpeg = Jpeg(JCS_RGB, 3, 16, 9, Ramp(16, 9, 3), progressive);
    for (size_t size = 0; size + 2 < jpeg.size(); ++size)  // the last two bytes say that it ends
      EXPECT_EQ(LabelOf({jpeg.begin(), jpeg.begin() + static_cast<ptrdiff_t>(size)}), "image_format") << size;
  }
}

// Under a sanitizer this looks for what reads or writes beyond an end.
TEST(DecodeImage, DamagedBytesLeadToAnImageOrARefusal) {
  for (const Bytes& file :
       {Png(PNG_FORMAT_RGB, 5, 3, Ramp(5, 3, 3).data()), Jpeg(JCS_RGB, 3, 16, 9, Ramp(16, 9, 3)),
        Jpeg(JCS_RGB, 3, 16, 9, Ramp(16, 9, 3), /*progressive=*/true)}) {
    for (size_t i = 0; i < file.size(); ++i) {
      for (const uint8_t change : {0x01, 0x80, 0xff}) {
        Bytes damaged = file;
        damaged[i] ^= change;
        const auto image = DecodeImage(damaged);
        if (image.ok()) {
          EXPECT_EQ(image->samples.size(),
                    static_cast<size_t>(image->width * image->height * image->channels));
        } else {
          EXPECT_TRUE(ErrorLabel(image.status()).starts_with("image_")) << image.status();
        }
      }
    }
  }
}

// The CRC that a PNG's chunks end with.
uint32_t Crc(const uint8_t* bytes, size_t size) {
  uint32_t crc = ~0u;
  for (size_t i = 0; i < size; ++i) {
    crc ^= bytes[i];
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
  }
  return ~crc;
}

TEST(DecodeImage, ImageSize_IsRefusedBeforeItsPixels) {
  Bytes png = Png(PNG_FORMAT_GRAY, 1, 1, "x");
  png[18] = png[22] = 0xea;  // 59,905 x 59,905: the width is in bytes 16 to 19, the height after it
  const uint32_t crc = Crc(png.data() + 12, 17);
  for (int i = 0; i < 4; ++i) png[29 + static_cast<size_t>(i)] = static_cast<uint8_t>(crc >> (24 - 8 * i));
  EXPECT_EQ(LabelOf(png), "image_size");
}

TEST(WithChannels, TurnsGrayIntoRgbAndBack) {
  const Image gray = {2, 1, 1, {3, 200}};
  EXPECT_EQ(WithChannels(gray, 1).samples, (Bytes{3, 200}));
  EXPECT_EQ(WithChannels(gray, 3).samples, (Bytes{3, 3, 3, 200, 200, 200}));
  const Image rgb = {4, 1, 3, {255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 9, 9}};
  EXPECT_EQ(WithChannels(rgb, 1).samples, (Bytes{76, 150, 29, 9}));  // 0.299, 0.587, 0.114
}

Bytes Row(Bytes samples, int64_t side, int64_t width) {
  const Image row = {static_cast<int64_t>(samples.size()), 1, 1, std::move(samples)};
  return FitImage(row, {ImageFit::kShorter, side}, side, width)->samples;
}

TEST(FitImage, IsATriangleFilterThatWidens) {
  // 2 -> 4: a quarter and three quarters of neighbours. The other axis goes from 1 to 2, which repeats.
  EXPECT_EQ(Row({0, 100}, 2, 4), (Bytes{0, 25, 75, 100, 0, 25, 75, 100}));
  // 4 x 4 -> 2 x 2 of equal columns: weights 3, 3, 1 of 7.
  const Image columns = {4, 4, 1, {0, 0, 70, 70, 0, 0, 70, 70, 0, 0, 70, 70, 0, 0, 70, 70}};
  EXPECT_EQ(FitImage(columns, {ImageFit::kShorter, 2}, 2, 2)->samples, (Bytes{10, 60, 10, 60}));
  const Image rows = {4, 4, 1, {0, 0, 0, 0, 0, 0, 0, 0, 70, 70, 70, 70, 70, 70, 70, 70}};
  EXPECT_EQ(FitImage(rows, {ImageFit::kShorter, 2}, 2, 2)->samples, (Bytes{10, 10, 60, 60}));
  // 2 x 2 -> 1 x 1: halves are rounded up.
  EXPECT_EQ(
      FitImage({2, 2, 3, {0, 0, 7, 255, 1, 7, 0, 0, 7, 255, 1, 7}}, {ImageFit::kShorter, 1}, 1, 1)->samples,
      (Bytes{128, 1, 7}));
}

TEST(FitImage, KeepsTheProportionAndTheMiddle) {
  // 6 x 2 of which the middle 3: margins of 1.5 are 2, ties to even.
  EXPECT_EQ(
      FitImage({6, 2, 1, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}}, {ImageFit::kShorter, 2}, 2, 3)->samples,
      (Bytes{2, 3, 4, 8, 9, 10}));
  EXPECT_EQ(FitImage({2, 3, 1, {0, 1, 2, 3, 4, 5}}, {ImageFit::kShorter, 2}, 2, 2)->samples,
            (Bytes{0, 1, 2, 3}));  // 0.5 is 0
  EXPECT_EQ(FitImage({2, 1, 1, {4, 5}}, {}, 1, 2)->samples, (Bytes{4, 5}));
}

TEST(FitImage, ImageSize_DoesNotFit) {
  const Image image = {2, 1, 1, {4, 5}};
  EXPECT_EQ(ErrorLabel(FitImage(image, {}, 1, 1).status()), "image_size");
  EXPECT_EQ(ErrorLabel(FitImage(image, {ImageFit::kShorter, 1}, 2, 2).status()), "image_size");
  const Image strip = {60000, 1, 1, Bytes(60000)};
  EXPECT_EQ(ErrorLabel(FitImage(strip, {ImageFit::kShorter, 2}, 1, 1).status()),
            "image_size");  // 120,000 x 2
}

TEST(FitImage, CoversStretchesOrPads) {
  const Image wide = {4, 2, 1, {0, 1, 2, 3, 4, 5, 6, 7}};
  EXPECT_EQ(FitImage(wide, {ImageFit::kCover}, 2, 2)->samples, (Bytes{1, 2, 5, 6}));
  EXPECT_EQ(FitImage(wide, {ImageFit::kPad}, 4, 4)->samples,
            (Bytes{114, 114, 114, 114, 0, 1, 2, 3, 4, 5, 6, 7, 114, 114, 114, 114}));
  EXPECT_EQ(FitImage({1, 2, 1, {3, 5}}, {ImageFit::kPad}, 2, 4)->samples,
            (Bytes{114, 3, 114, 114, 114, 5, 114, 114}));
  EXPECT_EQ(FitImage({1, 2, 1, {3, 5}}, {ImageFit::kStretch}, 2, 3)->samples, (Bytes{3, 3, 3, 5, 5, 5}));
  EXPECT_EQ(FitImage({1, 1, 3, {3, 5, 7}}, {ImageFit::kCover}, 1, 2)->samples,
            (Bytes{3, 5, 7, 3, 5, 7}));  // enlarged
  for (const auto kind : {ImageFit::kCover, ImageFit::kStretch, ImageFit::kPad}) {
    for (int64_t width = 1; width < 40; ++width) {
      const auto image = FitImage({width, 7, 1, Bytes(static_cast<size_t>(7 * width), 9)}, {kind}, 13, 11);
      ASSERT_TRUE(image.ok()) << width;
      EXPECT_EQ(image->samples.size(), 13u * 11u) << width;
    }
    // A strip, of which one side would become longer than an image may be.
    const auto strip = FitImage({60000, 1, 1, Bytes(60000)}, {kind}, 8, 8);
    EXPECT_EQ(ErrorLabel(strip.status()), kind == ImageFit::kCover ? "image_size" : "") << kind;
  }
}

}  // namespace
}  // namespace tally::cli
