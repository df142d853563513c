#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/io/file.h"
#include "serializer/encode.h"
#include "server/labels.h"
#include "server/models/repository.h"
#include "server/models/tensors.h"
#include "vm/text/assembler.h"

namespace tally::server {
namespace {

namespace fs = std::filesystem;

constexpr char kModule[] = R"(tally 1
profile cvm
param %0 "x" [2] in [-5, 200] scale 1*2^-1 zero 1
%1 = broadcast_add %0, %0
result %1 "y"
)";

class ModelsTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }

  static std::vector<uint8_t> Module(const std::string& text = kModule) { return Encode(*Assemble(text)); }

  void Write(const std::string& name, std::span<const uint8_t> bytes) {
    fs::create_directories((folder_ / name).parent_path());
    ASSERT_TRUE(WriteFileAtomically((folder_ / name).string(), bytes).ok());
  }

  std::shared_ptr<const ServedModel> Load() {
    Write("m.tally", Module());
    return *ServedModel::Load("m", "1", {(folder_ / "m.tally").string(), "", ""});
  }

  template <typename T>
  static InferRequest Request(Datatype datatype, const std::vector<T>& values,
                              std::vector<int64_t> shape = {2}) {
    InferRequest request;
    std::string& bytes = request.bytes.emplace_back(values.size() * sizeof(T), '\0');
    std::memcpy(bytes.data(), values.data(), bytes.size());
    request.inputs.push_back({"x", datatype, std::move(shape), bytes});
    return request;
  }

  fs::path folder_;
};

TEST_F(ModelsTest, IntegersKeepTheirValues) {
  const auto model = Load();
  EXPECT_EQ(model->inputs()[0].datatype, Datatype::kInt16);
  const auto values = [&](const InferRequest& request) {
    const std::vector<Tensor> tensors = *InputsOf(request, *model);
    return std::vector<int64_t>{tensors[0].view().at(0), tensors[0].view().at(1)};
  };
  EXPECT_EQ(values(Request<int8_t>(Datatype::kInt8, {-5, 7})), (std::vector<int64_t>{-5, 7}));
  EXPECT_EQ(values(Request<uint8_t>(Datatype::kUint8, {200, 255})), (std::vector<int64_t>{200, 255}));
  EXPECT_EQ(values(Request<int16_t>(Datatype::kInt16, {-5, 200})), (std::vector<int64_t>{-5, 200}));
  EXPECT_EQ(values(Request<int64_t>(Datatype::kInt64, {-1'000'000'000'000, 1})),
            (std::vector<int64_t>{-1'000'000'000'000, 1}));
  EXPECT_EQ(values(Request<uint64_t>(Datatype::kUint64, {std::numeric_limits<uint64_t>::max(), 1}))[0],
            std::numeric_limits<int64_t>::max());
}

TEST_F(ModelsTest, RealsAreCodesOfTheGrid) {
  const auto model = Load();
  const std::vector<Tensor> tensors = *InputsOf(Request<float>(Datatype::kFp32, {1.f, 1000.f}), *model);
  EXPECT_EQ(tensors[0].view().at(0), 3);
  EXPECT_EQ(tensors[0].view().at(1), 200);
  for (const float real : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    EXPECT_EQ(ErrorLabel(InputsOf(Request<float>(Datatype::kFp32, {1.f, real}), *model).status()),
              "request_tensor");
  }
}

TEST_F(ModelsTest, OtherTensorsAreRefused) {
  const auto model = Load();
  EXPECT_EQ(ErrorLabel(InputsOf(Request<int8_t>(Datatype::kInt8, {1}, {1}), *model).status()),
            "request_tensor");
  EXPECT_EQ(ErrorLabel(InputsOf(Request<int8_t>(Datatype::kInt8, {1}), *model).status()), "request_tensor");
  EXPECT_EQ(ErrorLabel(InputsOf(Request<int8_t>(Datatype::kInt8, {1, 2}, {2, 1}), *model).status()),
            "request_tensor");
  EXPECT_EQ(ErrorLabel(InputsOf({}, *model).status()), "request_tensor");
  InferRequest twice = Request<int8_t>(Datatype::kInt8, {1, 2});
  twice.inputs.push_back(twice.inputs[0]);
  EXPECT_EQ(ErrorLabel(InputsOf(twice, *model).status()), "request_tensor");
  InferRequest other = Request<int8_t>(Datatype::kInt8, {1, 2});
  other.inputs[0].name = "z";
  EXPECT_EQ(ErrorLabel(InputsOf(other, *model).status()), "request_tensor");
  other.outputs = {{"y", {}, Datatype::kFp32}};
  EXPECT_EQ(ErrorLabel(CheckOutputs(other, *model)), "request_tensor") << "the result has no grid";
}

TEST_F(ModelsTest, AFolderHasModelsAndVersions) {
  Write("a.tally", Module());
  Write("b/2/model.tally", Module());
  Write("b/10/model.tally", Module());
  for (const char* other : {"b/latest/model.tally", "b/0/model.tally", "b/03/model.tally", ".c.tally",
                            "d e.tally", "f.onnx", ".tally", "g/1/other.tally"}) {
    Write(other, Module());
  }
  const FoundModels found = *ScanFolder(folder_.string());
  std::vector<std::string> names;
  for (const auto& [key, model] : found) names.push_back(key.first + "/" + key.second);
  EXPECT_EQ(names, (std::vector<std::string>{"a/1", "b/10", "b/2"}));
  EXPECT_EQ(ErrorLabel(ScanFolder((folder_ / "none").string()).status()), "file_open");
}

TEST_F(ModelsTest, AGoodModelStaysWhenItsFileTurnsBad) {
  std::vector<std::string> labels;
  Repository repository(folder_.string(),
                        [&](const ModelEvent& event) { labels.push_back(ErrorLabel(event.problem)); });
  Write("m.tally", Module());
  ASSERT_TRUE(repository.Scan().ok());
  const auto first = *repository.Find("m", "");
  Write("m.tally", std::vector<uint8_t>{1, 2, 3});
  ASSERT_TRUE(repository.Scan().ok());
  ASSERT_TRUE(repository.Scan().ok());  // the file is not tried again
  EXPECT_EQ(*repository.Find("m", "1"), first);
  EXPECT_FALSE(repository.States()[0].reason.empty());
  EXPECT_TRUE(repository.ready());
  Write("m.tally", Module());
  ASSERT_TRUE(repository.Scan().ok());
  EXPECT_NE(*repository.Find("m", ""), first);
  EXPECT_EQ(repository.WithModule(first->claimed().id), *repository.Find("m", ""));
  fs::remove(folder_ / "m.tally");
  ASSERT_TRUE(repository.Scan().ok());
  EXPECT_EQ(ErrorLabel(repository.Find("m", "").status()), "model_unknown");
  EXPECT_EQ(labels, (std::vector<std::string>{"", "bad_magic", "", ""}));
}

TEST_F(ModelsTest, AnUnloadedModelWaitsToBeLoaded) {
  Repository repository(folder_.string(), [](const ModelEvent&) {});
  Write("m.tally", Module());
  EXPECT_FALSE(repository.ready());
  ASSERT_TRUE(repository.Scan().ok());
  ASSERT_TRUE(repository.Unload("m").ok());
  ASSERT_TRUE(repository.Scan().ok());
  EXPECT_EQ(ErrorLabel(repository.Find("m", "").status()), "model_unready");
  ASSERT_TRUE(repository.Load("m").ok());
  EXPECT_TRUE(repository.Find("m", "").ok());
  EXPECT_EQ(ErrorLabel(repository.Load("n")), "model_unknown");
  EXPECT_EQ(ErrorLabel(repository.Unload("n")), "model_unknown");
}

TEST_F(ModelsTest, AConfigurationSaysHowAModelIsServed) {
  const ModelConfig config =
      *ModelConfigOfJson(R"({"engine":"reference","threads":2,"gas_limit":7,"cache":false,"deadline_ms":5})");
  EXPECT_EQ(config.engine, "reference");
  EXPECT_EQ(config.threads, 2);
  EXPECT_EQ(config.gas_limit, 7);
  EXPECT_FALSE(config.cache);
  for (const char* text :
       {"", "[]", "{\"theads\":1}", "{\"threads\":0}", "{\"threads\":1.5}", "{\"threads\":\"1\"}",
        "{\"gas_limit\":18446744073709551615}", "{\"gas_limit\":-1}", "{\"cache\":1}", "{\"engine\":1}"}) {
    EXPECT_EQ(ErrorLabel(ModelConfigOfJson(text).status()), "model_config") << text;
  }
}

}  // namespace
}  // namespace tally::server
