#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <variant>
#include <vector>

#include "base/error.h"
#include "frontends/onnx/float/import_onnx.h"
#include "frontends/onnx/testing/model_builder.h"

namespace tally::onnx {
namespace {

using ::onnx::TensorProto;
namespace fs = std::filesystem;

// A folder with the files of a model, of which outside.bin is none.
class ExternalData : public testing::Test {
 protected:
  void SetUp() override {
    const fs::path root = fs::path(testing::TempDir()) / "external_data";
    fs::remove_all(root);
    folder_ = (root / "model").string();
    fs::create_directories(folder_ + "/weights");
    Write("weights/w.bin", {9, 9, 1, 2, 3, 4});
    Write("../outside.bin", {1, 2, 3, 4});
  }

  void Write(const std::string& name, const std::vector<float>& floats) {
    std::ofstream file(folder_ + "/" + name, std::ios::binary);
    file.write(reinterpret_cast<const char*>(floats.data()),
               static_cast<std::streamsize>(floats.size() * sizeof(float)));
  }

  static void Locate(TensorProto* tensor, const std::vector<std::pair<std::string, std::string>>& entries) {
    tensor->clear_raw_data();
    tensor->set_data_location(TensorProto::EXTERNAL);
    for (const auto& [key, value] : entries) {
      auto* entry = tensor->add_external_data();
      entry->set_key(key);
      entry->set_value(value);
    }
  }

  using Entries = std::vector<std::pair<std::string, std::string>>;
  // y = x + w, with w [2, 2] at `entries`.
  static ModelBuilder Model(const Entries& entries) {
    ModelBuilder model;
    model.Input("x", {2, 2}).Weight("w", {{2, 2}, {0, 0, 0, 0}}).Output("y");
    Locate(model.graph().mutable_initializer(0), entries);
    model.Node("Add", {"x", "w"}, {"y"});
    return model;
  }

  ImportOptions InFolder() const {
    ImportOptions options;
    options.folder = folder_;
    return options;
  }
  std::string Label(const Entries& entries) const { return Model(entries).ImportLabel(InFolder()); }

  std::string folder_;
};

TEST_F(ExternalData, TensorsComeFromFilesOfTheFolder) {
  Write("all.bin", {1, 2, 3, 4});
  for (const Entries& entries : {Entries{{"location", "weights/w.bin"}, {"offset", "8"}, {"length", "16"}},
                                 Entries{{"location", "./weights/../weights/w.bin"}, {"offset", "8"}},
                                 Entries{{"location", "all.bin"}, {"checksum", "of another tool"}}}) {
    const auto y = Model(entries).Run({{{2, 2}, {10, 20, 30, 40}}}, InFolder());
    ASSERT_EQ(y.size(), 1);
    EXPECT_EQ(std::get<quant::FloatTensor>(y[0]).data, (std::vector<float>{11, 22, 33, 44}));
  }
}

TEST_F(ExternalData, TensorsOfAttributesToo) {
  ModelBuilder model;
  model.Input("x", {4}).Output("y");
  model.Node("Constant", {}, {"c"}).Tensor("value", quant::FloatTensor{{4}, {0, 0, 0, 0}});
  model.Node("Add", {"x", "c"}, {"y"});
  Locate(model.graph().mutable_node(0)->mutable_attribute(0)->mutable_t(),
         {{"location", "weights/w.bin"}, {"offset", "8"}});
  const auto y = model.Run({{{4}, {0, 0, 0, 0}}}, InFolder());
  ASSERT_EQ(y.size(), 1);
  EXPECT_EQ(std::get<quant::FloatTensor>(y[0]).data, (std::vector<float>{1, 2, 3, 4}));
}

TEST_F(ExternalData, NothingOutsideOfTheFolderIsRead) {
  fs::create_symlink("../outside.bin", folder_ + "/link.bin");
  fs::create_directory_symlink("..", folder_ + "/up");
  for (const std::string& location :
       {std::string("../outside.bin"), std::string("weights/../../outside.bin"),
        fs::canonical(folder_ + "/../outside.bin").string(), std::string("link.bin"),
        std::string("up/outside.bin"), std::string("."), std::string(), std::string("weights/w.bin\0", 14)}) {
    EXPECT_EQ(Label({{"location", location}}), "onnx_external_data") << location;
  }
  fs::create_symlink("weights/w.bin", folder_ + "/inside.bin");
  EXPECT_EQ(Label({{"location", "inside.bin"}, {"offset", "8"}}), "");
}

TEST_F(ExternalData, WithoutAFolderThereAreNoFiles) {
  EXPECT_EQ(Model({{"location", "weights/w.bin"}, {"offset", "8"}}).ImportLabel(), "onnx_external_data");
}

TEST_F(ExternalData, RefusesWhatIsNotInTheFile) {
  EXPECT_EQ(Label({{"location", "none.bin"}}), "file_open");
  EXPECT_EQ(Label({{"location", "weights"}}), "file_open");
  EXPECT_EQ(Label({{"offset", "8"}}), "onnx_external_data");
  const auto at = [&](const char* offset, const char* length) {
    return Label({{"location", "weights/w.bin"}, {"offset", offset}, {"length", length}});
  };
  EXPECT_EQ(at("8", "16"), "");
  EXPECT_EQ(at("9", "16"), "onnx_external_data");
  EXPECT_EQ(at("25", "0"), "onnx_external_data");
  EXPECT_EQ(at("18446744073709551615", "16"), "onnx_external_data");
  EXPECT_EQ(at("8", "18446744073709551615"), "onnx_external_data");
  EXPECT_EQ(at("-8", "16"), "onnx_external_data");
  EXPECT_EQ(at("8", "many"), "onnx_external_data");
  EXPECT_EQ(at("8", "12"), "model_malformed");  // a shape of 16 bytes
}

TEST_F(ExternalData, RefusesDataThatIsThereTwice) {
  ModelBuilder model = Model({{"location", "weights/w.bin"}, {"offset", "8"}});
  EXPECT_EQ(model.ImportLabel(InFolder()), "");
  model.graph().mutable_initializer(0)->set_raw_data(std::string(16, '\0'));
  EXPECT_EQ(model.ImportLabel(InFolder()), "onnx_external_data");
}

// Git leaves a few lines of text where nobody has fetched the file.
TEST_F(ExternalData, RefusesPointersOfGitLfs) {
  std::ofstream(folder_ + "/pointer.bin")
      << "version https://git-lfs.github.com/spec/v1\noid sha256:" << std::string(64, 'a') << "\nsize 1000\n";
  EXPECT_EQ(Label({{"location", "pointer.bin"}, {"length", "16"}}), "model_format");
}

// Else a file of a few kilobytes would take any memory.
TEST_F(ExternalData, TensorsHaveNoMoreBytesThanTheirFiles) {
  ModelBuilder model;
  model.Input("x", {2, 2}).Output("y").Node("Add", {"x", "w0"}, {"y"});
  for (const char* name : {"w0", "w1"}) {
    model.Weight(name, {{2, 2}, {0, 0, 0, 0}});
    Locate(model.graph().mutable_initializer(model.graph().initializer_size() - 1),
           {{"location", "weights/w.bin"}, {"offset", "8"}});
  }
  EXPECT_EQ(model.ImportLabel(InFolder()), "model_too_large");
  Write("more.bin", {5, 6, 7, 8});
  auto* entry = model.graph().mutable_initializer(1)->mutable_external_data();
  entry->Mutable(0)->set_value("more.bin");
  entry->Mutable(1)->set_value("0");
  EXPECT_EQ(model.ImportLabel(InFolder()), "");
}

}  // namespace
}  // namespace tally::onnx
