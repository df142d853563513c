#include "frontends/formats.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "frontends/coreml/testing/sample_models.h"
#include "frontends/onnx/testing/sample_models.h"

namespace tally::frontend {
namespace {

std::string LabelOf(const std::string& text) {
  return std::string(ErrorLabel(FormatOf(std::vector<uint8_t>(text.begin(), text.end())).status()));
}

TEST(Formats, FilesAreKnownByTheirContents) {
  for (const auto& [name, model] : onnx::SampleModels()) {
    const std::vector<uint8_t> bytes = model.Bytes();
    const auto format = FormatOf(bytes);
    ASSERT_TRUE(format.ok()) << name << ": " << format.status();
    EXPECT_EQ((*format)->name, "ONNX");
    EXPECT_TRUE((*format)->check(bytes, {}).ok());
  }
}

TEST(Formats, CoreMlIsKnownByItsFields) {
  for (const auto& [name, bytes] : coreml::SampleModels()) {
    const auto format = FormatOf(bytes);
    ASSERT_TRUE(format.ok()) << name << ": " << format.status();
    EXPECT_EQ((*format)->name, "Core ML");
    EXPECT_TRUE((*format)->check(bytes, {}).ok());
  }
}

TEST(Formats, ParamsOfNcnnAreKnownByTheirMagic) {
  const std::string text = "7767517\n1 1\nInput in 0 1 x 0=2\n";
  const std::string binary("\xdd\x85\x76\0\1\0\0\0", 8);
  for (const std::string& file : {text, binary}) {
    const std::vector<uint8_t> bytes(file.begin(), file.end());
    const auto format = FormatOf(bytes);
    ASSERT_TRUE(format.ok()) << format.status();
    EXPECT_EQ((*format)->name, "ncnn");
    // Its weights are in a file that is not there.
    EXPECT_EQ(ErrorLabel((*format)->import(bytes, {.path = "none/net.param"}).status()), "file_open");
    EXPECT_EQ(ErrorLabel((*format)->import_exactly(bytes, {}, {}).status()), "model_unsupported_type");
  }
  EXPECT_EQ(LabelOf("77675170\n"), "model_format");
}

TEST(Formats, OthersAreRefused) {
  EXPECT_EQ(LabelOf(""), "model_format");
  EXPECT_EQ(LabelOf("{}"), "model_format");
  EXPECT_EQ(LabelOf("<?xml version=\"1.0\"?>"), "model_format");
  EXPECT_EQ(LabelOf("not a model"), "model_format");
  EXPECT_EQ(LabelOf(std::string("\xd4TALLY", 6)), "model_format");
}

TEST(Formats, OthersThatPeopleHaveAreNamed) {
  const std::pair<std::string, const char*> files[] = {
      {std::string("\x1c\0\0\0TFL3", 8), "TensorFlow Lite"},
      {std::string("PK\3\4model/data.pkl"), "torch.save"},
      {std::string("\x80\2}q"), "pickle"},
      {std::string("\x40\0\0\0\0\0\0\0{\"w\":", 13), "safetensors"},
      {std::string("GGUF\3"), "GGUF"},
      {std::string("\x89HDF\r\n"), "Keras"}};
  for (const auto& [file, name] : files) {
    const auto format = FormatOf(std::vector<uint8_t>(file.begin(), file.end()));
    EXPECT_EQ(ErrorLabel(format.status()), "model_format") << name;
    EXPECT_NE(format.status().message().find(name), std::string::npos) << format.status();
    EXPECT_NE(format.status().message().find("onnx"), std::string::npos) << format.status();
  }
}

// A local header of zip, with the name of its entry.
std::string Zip(const std::string& name) {
  std::string header("PK\3\4", 4);
  header.resize(30);
  header[26] = static_cast<char>(name.size());
  return header + name + "content";
}

TEST(Formats, FilesThatHaveToBeFetchedOrUnpackedSaySo) {
  const std::pair<std::string, const char*> files[] = {
      {"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n", "git lfs pull"},
      {Zip("net.mlpackage/Manifest.json"), "unpack it and give the folder"},
      {Zip("model.onnx"), "unpack it and give the model in it"},
      {Zip("net/data.pkl"), "torch.save"}};
  for (const auto& [file, advice] : files) {
    const auto format = FormatOf(std::vector<uint8_t>(file.begin(), file.end()));
    EXPECT_EQ(ErrorLabel(format.status()), "model_format") << advice;
    EXPECT_NE(format.status().message().find(advice), std::string::npos) << format.status();
  }
}

// The weights of a model are in a file beside it: one line says that it is not there, or not the file itself.
TEST(Formats, WeightsThatAreNotThereAreOneLine) {
  const std::string xml =
      "<?xml version=\"1.0\"?><net name=\"n\" version=\"11\"><layers><layer id=\"0\" name=\"k\" "
      "type=\"Const\"/>"
      "<layer id=\"1\" name=\"l\" type=\"Const\"/></layers></net>";
  const std::string folder = testing::TempDir() + "/weights_beside";
  std::filesystem::create_directories(folder);
  for (const std::string& text : {xml, std::string("7767517\n1 1\nInput in 0 1 x 0=2\n")}) {
    const std::vector<uint8_t> bytes(text.begin(), text.end());
    const std::string extension = text == xml ? ".xml" : ".param";
    const ImportOptions options = {.path = folder + "/net" + extension};
    std::filesystem::remove(folder + "/net.bin");
    const auto missing = (*FormatOf(bytes))->check(bytes, options);
    EXPECT_EQ(ErrorLabel(missing.status()), "file_open");
    EXPECT_NE(missing.status().message().find("--weights FILE"), std::string::npos) << missing.status();
    std::ofstream(folder + "/net.bin") << "version https://git-lfs.github.com/spec/v1\n";
    const auto pointer = (*FormatOf(bytes))->check(bytes, options);
    EXPECT_EQ(ErrorLabel(pointer.status()), "model_format");
    EXPECT_NE(pointer.status().message().find("git lfs pull"), std::string::npos) << pointer.status();
  }
}

}  // namespace
}  // namespace tally::frontend
