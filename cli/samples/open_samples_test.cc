#include "cli/samples/open_samples.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/npy.h"

namespace tally::cli {
namespace {

using Integers = std::vector<int64_t>;
using Floats = std::vector<float>;

// A fresh folder.
std::string Folder() {
  static int number = 0;
  const std::string folder = testing::TempDir() + "open_samples_" + std::to_string(number++);
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  return folder;
}

std::string Write(const std::vector<uint8_t>& bytes, const std::string& path) {
  EXPECT_TRUE(WriteFileAtomically(path, bytes).ok());
  return path;
}

std::string WriteFloats(const quant::Shape& shape, const Floats& elements) {
  NpyArray array = {NpyType::kFloat32, shape, std::vector<uint8_t>(elements.size() * sizeof(float))};
  std::memcpy(array.bytes.data(), elements.data(), array.bytes.size());
  return Write(*EncodeNpy(array), Folder() + "/x.npy");
}

// A PNG of one gray pixel, 0x78.
const std::vector<uint8_t> kGray = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00,
    0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00, 0x00, 0x00, 0x00, 0x3a, 0x7e, 0x9b, 0x55, 0x00,
    0x00, 0x00, 0x0a, 0x49, 0x44, 0x41, 0x54, 0x78, 0xda, 0x63, 0xa8, 0x00, 0x00, 0x00, 0x7a, 0x00, 0x79,
    0x1e, 0xe9, 0xcf, 0xf6, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};

TEST(OpenSamples, ArraysHoldSamplesAlongTheirFirstDimension) {
  const Floats six = {0, 1, 2, 3, 4, 5};
  for (const quant::Shape& array : {quant::Shape{3, 2}, quant::Shape{3, 1, 2}}) {
    const auto samples = OpenSamples(WriteFloats(array, six), {.shape = {1, 2}});
    ASSERT_TRUE(samples.ok()) << samples.status();
    EXPECT_EQ((*samples)->count(), 3);
    EXPECT_EQ(std::get<Floats>(*(*samples)->Read(2)), (Floats{4, 5}));
    EXPECT_EQ(std::get<Floats>(*(*samples)->Read(0)), (Floats{0, 1}));
  }
  EXPECT_EQ((*OpenSamples(WriteFloats({3, 2}, six), {.shape = {3, 2}}))->count(), 1);
  EXPECT_EQ((*OpenSamples(WriteFloats({1, 3, 2}, six), {.shape = {3, 2}}))->count(), 1);
  EXPECT_EQ((*OpenSamples(WriteFloats({3, 2}, six), {.shape = {1, 3, 2}}))->count(), 1);
  EXPECT_EQ((*OpenSamples(WriteFloats({6}, six), {.shape = {}}))->count(), 6);
}

// Engines refuse inputs of another shape, and so does what runs them: [1, 3, 2] is no [3, 2].
TEST(OpenSamples, OneArrayHasTheShapeOfItsInputWhereThatIsWanted) {
  const Floats six = {0, 1, 2, 3, 4, 5};
  const auto count = [&](const quant::Shape& array, const quant::Shape& shape) -> int64_t {
    const auto samples = OpenSamples(WriteFloats(array, six), {.shape = shape, .one_has_its_shape = true});
    return samples.ok() ? (*samples)->count() : 0;
  };
  EXPECT_EQ(count({3, 2}, {3, 2}), 1);
  EXPECT_EQ(count({3, 2}, {2}), 3);
  EXPECT_EQ(count({3, 2}, {1, 2}), 3);
  EXPECT_EQ(count({1, 3, 2}, {3, 2}), 0);
  EXPECT_EQ(count({3, 2}, {1, 3, 2}), 0);
  EXPECT_EQ(count({1, 6}, {6}), 0);
}

TEST(OpenSamples, IntegersOfEveryWidthAreThemselves) {
  const auto read = [](NpyType type, std::vector<uint8_t> bytes) {
    const std::string path = Write(*EncodeNpy({type, {2}, std::move(bytes)}), Folder() + "/x.npy");
    return std::get<Integers>(*(*OpenSamples(path, {.shape = {2}}))->Read(0));
  };
  EXPECT_EQ(read(NpyType::kUint8, {1, 255}), (Integers{1, 255}));
  EXPECT_EQ(read(NpyType::kInt8, {1, 255}), (Integers{1, -1}));
  EXPECT_EQ(read(NpyType::kInt16, {1, 1, 255, 255}), (Integers{257, -1}));
  EXPECT_EQ(read(NpyType::kInt32, {1, 0, 1, 0, 254, 255, 255, 255}), (Integers{65537, -2}));
  EXPECT_EQ(read(NpyType::kInt64, {0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 128}),
            (Integers{int64_t{1} << 32, std::numeric_limits<int64_t>::min() + 1}));
}

TEST(OpenSamples, ChannelsLastIsTransposed) {
  const Floats x = {0, 1, 2, 10, 11, 12};  // 1 x 2 pixels of 3 channels
  const auto samples =
      OpenSamples(WriteFloats({1, 1, 2, 3}, x), {.shape = {1, 3, 1, 2}, .channels_last = true});
  ASSERT_TRUE(samples.ok()) << samples.status();
  EXPECT_EQ(std::get<Floats>(*(*samples)->Read(0)), (Floats{0, 10, 1, 11, 2, 12}));
}

TEST(OpenSamples, SamplesShape_SaysWhichLayoutItIs) {
  const auto refusal = [](const quant::Shape& array, const SampleForm& form) {
    const auto samples =
        OpenSamples(WriteFloats(array, Floats(static_cast<size_t>(quant::NumElements(array)))), form);
    return ErrorLabel(samples.status()) + " " + std::string(samples.status().message());
  };
  EXPECT_NE(refusal({5, 4, 4, 3}, {.shape = {1, 3, 4, 4}}).find("--layout nhwc reads it"), std::string::npos);
  EXPECT_NE(
      refusal({5, 3, 4, 4}, {.shape = {1, 3, 4, 4}, .channels_last = true}).find("without --layout nhwc"),
      std::string::npos);
  EXPECT_TRUE(refusal({5, 48}, {.shape = {1, 3, 4, 4}}).starts_with("samples_shape '"));
  EXPECT_TRUE(refusal({2, 3}, {.shape = {3, 2}}).starts_with("samples_shape '"));
  EXPECT_TRUE(refusal({2, 3}, {.shape = {1, 3}, .channels_last = true}).starts_with("samples_shape '"));
  EXPECT_TRUE(
      refusal({2}, {.shape = {3}, .wrong_shape = label::samples_range}).starts_with("samples_range '"));
}

TEST(OpenSamples, FoldersHoldImagesInTheOrderOfTheirNames) {
  const std::string folder = Folder();
  Write(kGray, folder + "/b.png");
  Write(kGray, folder + "/a.JPEG");  // the bytes say what it is
  Write({'x'}, folder + "/notes.txt");
  std::filesystem::create_directory(folder + "/c.png");
  const auto samples = OpenSamples(folder, {.shape = {1, 1, 1, 1}});
  ASSERT_TRUE(samples.ok()) << samples.status();
  EXPECT_EQ((*samples)->count(), 2);
  EXPECT_EQ(std::get<Integers>(*(*samples)->Read(1)), (Integers{0x78}));
  const auto first = OpenSamples(folder, {.shape = {1, 3, 2, 2}, .resize = 2});
  EXPECT_EQ(std::get<Integers>(*(*first)->Read(0)), Integers(12, 0x78));
  const auto last = OpenSamples(folder + "/b.png", {.shape = {1, 2, 2, 3}, .resize = 2});
  EXPECT_EQ(std::get<Integers>(*(*last)->Read(0)), Integers(12, 0x78));
}

TEST(OpenSamples, RefusalsOfImagesNameTheFile) {
  const std::string folder = Folder();
  EXPECT_EQ(ErrorLabel(OpenSamples(folder, {.shape = {1, 1, 1, 1}}).status()), "file_open");
  Write({'n', 'o'}, folder + "/bad.png");
  const auto bad = (*OpenSamples(folder, {.shape = {1, 1, 1, 1}}))->Read(0);
  EXPECT_EQ(ErrorLabel(bad.status()), "image_format");
  EXPECT_NE(bad.status().message().find("bad.png"), std::string::npos);
  EXPECT_EQ(ErrorLabel(OpenSamples(folder, {.shape = {1, 5}}).status()), "samples_shape");
  EXPECT_EQ(ErrorLabel(OpenSamples(folder, {.shape = {2, 3, 4, 4}}).status()), "samples_shape");
}

}  // namespace
}  // namespace tally::cli
