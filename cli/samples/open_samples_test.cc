#include "cli/samples/open_samples.h"

#include <gtest/gtest.h>
#include <sndfile.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "base/io/file.h"
#include "base/io/npy.h"

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

// A PNG of one pixel of red 1, green 2, blue 3.
const std::vector<uint8_t> kColor = {0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d,
                                     0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01,
                                     0x08, 0x02, 0x00, 0x00, 0x00, 0x90, 0x77, 0x53, 0xde, 0x00, 0x00, 0x00,
                                     0x0c, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0x60, 0x64, 0x62, 0x06,
                                     0x00, 0x00, 0x0e, 0x00, 0x07, 0xd7, 0x6f, 0xe4, 0x78, 0x00, 0x00, 0x00,
                                     0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};

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

// Engines refuse integers of another shape, and so does what runs them: [1, 2] is no [2].
TEST(OpenSamples, OneArrayOfIntegersHasTheShapeOfItsInputWhereThatIsWanted) {
  const auto count = [](NpyType type, const quant::Shape& array, const quant::Shape& shape) -> int64_t {
    const auto bytes = static_cast<size_t>(quant::NumElements(array) * NpyTypeSize(type));
    const std::string path =
        Write(*EncodeNpy({type, array, std::vector<uint8_t>(bytes)}), Folder() + "/x.npy");
    const auto samples = OpenSamples(path, {.shape = shape, .integers_are_exact = true});
    return samples.ok() ? (*samples)->count() : 0;
  };
  for (const NpyType type : {NpyType::kInt8, NpyType::kFloat32}) {
    const int64_t one = type == NpyType::kFloat32 ? 1 : 0;
    EXPECT_EQ(count(type, {3, 2}, {3, 2}), 1);
    EXPECT_EQ(count(type, {3, 2}, {2}), 3);
    EXPECT_EQ(count(type, {3, 2}, {1, 2}), 3);
    EXPECT_EQ(count(type, {1, 3, 2}, {3, 2}), one);
    EXPECT_EQ(count(type, {3, 2}, {1, 3, 2}), one);
    EXPECT_EQ(count(type, {1, 6}, {6}), one);
  }
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
  EXPECT_EQ(read(NpyType::kUint32, {1, 0, 1, 0, 254, 255, 255, 255}), (Integers{65537, 4294967294}));
  EXPECT_EQ(read(NpyType::kUint64, {0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0}),
            (Integers{int64_t{1} << 32, 2}));
  EXPECT_EQ(read(NpyType::kInt64, {0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 128}),
            (Integers{int64_t{1} << 32, std::numeric_limits<int64_t>::min() + 1}));
}

TEST(OpenSamples, IntegersBeyond63BitsAreRefused) {
  const auto array = EncodeNpy({NpyType::kUint64, {1}, {0, 0, 0, 0, 0, 0, 0, 128}});
  const auto samples = OpenSamples(Write(*array, Folder() + "/x.npy"), {.shape = {1}});
  ASSERT_TRUE(samples.ok()) << samples.status();
  EXPECT_EQ(ErrorLabel((*samples)->Read(0).status()), "samples_range");
}

TEST(OpenSamples, FlagsAndWordsAreIntegersAndFloatsOfEveryWidthReals) {
  const auto read = [](NpyType type, std::vector<uint8_t> bytes) {
    const std::string path = Write(*EncodeNpy({type, {2}, std::move(bytes)}), Folder() + "/x.npy");
    return *(*OpenSamples(path, {.shape = {2}}))->Read(0);
  };
  EXPECT_EQ(std::get<Integers>(read(NpyType::kBool, {1, 0})), (Integers{1, 0}));
  EXPECT_EQ(std::get<Integers>(read(NpyType::kUint16, {1, 2, 255, 255})), (Integers{513, 65535}));
  EXPECT_EQ(std::get<Floats>(read(NpyType::kFloat16, {0, 0x3c, 0, 0xc5})), (Floats{1, -5}));
  EXPECT_EQ(
      std::get<Floats>(read(NpyType::kFloat64, {0, 0, 0, 0, 0, 0, 0xf8, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0xc0})),
      (Floats{1.5, -2}));
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
  const auto first = OpenSamples(folder, {.shape = {1, 3, 2, 2}, .fit = {ImageFit::kShorter, 2}});
  EXPECT_EQ(std::get<Integers>(*(*first)->Read(0)), Integers(12, 0x78));
  const auto last = OpenSamples(folder + "/b.png", {.shape = {1, 2, 2, 3}, .fit = {ImageFit::kShorter, 2}});
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

TEST(OpenSamples, ImagesMayHaveBlueFirst) {
  const auto samples =
      OpenSamples(Write(kColor, Folder() + "/c.png"), {.shape = {1, 3, 1, 1}, .is_bgr = true});
  EXPECT_EQ(std::get<Integers>(*(*samples)->Read(0)), (Integers{3, 2, 1}));
}

// A WAV file of 16 bits, whose frames are these.
std::string WriteSound(const std::string& path, int rate, int channels, const std::vector<int16_t>& frames) {
  SF_INFO info = {};
  info.samplerate = rate;
  info.channels = channels;
  info.format = SF_FORMAT_WAV | SF_FORMAT_PCM_16;
  SNDFILE* file = sf_open(path.c_str(), SFM_WRITE, &info);
  sf_writef_short(file, frames.data(), static_cast<sf_count_t>(frames.size()) / channels);
  sf_close(file);
  return path;
}

TEST(OpenSamples, RecordingsAreWindowsThatEndWithTheirHops) {
  const std::string path =
      WriteSound(Folder() + "/a.wav", 8000, 1, {8192, 16384, 24576, -8192, -16384, -24576, 1});
  const auto all = *OpenSamples(path, {.shape = {1, 3}});
  EXPECT_EQ(all->count(), 2);
  EXPECT_EQ(std::get<Floats>(*all->Read(1)), (Floats{-0.25, -0.5, -0.75}));
  const auto hops = *OpenSamples(path, {.shape = {1, 1, 3}, .sound = {.hop = 2, .full_scale = 32768}});
  EXPECT_EQ(hops->count(), 3);
  EXPECT_EQ(std::get<Floats>(*hops->Read(0)), (Floats{0, 8192, 16384}));  // silence before the beginning
  EXPECT_EQ(std::get<Floats>(*hops->Read(1)), (Floats{16384, 24576, -8192}));
  EXPECT_EQ(std::get<Floats>(*hops->Read(2)), (Floats{-8192, -16384, -24576}));
  const auto longer = *OpenSamples(path, {.shape = {8}});
  EXPECT_EQ(longer->count(), 1);
  EXPECT_EQ(std::get<Floats>(*longer->Read(0)),
            (Floats{0.25, 0.5, 0.75, -0.25, -0.5, -0.75, 1 / 32768.0f, 0}));
}

TEST(OpenSamples, ChannelsOfARecordingAreAveragedAndFoldersHoldSeveral) {
  const std::string folder = Folder();
  WriteSound(folder + "/b.wav", 8000, 2, {8192, 16384, -8192, 8192});
  WriteSound(folder + "/a.wav", 8000, 1, {1024, 2048, 3072});
  const auto samples = *OpenSamples(folder, {.shape = {1, 2}});
  EXPECT_EQ(samples->count(), 2);
  EXPECT_EQ(std::get<Floats>(*samples->Read(1)), (Floats{0.375, 0}));
  EXPECT_EQ(std::get<Floats>(*samples->Read(0)), (Floats{0.03125, 0.0625}));
}

TEST(OpenSamples, RecordingsAreResampledToTheRateOfTheNetwork) {
  std::vector<int16_t> tone(4410);  // 441 Hz
  for (size_t i = 0; i < tone.size(); ++i)
    tone[i] = static_cast<int16_t>(16384 * std::sin(i * 2 * M_PI / 100));
  const std::string path = WriteSound(Folder() + "/a.wav", 44100, 1, tone);
  const auto samples = *OpenSamples(path, {.shape = {400}, .sound = {.rate = 16000}});
  ASSERT_EQ(samples->count(), 4);
  const Floats middle = std::get<Floats>(*samples->Read(1));
  for (size_t i = 0; i < middle.size(); ++i)
    EXPECT_NEAR(middle[i], 0.5 * std::sin((400 + i) * 2 * M_PI * 441 / 16000), 0.001) << i;
}

TEST(OpenSamples, RefusalsOfRecordings) {
  const std::string folder = Folder();
  const auto label_of = [](const std::string& path, const SampleForm& form) {
    return ErrorLabel(OpenSamples(path, form).status());
  };
  const std::string path = WriteSound(folder + "/a.wav", 8000, 1, {1, 2, 3});
  EXPECT_EQ(label_of(path, {.shape = {2, 2}}), "samples_shape");
  EXPECT_EQ(label_of(Write({'R', 'I', 'F', 'F', 1, 2, 3, 4}, folder + "/bad"), {.shape = {2}}),
            "sound_format");
  WriteSound(folder + "/b.wav", 16000, 1, {1, 2, 3});
  EXPECT_EQ(label_of(folder, {.shape = {2}}), "option_syntax");
  EXPECT_EQ(label_of(folder, {.shape = {2}, .sound = {.rate = 16000}}), "");
  Write(kGray, folder + "/c.png");
  EXPECT_EQ(label_of(folder, {.shape = {2}}), "file_open");
  const std::vector<uint8_t> whole = *ReadFile(path);
  for (size_t size = 4; size < whole.size(); ++size) {  // it may be read, as its header is there, or refused
    const auto cut =
        OpenSamples(Write({whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size)}, folder + "/cut"),
                    {.shape = {2}});
    if (!cut.ok()) continue;
    EXPECT_TRUE((*cut)->Read(0).ok()) << size;
  }
}

std::string WriteText(const std::string& text) {
  return Write({text.begin(), text.end()}, Folder() + "/x.jsonl");
}

TEST(OpenSamples, JsonLinesAreASampleEach) {
  const auto samples = *OpenSamples(WriteText("[3, 4]\n\n [[5], [6, 7]]\r\n"), {.shape = {1, 3}});
  EXPECT_EQ(samples->count(), 2);
  EXPECT_EQ(std::get<Integers>(*samples->Read(0)), (Integers{3, 4, 0}));
  EXPECT_EQ(std::get<Integers>(*samples->Read(1)), (Integers{5, 6, 7}));
  const auto reals = *OpenSamples(WriteText("[3, 0.5]"), {.shape = {2}});
  EXPECT_EQ(std::get<Floats>(*reals->Read(0)), (Floats{3, 0.5}));
  const std::string path = WriteText("{\"ids\": [8, 9], \"mask\": [true, false]}");
  EXPECT_EQ(std::get<Integers>(*(*OpenSamples(path, {.name = "mask", .shape = {2}}))->Read(0)),
            (Integers{1, 0}));
  EXPECT_EQ(*WithArrayNames({path}, 2), (std::vector<std::string>{"ids=" + path, "mask=" + path}));
}

TEST(OpenSamples, RefusalsOfJsonLines) {
  const auto label_of = [](const std::string& text) {
    const auto samples = OpenSamples(WriteText(text), {.name = "ids", .shape = {2}});
    return samples.ok() ? ErrorLabel((*samples)->Read(0).status()) : ErrorLabel(samples.status());
  };
  for (const char* text :
       {"[1, ", "[\"a\"]", "{\"mask\": [1]}", "[null]", "{\"ids\": {}}", "[9007199254740994]"})
    EXPECT_EQ(label_of(text), "json_lines") << text;
  EXPECT_EQ(label_of("[1, 2, 3]"), "samples_shape");
  EXPECT_EQ(label_of(std::string(100000, '[')), "json_lines");
  EXPECT_EQ(label_of(std::string(100000, '[') + std::string(100000, ']')), "");  // no number, so zeros
}

}  // namespace
}  // namespace tally::cli
